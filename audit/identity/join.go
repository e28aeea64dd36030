package identity

import (
	"iter"
	"slices"
)

// joinSame unites what is one by being the same: VMs that share a UUID, with whatever states it, and a Node that was
// listed through two contexts.
func (b *builder) joinSame() {
	for _, vms := range b.vmByUUID.more {
		for _, vm := range vms[1:] {
			b.union(vms[0], vm)
		}
	}
	joinShared := func(rs []resolution, id func(int) int) {
		for i := range rs {
			if len(rs[i].shared) > 0 {
				b.union(rs[i].shared[0], id(i))
			}
		}
	}
	joinShared(b.nodes, b.nodeID)
	joinShared(b.pms, b.pmID)
	joinShared(b.machines, b.machineID)
	for i := range b.s.Nodes {
		if first := int(b.firstNode[i]); first != i {
			b.union(b.nodeID(first), b.nodeID(i))
			b.set[b.find(b.nodeID(first))].nodes--
		}
	}
}

// hold is one object's link to a VM.
type hold struct{ vm, id int }

func (b *builder) holdsAt(strength Strength) iter.Seq[hold] {
	return func(yield func(hold) bool) {
		each := func(rs []resolution, id func(int) int, skip func(int) bool) bool {
			for i := range rs {
				if rs[i].vm >= 0 && rs[i].strength == strength && (skip == nil || !skip(i)) && !yield(hold{rs[i].vm, id(i)}) {
					return false
				}
			}
			return true
		}
		_ = each(b.nodes, b.nodeID, nil) &&
			each(b.pms, b.pmID, func(i int) bool { _, dup := b.duplicate[i]; return dup }) &&
			each(b.machines, b.machineID, b.isDuplicateMachine)
	}
}

// joinStrong unites objects with the VM that proof or strong evidence names. Two of a kind that meet there are a
// conflict.
func (b *builder) joinStrong() {
	for _, strength := range []Strength{Proof, Strong} {
		for h := range b.holdsAt(strength) {
			b.union(h.vm, h.id)
		}
	}
	b.homes = map[string]map[string]bool{}
	learn := func(cluster string, r *resolution) {
		// Of VMs that share a UUID it is one, wherever that lies.
		vms := r.shared
		if b.sure(r) {
			vms = append(slices.Clone(vms), r.vm)
		}
		cluster = b.nodesKey(cluster)
		for _, vm := range vms {
			if b.homes[cluster] == nil {
				b.homes[cluster] = map[string]bool{}
			}
			b.homes[cluster][b.s.VMs[vm].Site] = true
		}
	}
	for i := range b.nodes {
		learn(b.s.Nodes[i].Cluster, &b.nodes[i])
	}
	for i := range b.pms {
		learn(b.s.ProxmoxMachines[i].Cluster, &b.pms[i])
	}
	for i := range b.machines {
		learn(b.s.Machines[i].Cluster, &b.machines[i])
	}
}

// sure is true if an object is tied to a VM by evidence that the VM's UUID, once seen, would not overrule.
func (b *builder) sure(r *resolution) bool {
	return r.vm >= 0 && certain(r.strength) && b.s.VMs[r.vm].Config != nil
}

// joinNodes unites Machines with the Node that their nodeRef names or that states their UUID, also where no VM was seen.
func (b *builder) joinNodes() {
	for i := range b.s.Machines {
		if b.isDuplicateMachine(i) {
			continue
		}
		m := &b.s.Machines[i]
		if m.NodeRef != "" {
			if n, ok := b.nodeByName[nodeKey{b.nodesKey(m.Cluster), m.NodeRef}]; ok {
				b.union(b.machineID(i), b.nodeID(n))
				continue
			}
		}
		// A Node of another cluster is joined by the VM that both are, or not at all.
		if n, ok := b.nodeOfUUID(b.machineUUID(i), b.nodesKey(m.Cluster)); ok {
			b.union(b.machineID(i), b.nodeID(n))
		}
	}
}

// nodeOfUUID is the one Node of a cluster that states a UUID.
func (b *builder) nodeOfUUID(uuid, cluster string) (int, bool) {
	found, n := 0, 0
	for _, i := range b.nodeByUUID.get(uuid) {
		if b.s.Nodes[i].Cluster == cluster {
			found, n = i, n+1
		}
	}
	return found, n == 1
}

// machineUUID is the UUID in the Machine's or its ProxmoxMachine's providerID.
func (b *builder) machineUUID(i int) string {
	if u := b.machineOwnUUID[i]; u != "" {
		return u
	}
	if pm := b.pmOfMachine[i]; pm >= 0 {
		return b.pmUUID[pm]
	}
	return ""
}
