package identity

import (
	"maps"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// looseNodes are the Nodes for which no VM was found, or only one to which an address or a name ties them while not all was
// seen that it could be as well: any of them may be a VM that nothing else tells apart.
type looseNodes struct {
	// any counts them by cluster, ready those that are Ready.
	any, ready map[string]int
	// open counts those that state nothing at all by which a VM with a UUID could be told from them.
	open map[string]int
	// clusters and openClusters are the keys of any and open, sorted.
	clusters, openClusters []string
	// blank is true if there is a VM without a UUID that no Node runs on, alone if there is one with or without.
	blank, alone bool
}

// findLoose looks at the finished graph. whole is true if everything was seen that could be tied to a VM.
func (b *builder) findLoose(g *Graph, whole bool) looseNodes {
	l := looseNodes{any: map[string]int{}, ready: map[string]int{}, open: map[string]int{}}
	for i := range b.s.Nodes {
		n := &b.s.Nodes[i]
		if len(g.Entities[g.byNode[i]].VMs) > 0 && (whole || b.sure(&b.nodes[i])) {
			continue
		}
		l.any[n.Cluster]++
		if n.Ready == "True" {
			l.ready[n.Cluster]++
		}
		if open(n) {
			l.open[n.Cluster]++
		}
	}
	l.clusters, l.openClusters = slices.Sorted(maps.Keys(l.any)), slices.Sorted(maps.Keys(l.open))
	for i := range b.s.VMs {
		vm := &b.s.VMs[i]
		if candidate(vm) && len(g.Entities[g.byVM[i]].Nodes) == 0 {
			l.alone = true
			l.blank = l.blank || vm.UUID() == ""
		}
	}
	return l
}

// open is true for a Node whose kubelet read no UUID at all, as one in a container or without root does. One that read a
// UUID, be it a worthless one, read what its firmware has, and a VM with a UUID has that one there; and a Node of another
// architecture (a Raspberry Pi) is no guest of Proxmox VE, which runs on amd64.
func open(n *inventory.Node) bool {
	arch := n.Labels["kubernetes.io/arch"]
	return n.SystemUUID == "" && n.RawSystemUUID == "" && (arch == "" || arch == "amd64")
}

// mayBeNodeOf says how many loose Nodes of a cluster a VM could be.
func (l *looseNodes) mayBeNodeOf(cluster string, vm *inventory.VM) int {
	if vm.UUID() == "" {
		return l.any[cluster]
	}
	return l.open[cluster]
}

// clustersFor are the clusters with loose Nodes that a VM could be.
func (l *looseNodes) clustersFor(vm *inventory.VM) []string {
	if vm.UUID() == "" {
		return l.clusters
	}
	return l.openClusters
}
