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
	// adrift counts, by cluster, the Ready Nodes that may be VMs of Proxmox VE and found none: of a site that was not
	// scanned, then.
	adrift map[string]int
	// first is one of these, by cluster.
	first map[string]string
	// lost counts, by cluster, the Nodes that may be VMs of Proxmox VE and have none, Ready or not.
	lost map[string]int
	// found counts, by cluster, the Nodes that have a VM, where everything was seen.
	found map[string]int
	// open counts those that state nothing at all by which a VM with a UUID could be told from them.
	open map[string]int
	// clusters and openClusters are the keys of any and open, sorted.
	clusters, openClusters []string
	// blank is true if there is a VM without a UUID that no Node runs on, alone if there is one with or without.
	blank, alone bool
}

// findLoose looks at the finished graph. whole is true if everything was seen that could be tied to a VM.
func (j *judge) findLoose(g *Graph, whole bool) looseNodes {
	b := j.builder
	l := looseNodes{any: map[string]int{}, ready: map[string]int{}, adrift: map[string]int{}, first: map[string]string{}, found: map[string]int{}, lost: map[string]int{}, open: map[string]int{}}
	for i := range b.s.Nodes {
		n := &b.s.Nodes[i]
		e := &g.Entities[g.byNode[i]]
		if len(e.VMs) == 0 && mayBeGuest(n) {
			l.lost[n.Cluster]++
		}
		if len(e.VMs) > 0 && whole {
			l.found[n.Cluster]++
		}
		if len(e.VMs) > 0 && (b.sure(&b.nodes[i]) || whole && j.firm(e, i)) {
			continue
		}
		if (len(e.VMs) == 0 || !whole) && n.Ready == "True" && mayBeGuest(n) {
			if l.adrift[n.Cluster]++; l.first[n.Cluster] == "" {
				l.first[n.Cluster] = n.Name
			}
		}
		if !mayBeGuest(n) {
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

// firm is true if a Node has its VM for good, all that could be tied to one having been seen. An address or a name alone is
// not enough: some other VM may have them, and its own is then somebody's orphan. It takes two of them, or the word of the
// cluster's selector, and nothing that speaks for another VM or against this one.
func (j *judge) firm(e *Entity, node int) bool {
	vm := &j.s.VMs[e.VMs[0]]
	tied := false
	j.eachResolution(e, func(r *resolution) {
		tied = tied || (slices.Contains(e.VMs, r.vm) && certain(r.strength))
	})
	if tied && j.nodeTied(e) {
		return true
	}
	n, r := &j.s.Nodes[node], &j.nodes[node]
	if n.Ready == "True" && vm.Status == "stopped" || r.vm >= 0 && r.contested || otherAddresses(n, vm) {
		return false
	}
	switch j.selects(n.Cluster, vm) {
	case Matches:
		return true
	case NoMatch:
		return false
	default:
		return r.backed
	}
}

// otherAddresses is true if the addresses of both are known and have nothing in common.
func otherAddresses(n *inventory.Node, vm *inventory.VM) bool {
	if len(n.InternalIPs) == 0 || !addressesSeen(vm) {
		return false
	}
	has := vmIPs(vm)
	return !slices.ContainsFunc(n.InternalIPs, func(s string) bool {
		ip, _ := parseAddress(s)
		return slices.Contains(has, ip)
	})
}

// mayBeGuest is false for a Node that is no guest of Proxmox VE: one of another architecture than amd64, or one whose
// providerID is another cloud's. What k3s, RKE2 and Talos write there says nothing about the machine.
func mayBeGuest(n *inventory.Node) bool {
	if arch := n.Labels["kubernetes.io/arch"]; arch != "" && arch != "amd64" {
		return false
	}
	p := inventory.ParseProviderID(n.ProviderID)
	return p.Kind != inventory.ProviderForeign || slices.Contains([]string{"", "k3s", "rke2", "talos"}, p.Scheme)
}

// open is true for a Node whose kubelet read no UUID at all, as one in a container or without root does. One that read a
// UUID, be it a worthless one, read what its firmware has, and a VM with a UUID has that one there; and a Node of another
// architecture (a Raspberry Pi) is no guest of Proxmox VE, which runs on amd64.
func open(n *inventory.Node) bool {
	return n.SystemUUID == "" && n.RawSystemUUID == "" && mayBeGuest(n)
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
