package identity

import "github.com/proxaudit/proxaudit/inventory"

// detached: a ProxmoxMachine that no Machine owns.
func (j *judge) detached(e *Entity) {
	pm := &j.s.ProxmoxMachines[e.ProxmoxMachines[0]]
	switch {
	case len(j.declaredGaps) > 0:
		e.unknown(ReasonNotSeen, j.declaredGaps...)
	case len(e.VMs) > 0 && j.s.VMs[e.VMs[0]].Config == nil:
		// The VM may be another's: its UUID would tell.
		e.unknown(ReasonUnverifiable, configNeed(j.index, &j.s.VMs[e.VMs[0]]))
	case len(e.VMs) > 0 && len(j.weakGaps(e)) > 0:
		e.unknown(ReasonUnverifiable, j.weakGaps(e)...)
	case j.young(pm.CreatedAt) && pm.DeletedAt == nil, j.young(pm.DeletedAt):
		e.verdict(Converging, ReasonYoung)
		e.WaitingFor = "a Machine to take it, or its deletion"
	default:
		e.Confidence = High
		e.verdict(DetachedInfra, ReasonNoOwner)
		j.tellDetached(e, pm)
	}
	j.remarks(e)
}

// tellDetached says which Machine is not there, and what stands at the VMID: whether anything would be destroyed with a
// ProxmoxMachine is what whoever deletes it has to know.
func (j *judge) tellDetached(e *Entity, pm *inventory.ProxmoxMachine) {
	from := proxmoxMachineSubject(pm)
	owner := Evidence{Kind: KindOwnerRef, From: from, Note: "no ownerReference names a Machine"}
	if o := pm.Owner(inventory.GroupCluster, "Machine"); o != nil {
		owner.Left, owner.Note = o.Name, "there is no such Machine"
	}
	e.added = append(e.added, owner)
	for _, n := range e.Nodes {
		if node := &j.s.Nodes[n]; node.Ready == "True" {
			e.Reason = ReasonNoOwnerOfNode
			e.added = append(e.added, Evidence{Kind: KindState, Against: true, From: nodeSubject(node), Left: "Ready=True",
				Note: "its VM is a Node that runs: deleting the ProxmoxMachine would destroy it"})
		}
	}
	if c := j.clusters[pm.Cluster]; pm.Paused || c != nil && c.Declared != nil && c.Declared.Paused {
		e.Notes = append(e.Notes, "it is paused: a clusterctl move or a restore may be under way")
	}
	if pm.VMID == nil {
		e.added = append(e.added, Evidence{Kind: KindState, From: from, Note: "it sets no virtualMachineID: no VM was cloned for it, or its status was lost"})
		return
	}
	if len(e.VMs) > 0 {
		return
	}
	p := j.whereabouts(from, j.atHomeOf(e, j.pmAddresses[e.ProxmoxMachines[0]]))
	e.added = append(e.added, p.evidence...)
	if len(p.evidence) == 0 && len(p.missing) > 0 {
		e.added = append(e.added, Evidence{Kind: KindVMID, Against: true, From: from, Left: itoa(*pm.VMID),
			Note: "what is at this VMID was not seen: deleting the object may destroy it"})
	}
}
