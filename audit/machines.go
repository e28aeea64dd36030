package audit

import (
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// MachineLinks is one machine of a Report with what ties its sides together: the strongest evidence of each pair, nil where
// nothing does.
type MachineLinks struct {
	Item
	VMMachine, MachineNode, VMNode *identity.Evidence
}

// Machines are all of the run, as SortItems orders them. They are no part of the JSON form: inventory has them.
func (r *Report) Machines() []MachineLinks {
	if r.machines == nil {
		return nil
	}
	return r.machines()
}

// machineLinks makes them of a graph.
func (r *result) machineLinks() []MachineLinks {
	items := make([]Item, len(r.graph.Entities))
	links := make(map[string]*MachineLinks, len(items))
	for i := range r.graph.Entities {
		e := &r.graph.Entities[i]
		items[i] = r.item(e)
		l := &MachineLinks{}
		for _, ev := range e.Evidence() {
			if ev.Against || ev.Strength == "" {
				continue
			}
			switch pair(ev.From.Kind, ev.To.Kind) {
			case sideVM | sideMachine:
				l.VMMachine = stronger(l.VMMachine, ev)
			case sideMachine | sideNode:
				l.MachineNode = stronger(l.MachineNode, ev)
			case sideVM | sideNode:
				l.VMNode = stronger(l.VMNode, ev)
			}
		}
		links[items[i].Subject.ID] = l
	}
	SortItems(items)
	out := make([]MachineLinks, len(items))
	for i := range items {
		out[i] = *links[items[i].Subject.ID]
		out[i].Item = items[i]
	}
	return out
}

// The sides of a machine, as bits.
const (
	sideVM = 1 << iota
	sideMachine
	sideNode
)

func pair(a, b string) int { return side(a) | side(b) }

func side(kind string) int {
	switch kind {
	case inventory.SubjectVM:
		return sideVM
	case inventory.SubjectMachine, inventory.SubjectProxmoxMachine:
		return sideMachine
	case inventory.SubjectNode:
		return sideNode
	default:
		return 0
	}
}

// strengths are in order, the strongest first. A declared reference joins API objects: it comes first between a Machine and a Node, where
// no other kind is stronger than what Cluster API itself says.
var strengths = map[identity.Strength]int{identity.Proof: 0, identity.Declared: 1, identity.Strong: 2, identity.Supporting: 3, identity.Hint: 4}

func stronger(old *identity.Evidence, ev identity.Evidence) *identity.Evidence {
	if old != nil && strengths[old.Strength] <= strengths[ev.Strength] {
		return old
	}
	return &ev
}
