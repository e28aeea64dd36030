package identity

import (
	"github.com/proxaudit/proxaudit/inventory"
)

// builder holds the resolutions and the union-find forest over all objects.
type builder struct {
	*index
	opt Options

	nodes, pms, machines []resolution
	// pmAddresses are where each ProxmoxMachine's VM may lie.
	pmAddresses [][]addressClaim
	// ids: VMs first, then ProxmoxMachines, Machines, Nodes.
	parent []int
	// set describes the objects that are one so far, by the root of their tree.
	set []component
	// holder is the ProxmoxMachine that really has a VM that several claim; duplicates are the others.
	duplicate map[int]int
	// machineOfPM and pmOfMachine are the declared pairs; -1 where there is none.
	machineOfPM, pmOfMachine []int
	// disputes lists, by VM, the subjects whose facts about it disagree.
	disputes map[int][]inventory.Subject
	// ambiguous lists, by VM, the subjects that may be it and may be another.
	ambiguous map[int][]inventory.Subject
	// unlike lists, by VM, the subjects that found none and that one fact fits it, while the UUIDs differ.
	unlike map[int][]inventory.Subject
	// undecided are objects whose weak link was dropped, because others want the VM as much.
	undecided map[int]bool
	// homes are, by cluster, the sites of its VMs that are known for certain.
	homes map[string]map[string]bool
	// alias maps a declared cluster that was given no access to the key under which its Nodes were read.
	alias map[string]string
}

func newBuilder(s *inventory.Snapshot, opt Options) *builder {
	b := &builder{index: newIndex(s), opt: opt, duplicate: map[int]int{},
		disputes: map[int][]inventory.Subject{}, ambiguous: map[int][]inventory.Subject{},
		unlike: map[int][]inventory.Subject{}, undecided: map[int]bool{}, alias: map[string]string{}}
	b.parent = make([]int, len(s.VMs)+len(s.ProxmoxMachines)+len(s.Machines)+len(s.Nodes))
	for i := range b.parent {
		b.parent[i] = i
	}
	b.describe()
	return b
}

func (b *builder) pmID(i int) int      { return len(b.s.VMs) + i }
func (b *builder) machineID(i int) int { return len(b.s.VMs) + len(b.s.ProxmoxMachines) + i }
func (b *builder) nodeID(i int) int {
	return len(b.s.VMs) + len(b.s.ProxmoxMachines) + len(b.s.Machines) + i
}

func (b *builder) find(i int) int {
	for b.parent[i] != i {
		b.parent[i] = b.parent[b.parent[i]]
		i = b.parent[i]
	}
	return i
}

// union keeps the smaller root, so that the forest does not depend on the order of the calls.
func (b *builder) union(i, j int) {
	i, j = b.find(i), b.find(j)
	if i == j {
		return
	}
	b.parent[max(i, j)] = min(i, j)
	b.set[min(i, j)] = b.set[min(i, j)].with(b.set[max(i, j)])
}

func (b *builder) resolveAll() {
	b.nodes = make([]resolution, len(b.s.Nodes))
	b.pms = make([]resolution, len(b.s.ProxmoxMachines))
	b.pmAddresses = make([][]addressClaim, len(b.s.ProxmoxMachines))
	b.machines = make([]resolution, len(b.s.Machines))
	inParts(b.size, len(b.nodes), func(from, to int) {
		r := resolver{x: b.index}
		for i := from; i < to; i++ {
			b.nodes[i] = r.resolve(b.nodeClaim(i))
		}
	})
	inParts(b.size, len(b.pms), func(from, to int) {
		r := resolver{x: b.index}
		for i := from; i < to; i++ {
			c := b.proxmoxMachineClaim(i)
			b.pmAddresses[i] = c.addresses
			b.pms[i] = r.resolve(c)
		}
	})
	inParts(b.size, len(b.machines), func(from, to int) {
		r := resolver{x: b.index}
		for i := from; i < to; i++ {
			b.machines[i] = r.resolve(b.machineClaim(i))
		}
	})
}

func (b *builder) subjectOf(id int) inventory.Subject {
	if id < len(b.s.VMs) {
		return inventory.VMSubject(b.s.VMs[id].Key())
	}
	id -= len(b.s.VMs)
	if id < len(b.s.ProxmoxMachines) {
		return proxmoxMachineSubject(&b.s.ProxmoxMachines[id])
	}
	id -= len(b.s.ProxmoxMachines)
	if id < len(b.s.Machines) {
		return machineSubject(&b.s.Machines[id])
	}
	return nodeSubject(&b.s.Nodes[id-len(b.s.Machines)])
}
