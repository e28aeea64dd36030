package identity

import "github.com/proxaudit/proxaudit/inventory"

// runsAs says who of a cluster has this VM's name, is alive or on its way, and has no VM: a Node that states another UUID (the
// configuration's may have been changed), or a Machine of another provider (which may have been given this VM). Empty if
// nobody.
func (j *judge) runsAs(vm *inventory.VM, cluster string) string {
	x := j.namesakes[j.nodesKey(cluster)]
	if x == nil {
		return ""
	}
	who, _ := x.get(vm.Name)
	return who
}

// namesakesOf lists, by cluster and name, what runsAs looks for.
func (j *judge) namesakesOf(g *Graph) map[string]*nameIndex[string] {
	out := map[string]*nameIndex[string]{}
	add := func(cluster, name, text string) {
		key := j.nodesKey(cluster)
		if out[key] == nil {
			x := newNameIndex[string]()
			out[key] = &x
		}
		out[key].add(name, text)
	}
	for i := range j.s.Machines {
		m := &j.s.Machines[i]
		e := &g.Entities[g.byMachine[i]]
		if ref := m.InfrastructureRef; ref != nil && ref.Kind != "" && ref.Kind != "ProxmoxMachine" && len(e.VMs)+len(e.Nodes) == 0 {
			add(m.Cluster, m.Name, "the "+ref.Kind+" of Machine "+m.Namespace+"/"+m.Name+" may be this VM: it has the name, and no Node yet")
		}
	}
	for i := range j.s.Nodes {
		n := &j.s.Nodes[i]
		if n.Ready == "True" && len(g.Entities[g.byNode[i]].VMs) == 0 {
			add(n.Cluster, n.Name, "Node "+n.Cluster+"/"+n.Name+" has the name, is Ready and has no VM, but states another UUID")
		}
	}
	return out
}
