package identity

import "github.com/proxaudit/proxaudit/inventory"

// namesake has a name and no VM.
type namesake struct {
	text string
	// node is nil for a Machine of another provider.
	node *inventory.Node
}

// runsAs says who of a cluster may be this VM after all: a Node that runs, has its name or address, and states another UUID
// (the configuration's may have been changed), or a Machine of another provider with its name, which may have been given
// this VM. Empty if nobody.
func (j *judge) runsAs(vm int, cluster string) string {
	v, nodes := &j.s.VMs[vm], j.nodesKey(cluster)
	if x := j.namesakes[nodes]; x != nil {
		if who, ok := x.get(v.Name); ok && (who.node == nil || couldRunAs(who.node, v)) {
			return who.text
		}
	}
	for _, s := range j.unlike[vm] {
		if i, ok := j.nodeByName[nodeKey{s.Scope, s.Name}]; ok && s.Kind == inventory.SubjectNode && j.nodesKey(s.Scope) == nodes &&
			couldRunAs(&j.s.Nodes[i], v) {
			return "Node " + s.Scope + "/" + s.Name + " has its address, is Ready and has no VM, but states another UUID"
		}
	}
	return ""
}

// namesakesOf lists, by cluster and name, what runsAs looks for. whole is true if everything was seen. Machines come first:
// what they say does not depend on time.
func (j *judge) namesakesOf(g *Graph, whole bool) map[string]*nameIndex[namesake] {
	out := map[string]*nameIndex[namesake]{}
	add := func(cluster, name string, n namesake) {
		key := j.nodesKey(cluster)
		if out[key] == nil {
			x := newNameIndex[namesake]()
			out[key] = &x
		}
		out[key].add(name, n)
	}
	for i := range j.s.Machines {
		m := &j.s.Machines[i]
		e := &g.Entities[g.byMachine[i]]
		if ref := m.InfrastructureRef; ref != nil && ref.Kind != "" && ref.Kind != "ProxmoxMachine" && len(e.VMs)+len(e.Nodes) == 0 {
			add(m.Cluster, m.Name, namesake{text: "the " + ref.Kind + " of Machine " + m.Namespace + "/" + m.Name +
				" may be this VM: it has the name, and no Node yet"})
		}
	}
	for i := range j.s.Nodes {
		n := &j.s.Nodes[i]
		// Where not all was seen, a VM that it seems to have may be another's.
		if n.Ready == "True" && (len(g.Entities[g.byNode[i]].VMs) == 0 || !whole && !j.sure(&j.nodes[i])) {
			add(n.Cluster, n.Name, namesake{text: "Node " + n.Cluster + "/" + n.Name + " has the name, is Ready and has no VM for certain, but states another UUID", node: n})
		}
	}
	return out
}
