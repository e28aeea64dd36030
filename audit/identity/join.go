package identity

import (
	"iter"
	"maps"
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

// joinWeak unites what only addresses and names tie together, the stronger first. Weak evidence may complete a machine:
// it never makes two of a kind out of one, never reaches over clusters or sites, and never chooses between two that
// want the same.
func (b *builder) joinWeak() {
	for _, strength := range []Strength{Supporting, Hint} {
		b.noteTies(strength)
		wishes := map[int][]int{} // by VM: the roots of what wants it
		wanted := map[int]int{}   // by root: how many VMs it wants
		seen := map[[2]int]bool{}
		for h := range b.holdsAt(strength) {
			root := b.find(h.id)
			wish := [2]int{h.vm, root}
			if b.find(h.vm) == root || seen[wish] || b.undecided[root] {
				continue
			}
			seen[wish] = true
			if !b.mayHold(h.vm, root) {
				if strength == Supporting {
					// It has another VM, or another has this one. Whose this VM is if it is nobody else's stays open.
					b.ambiguous[h.vm] = append(b.ambiguous[h.vm], b.subjectOf(h.id))
				}
				continue
			}
			if cluster := b.set[root].cluster; !b.atHome(cluster, b.s.VMs[h.vm].Site) {
				// Where the configuration says in which site a cluster lies, a name in another says nothing at all.
				if strength == Supporting || !b.placed(cluster) {
					b.doubt(h.vm, root)
				}
				continue
			}
			wishes[h.vm] = append(wishes[h.vm], root)
			wanted[root]++
		}
		for _, vm := range slices.Sorted(maps.Keys(wishes)) {
			b.grant(vm, wishes[vm], wanted)
		}
	}
}

// noteTies marks what evidence of one strength ties to several VMs alike: nothing weaker decides then for the rest of the
// same machine.
func (b *builder) noteTies(strength Strength) {
	note := func(rs []resolution, id func(int) int) {
		for i := range rs {
			if rs[i].vm < 0 && rs[i].strength == strength && len(rs[i].rivals) > 0 {
				b.undecided[b.find(id(i))] = true
			}
		}
	}
	note(b.nodes, b.nodeID)
	note(b.pms, b.pmID)
	note(b.machines, b.machineID)
}

// mayHold is true if a component and a VM's could be one machine.
func (b *builder) mayHold(vm, root int) bool {
	have, want := b.set[b.find(vm)], b.set[root]
	return have.with(want).single() && b.agree(have, want)
}

// atHome is false if a cluster's VMs lie in other sites, by the configuration's word or by all of its members that are known
// for certain: private addresses and names repeat over sites.
func (b *builder) atHome(cluster, site string) bool {
	if b.placed(cluster) {
		return b.clusters[cluster].Site == site
	}
	homes := b.homes[b.nodesKey(cluster)]
	return len(homes) == 0 || homes[site]
}

// placed is true if the configuration says in which site a cluster lies.
func (b *builder) placed(cluster string) bool {
	c := b.clusters[cluster]
	return c != nil && c.Site != ""
}

// doubt notes that an object may be a VM, and may be another or none.
func (b *builder) doubt(vm, root int) {
	b.undecided[root] = true
	b.ambiguous[vm] = append(b.ambiguous[vm], b.subjectOf(root))
}

// grant gives a VM to those that want it, if they can all be one machine, and to nobody else.
func (b *builder) grant(vm int, roots []int, wanted map[int]int) {
	all, agreed, torn := b.set[b.find(vm)], true, false
	for _, r := range roots {
		agreed = agreed && b.agree(all, b.set[r])
		all = all.with(b.set[r])
		torn = torn || wanted[r] > 1
	}
	if all.single() && agreed && !torn {
		for _, r := range roots {
			b.union(vm, r)
		}
		return
	}
	for _, r := range roots {
		b.doubt(vm, r)
	}
}

// noteDoubts records which VMs somebody may be: a VM that an unresolved Node could be is never called an orphan. What an
// object that found its VM says of others (names repeat over sites) raises no doubt.
func (b *builder) noteDoubts() {
	note := func(rs []resolution, id func(int) int) {
		for i := range rs {
			r := &rs[i]
			if b.find(id(i)) < len(b.s.VMs) && r.strength != Proof {
				// What it is one with has its VM.
				continue
			}
			for _, vm := range r.rivals {
				b.ambiguous[vm] = append(b.ambiguous[vm], b.subjectOf(id(i)))
			}
			if b.sure(r) {
				continue
			}
			for _, vm := range r.blank {
				b.ambiguous[vm] = append(b.ambiguous[vm], b.subjectOf(id(i)))
			}
			for _, vm := range r.deadlocked {
				b.disputes[vm] = append(b.disputes[vm], b.subjectOf(id(i)))
			}
		}
	}
	note(b.nodes, b.nodeID)
	note(b.pms, b.pmID)
	note(b.machines, b.machineID)
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
