package identity

import (
	"slices"
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
	for _, i := range e.ProxmoxMachines {
		out = append(out, b.ownerRef(i)...)
	}
	out = append(out, e.added...)
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
