package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// noNode: a VM and a declaration, no Node.
func (j *judge) noNode(e *Entity) {
	if len(e.Machines) == 0 {
		j.detached(e)
		return
	}
	m, vm := &j.s.Machines[e.Machines[0]], &j.s.VMs[e.VMs[0]]
	nodes := j.nodesKey(m.Cluster)
	switch {
	case !j.nodesRead(nodes):
		e.unknown(ReasonNotSeen, nodesNeed([]string{m.Cluster})...)
	case !j.known(inventory.ManagementSource, inventory.ScopeProxmoxMachines):
		// Another ProxmoxMachine may have the VM.
		e.unknown(ReasonNotSeen, need(inventory.ManagementSource, inventory.ScopeProxmoxMachines))
	case vm.Config == nil:
		// It may be another machine's VM, or that of a Node that found none: only the UUID could tell.
		e.unknown(ReasonNotSeen, configNeed(j.index, vm))
	case len(j.weakGaps(e)) > 0:
		e.unknown(ReasonNotSeen, j.weakGaps(e)...)
	case slices.ContainsFunc(j.ambiguous[e.VMs[0]], func(s inventory.Subject) bool {
		return s.Kind == inventory.SubjectNode && s.Scope == nodes
	}):
		j.addDoubts(e, e.VMs[0])
		e.unknown(ReasonAmbiguous)
	case j.loose.mayBeNodeOf(nodes, vm) > 0:
		e.unknown(ReasonAmbiguous)
		e.Notes = append(e.Notes, "a Node of the cluster found no VM and may be this machine: there is no UUID to compare")
	case j.runsAs(e.VMs[0], m.Cluster) != "":
		e.unknown(ReasonAmbiguous)
		e.Notes = append(e.Notes, j.runsAs(e.VMs[0], m.Cluster))
	case m.NodeRef != "" && !j.young(m.DeletedAt):
		e.Confidence = High
		e.verdict(NonNode, ReasonNodeRefBroken)
	default:
		j.nonNode(e, ReasonNoNode)
	}
	j.remarks(e)
}

// nonNode is converging within the grace period, and a finding after it.
func (j *judge) nonNode(e *Entity, why Reason) {
	m := &j.s.Machines[e.Machines[0]]
	switch {
	case j.young(m.DeletedAt):
		e.verdict(Converging, ReasonDeleting)
		e.WaitingFor = "its deletion"
	case m.DeletedAt == nil && j.young(m.CreatedAt) && j.progressing(e):
		e.verdict(Converging, ReasonYoung)
		e.WaitingFor = "its Node to register"
		j.noteClock(e, m.CreatedAt)
	default:
		e.Confidence = High
		e.verdict(NonNode, why)
	}
}
