package identity

import (
	"strconv"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Options are the settings of the analysis.
type Options struct {
	// Grace is how long a machine may be on its way before it is a finding.
	Grace time.Duration
}

// Entity is everything that is one machine. The numbers are indices into the Snapshot's lists. Every VM, ProxmoxMachine,
// Machine and Node of the Snapshot is in exactly one Entity.
type Entity struct {
	VMs             []int
	ProxmoxMachines []int
	Machines        []int
	Nodes           []int

	Class      Class
	Reason     Reason
	Confidence Confidence
	// Cluster is the key of the cluster it belongs to, as far as one is known.
	Cluster string
	// Rivals are subjects of other entities that this one is in conflict with.
	Rivals []inventory.Subject
	// Missing is the coverage that the verdict would need, in order.
	Missing []inventory.Need
	// WaitingFor says what would change the verdict by itself.
	WaitingFor string
	// Notes are remarks that change no verdict.
	Notes []string
	// link is the strongest strength that ties a VM to anything else.
	link Strength
	// added is the evidence that the verdict itself brought up; Evidence gives all.
	added []Evidence
	b     *builder
}

// Graph is the result: who is who.
type Graph struct {
	Snapshot *inventory.Snapshot
	// Entities are in the order of the Snapshot's lists once sorted: by their VM, else Machine, ProxmoxMachine, Node.
	Entities []Entity

	byVM, byPM, byMachine, byNode []int

	x *index
}

// Of returns the entity of a subject, or nil if the Snapshot has no such thing.
func (g *Graph) Of(sub inventory.Subject) *Entity {
	entity := func(by []int, i int, found bool) *Entity {
		if !found {
			return nil
		}
		return &g.Entities[by[i]]
	}
	at := objectKey{sub.Scope, sub.Name}
	switch sub.Kind {
	case inventory.SubjectVM:
		vmid, err := strconv.Atoi(sub.Name)
		if err != nil || itoa(vmid) != sub.Name {
			return nil
		}
		if vms := g.x.at(inventory.Key{Site: sub.Scope, VMID: vmid}); len(vms) > 0 {
			return entity(g.byVM, vms[0], true)
		}
		return nil
	case inventory.SubjectMachine:
		i, ok := g.x.machByName[at]
		return entity(g.byMachine, i, ok)
	case inventory.SubjectProxmoxMachine:
		i, ok := g.x.pmByName[at]
		return entity(g.byPM, i, ok)
	case inventory.SubjectNode:
		i, ok := g.x.nodeByName[nodeKey{sub.Scope, sub.Name}]
		return entity(g.byNode, i, ok)
	default:
		return nil
	}
}

// Resolve computes the graph. The Snapshot has to be sorted (inventory.Snapshot.Sort); it is not changed.
func Resolve(s *inventory.Snapshot, opt Options) *Graph {
	b := newBuilder(s, opt)
	b.joinDeclared()
	b.resolveAll()
	b.findAliases()
	b.findDuplicates()
	b.joinSame()
	b.joinStrong()
	b.joinNodes()
	b.joinWeak()
	b.noteDoubts()
	g := b.entities()
	j := newJudge(b, g)
	// What is decided here looks at what all the others are made of, and at none of their verdicts.
	inParts(b.size, len(g.Entities), func(from, to int) {
		for i := from; i < to; i++ {
			j.classify(&g.Entities[i])
		}
	})
	j.judgeStrays()
	j.tellThreatened()
	return g
}

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
		undecided: map[int]bool{}, alias: map[string]string{}}
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

// joinDeclared pairs Machines with their ProxmoxMachines by infrastructureRef and ownerReference. A name alone is not
// a reference.
func (b *builder) joinDeclared() {
	b.machineOfPM = fill(len(b.s.ProxmoxMachines), -1)
	b.pmOfMachine = fill(len(b.s.Machines), -1)
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		ref := m.InfrastructureRef
		if ref == nil || ref.Kind != "ProxmoxMachine" {
			continue
		}
		ns := ref.Namespace
		if ns == "" {
			ns = m.Namespace
		}
		if pm, ok := b.pmByName[objectKey{ns, ref.Name}]; ok {
			b.pmOfMachine[i], b.machineOfPM[pm] = pm, i
			b.union(b.pmID(pm), b.machineID(i))
		}
	}
	for i := range b.s.ProxmoxMachines {
		pm := &b.s.ProxmoxMachines[i]
		owner := pm.Owner(inventory.GroupCluster, "Machine")
		if owner == nil || b.machineOfPM[i] >= 0 {
			continue
		}
		if m, ok := b.machByName[objectKey{pm.Namespace, owner.Name}]; ok {
			b.machineOfPM[i] = m
			if b.pmOfMachine[m] < 0 {
				b.pmOfMachine[m] = i
			}
			b.union(b.pmID(i), b.machineID(m))
		}
	}
}

func fill(n, v int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
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

// entities reads the forest. Roots are the smallest id of their set, so that entities come in the Snapshot's order.
func (b *builder) entities() *Graph {
	g := &Graph{Snapshot: b.s, x: b.index, byVM: make([]int, len(b.s.VMs)), byPM: make([]int, len(b.s.ProxmoxMachines)),
		byMachine: make([]int, len(b.s.Machines)), byNode: make([]int, len(b.s.Nodes))}
	at := make([]int, len(b.parent))
	roots := 0
	for id := range b.parent {
		if b.find(id) == id {
			roots++
		}
	}
	g.Entities = make([]Entity, 0, roots)
	for id := range b.parent {
		root := b.find(id)
		if root == id {
			at[id] = len(g.Entities)
			g.Entities = append(g.Entities, Entity{b: b})
		}
		e := &g.Entities[at[root]]
		nv, np, nm := len(b.s.VMs), len(b.s.ProxmoxMachines), len(b.s.Machines)
		switch {
		case id < nv:
			e.VMs, g.byVM[id] = b.lists.add(e.VMs, id), at[root]
		case id < nv+np:
			e.ProxmoxMachines, g.byPM[id-nv] = b.lists.add(e.ProxmoxMachines, id-nv), at[root]
		case id < nv+np+nm:
			e.Machines, g.byMachine[id-nv-np] = b.lists.add(e.Machines, id-nv-np), at[root]
		default:
			e.Nodes, g.byNode[id-nv-np-nm] = b.lists.add(e.Nodes, id-nv-np-nm), at[root]
		}
	}
	return g
}
