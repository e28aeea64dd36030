package identity

// nodesKey is the cluster under which a declared cluster's Nodes stand.
func (b *builder) nodesKey(cluster string) string {
	if k, ok := b.alias[cluster]; ok {
		return k
	}
	return cluster
}

// findAliases recognises a declared cluster's Nodes under another key: the configuration may give access to a cluster
// under a name of its own. It takes a Machine's UUID on a Node of the very name in its nodeRef, and no second opinion.
// A key that a Cluster object declares as well is a cluster of its own.
func (b *builder) findAliases() {
	refuted := map[string]bool{}
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		if m.NodeRef == "" || b.nodesRead(m.Cluster) {
			continue
		}
		n, ok := b.nodeOfUUID(b.machineUUID(i))
		if !ok || b.s.Nodes[n].Name != m.NodeRef {
			continue
		}
		key := b.s.Nodes[n].Cluster
		if c := b.clusters[key]; c != nil && c.Declared != nil {
			continue
		}
		if old, found := b.alias[m.Cluster]; found && old != key {
			refuted[m.Cluster] = true
		}
		b.alias[m.Cluster] = key
	}
	for c := range refuted {
		delete(b.alias, c)
	}
}
