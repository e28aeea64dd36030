package identity

import (
	"maps"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

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
			b.noteUnlike(r, id(i))
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

// noteUnlike records what looks like a VM that no Node runs on and states another UUID. Of a Node, a name and an address that
// both fit outweigh that, if it can be: the UUID in the configuration may have been changed while the guest runs with the
// old one.
func (b *builder) noteUnlike(r *resolution, id int) {
	for _, vm := range r.unlike {
		if b.set[b.find(vm)].nodes > 0 {
			continue
		}
		if node := id - b.nodeID(0); node >= 0 && slices.Contains(r.twins, vm) && couldRunAs(&b.s.Nodes[node], &b.s.VMs[vm]) {
			b.disputes[vm] = append(b.disputes[vm], b.subjectOf(id))
			b.undecided[b.find(id)] = true
			continue
		}
		b.unlike[vm] = append(b.unlike[vm], b.subjectOf(id))
	}
}

// couldRunAs is true if a Node that is Ready could be a VM's guest: it runs, and is not younger than the Node, as a machine
// that was made anew under the same name is.
func couldRunAs(n *inventory.Node, vm *inventory.VM) bool {
	if n.Ready != "True" || vm.Status != "running" {
		return false
	}
	return vm.Config == nil || vm.Config.CreatedAt == nil || n.CreatedAt == nil || !vm.Config.CreatedAt.After(*n.CreatedAt)
}
