package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// gather collects evidence, cluster and link strength from the members' resolutions.
func (j *judge) gather(e *Entity) {
	n := 2 * len(e.Machines) // their references
	j.eachResolution(e, func(r *resolution) { n += len(r.evidence) })
	// One more for what the verdict itself may add.
	e.Evidence = make([]Evidence, 0, n+1)
	take := func(r *resolution) {
		e.Evidence = append(e.Evidence, r.evidence...)
		if r.vm >= 0 && slices.Contains(e.VMs, r.vm) && r.strength.rank() > e.link.rank() {
			e.link = r.strength
		}
	}
	for _, i := range e.Machines {
		e.Cluster = j.s.Machines[i].Cluster
		take(&j.machines[i])
		j.refs(e, i)
	}
	for _, i := range e.ProxmoxMachines {
		if e.Cluster == "" {
			e.Cluster = j.s.ProxmoxMachines[i].Cluster
		}
		take(&j.pms[i])
	}
	for _, i := range e.Nodes {
		if e.Cluster == "" {
			e.Cluster = j.s.Nodes[i].Cluster
		}
		take(&j.nodes[i])
	}
	// What argues for the verdict comes first; within that the order of the members stays.
	slices.SortStableFunc(e.Evidence, func(a, b Evidence) int {
		if a.Against != b.Against {
			if a.Against {
				return 1
			}
			return -1
		}
		return b.Strength.rank() - a.Strength.rank()
	})
	e.Confidence = confidenceOf(e.link)
}

// refs adds the references between API objects as evidence.
func (j *judge) refs(e *Entity, m int) {
	mach := &j.s.Machines[m]
	from := machineSubject(mach)
	if pm := j.pmOfMachine[m]; pm >= 0 {
		to := proxmoxMachineSubject(&j.s.ProxmoxMachines[pm])
		e.Evidence = append(e.Evidence, Evidence{Kind: KindInfraRef, Strength: Declared, From: from, To: to,
			Left: to.Name, Right: to.Name})
	}
	if mach.NodeRef != "" {
		to := inventory.Subject{Kind: inventory.SubjectNode, Scope: j.nodesKey(mach.Cluster), Name: mach.NodeRef}
		_, exists := j.nodeByName[nodeKey{to.Scope, to.Name}]
		ev := Evidence{Kind: KindNodeRef, Strength: Declared, From: from, To: to, Left: mach.NodeRef}
		if exists {
			ev.Right = mach.NodeRef
		} else {
			ev.Note = "no such Node was seen"
			ev.Against = true
		}
		e.Evidence = append(e.Evidence, ev)
	}
}

func confidenceOf(s Strength) Confidence {
	switch s {
	case Supporting:
		return Medium
	case Hint:
		return Low
	default:
		return High
	}
}
