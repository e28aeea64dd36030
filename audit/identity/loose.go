package identity

import (
	"maps"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// looseNodes are the Nodes for which no VM was found, or only one to which an address or a name ties them while not all was
// seen that it could be as well: any of them may be a VM that nothing else tells apart.
type looseNodes struct {
	of map[string]*looseCount
	// clusters and openClusters are the keys with any and with open ones, sorted.
	clusters, openClusters []string
	// blank is true if there is a VM without a UUID that no Node runs on, alone if there is one with or without.
	blank, alone bool
}

// looseCount counts the Nodes of one cluster; those that cannot be guests of Proxmox VE are left out of all but found.
type looseCount struct {
	// any are all loose ones, ready those that are Ready, open those that state nothing at all by which a VM with a UUID
	// could be told from them.
	any, ready, open int
	// found have a VM, where everything was seen. lost have none, Ready or not.
	found, lost int
	// adrift names one that is Ready and found no VM: it is of a site that was not scanned, then. Empty if there is none.
	adrift string
}

// cluster is what was counted of one; all zero if it has no Nodes.
func (l *looseNodes) cluster(key string) looseCount {
	if c := l.of[key]; c != nil {
		return *c
	}
	return looseCount{}
}

// findLoose looks at the finished graph. whole is true if everything was seen that could be tied to a VM.
func (j *judge) findLoose(g *Graph, whole bool) looseNodes {
	l := looseNodes{of: map[string]*looseCount{}}
	for i := range j.s.Nodes {
		n, e := &j.s.Nodes[i], &g.Entities[g.byNode[i]]
		c := l.of[n.Cluster]
		if c == nil {
			c = &looseCount{}
			l.of[n.Cluster] = c
		}
		has := len(e.VMs) > 0
		if has && whole {
			c.found++
		}
		if has && j.sure(&j.nodes[i]) || !mayBeGuest(n) || has && whole && j.firm(e, i) {
			continue
		}
		ready := n.Ready == "True"
		c.any++
		if ready {
			c.ready++
		}
		if open(n) {
			c.open++
		}
		if !has {
			c.lost++
		}
		if ready && (!has || !whole) && c.adrift == "" {
			c.adrift = n.Name
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.of)) {
		if l.of[key].any > 0 {
			l.clusters = append(l.clusters, key)
		}
		if l.of[key].open > 0 {
			l.openClusters = append(l.openClusters, key)
		}
	}
	for i := range j.s.VMs {
		vm := &j.s.VMs[i]
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
		return l.cluster(cluster).any
	}
	return l.cluster(cluster).open
}

// clustersFor are the clusters with loose Nodes that a VM could be.
func (l *looseNodes) clustersFor(vm *inventory.VM) []string {
	if vm.UUID() == "" {
		return l.clusters
	}
	return l.openClusters
}
