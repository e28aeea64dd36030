package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// gather takes cluster and link strength from the members' resolutions.
func (j *judge) gather(e *Entity) {
	link := func(r *resolution) {
		if r.vm >= 0 && slices.Contains(e.VMs, r.vm) && r.strength.rank() > e.link.rank() {
			e.link = r.strength
		}
	}
	j.eachResolution(e, link)
	e.Cluster = j.declaredCluster(e)
	e.Confidence = confidenceOf(e.link)
}

// declaredCluster is the cluster of an entity's Machine, else of its ProxmoxMachine, else of its Node.
func (b *builder) declaredCluster(e *Entity) string {
	if n := len(e.Machines); n > 0 {
		if c := b.s.Machines[e.Machines[n-1]].Cluster; c != "" {
			return c
		}
	}
	for _, i := range e.ProxmoxMachines {
		if c := b.s.ProxmoxMachines[i].Cluster; c != "" {
			return c
		}
	}
	for _, i := range e.Nodes {
		if c := b.s.Nodes[i].Cluster; c != "" {
			return c
		}
	}
	return ""
}

// Evidence is all that was compared for the machine, what argues for the verdict first. It is compared
// again when somebody asks for it: nearly all of it ties managed machines together and is never shown, and in a large fleet
// would be most of the memory. Not for use from several goroutines.
func (e *Entity) Evidence() []Evidence {
	b := e.b
	var out []Evidence
	take := func(c claim) {
		facts := b.scratch.factsOf(c)
		out = slices.Grow(out, len(facts)+3)
		for _, f := range facts {
			out = append(out, f.evidence(c.from, b.s))
		}
	}
	for _, i := range e.Machines {
		take(b.machineClaim(i))
		out = append(out, b.refs(i)...)
	}
	for _, i := range e.ProxmoxMachines {
		take(b.proxmoxMachineClaim(i))
	}
	for _, i := range e.Nodes {
		take(b.nodeClaim(i))
	}
	// What argues for the verdict comes first; within that the order of the members stays.
	slices.SortStableFunc(out, func(a, b Evidence) int {
		if a.Against != b.Against {
			if a.Against {
				return 1
			}
			return -1
		}
		return b.Strength.rank() - a.Strength.rank()
	})
	return append(out, e.added...)
}

// refs are a Machine's references to other API objects as evidence.
func (b *builder) refs(m int) []Evidence {
	var out []Evidence
	mach := &b.s.Machines[m]
	from := machineSubject(mach)
	if pm := b.pmOfMachine[m]; pm >= 0 {
		to := proxmoxMachineSubject(&b.s.ProxmoxMachines[pm])
		out = append(out, Evidence{Kind: KindInfraRef, Strength: Declared, From: from, To: to, Left: to.Name, Right: to.Name})
	}
	if mach.NodeRef != "" {
		to := inventory.Subject{Kind: inventory.SubjectNode, Scope: b.nodesKey(mach.Cluster), Name: mach.NodeRef}
		_, exists := b.nodeByName[nodeKey{to.Scope, to.Name}]
		ev := Evidence{Kind: KindNodeRef, Strength: Declared, From: from, To: to, Left: mach.NodeRef}
		switch {
		case exists:
			ev.Right = mach.NodeRef
		case b.nodesRead(to.Scope):
			ev.Note, ev.Against = "the cluster has no such Node", true
		default:
			ev.Note = "the cluster's Nodes were not all seen"
		}
		out = append(out, ev)
	}
	return out
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
