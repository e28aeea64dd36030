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
