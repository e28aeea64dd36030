package identity

import "github.com/proxaudit/proxaudit/inventory"

// nodesKey is the cluster under which a declared cluster's Nodes stand.
func (b *builder) nodesKey(cluster string) string {
	if k, ok := b.alias[cluster]; ok {
		return k
	}
	return cluster
}

// findAliases recognises a declared cluster's Nodes under another key: the configuration may give access to a cluster
// under a name of its own. It takes a Machine's UUID on a Node of the very name in its nodeRef, no second opinion, and
// most of the other nodeRefs there as well.
// A key that a Cluster object declares or that Machines name is a cluster of its own, and one that was asked under its own
// key needs no other.
func (b *builder) findAliases() {
	refuted := map[string]bool{}
	named := map[string]bool{}
	for i := range b.s.Machines {
		named[b.s.Machines[i].Cluster] = true
	}
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		c := b.coverage[need(inventory.ClusterSource(m.Cluster), inventory.ScopeNodes)]
		if m.NodeRef == "" || (c != nil && c.State != inventory.NotAsked) {
			continue
		}
		ns := b.nodeByUUID.get(b.machineUUID(i))
		if len(ns) != 1 || b.s.Nodes[ns[0]].Name != m.NodeRef {
			continue
		}
		n := ns[0]
		key := b.s.Nodes[n].Cluster
		if c := b.clusters[key]; named[key] || (c != nil && c.Declared != nil) {
			continue
		}
		if old, found := b.alias[m.Cluster]; found && old != key {
			refuted[m.Cluster] = true
		}
		b.alias[m.Cluster] = key
	}
	// One machine may have been joined to another cluster. A key is right only if most of what the Machines refer to is there.
	refers, fits := map[string]int{}, map[string]int{}
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		if key, ok := b.alias[m.Cluster]; ok && m.NodeRef != "" {
			refers[m.Cluster]++
			if _, there := b.nodeByName[nodeKey{key, m.NodeRef}]; there {
				fits[m.Cluster]++
			}
		}
	}
	for c := range b.alias {
		if refuted[c] || 2*fits[c] <= refers[c] {
			delete(b.alias, c)
		}
	}
}
