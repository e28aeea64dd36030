package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// presence is what is known about a VM that no list shows.
type presence struct {
	// gone is true only if Proxmox itself says that every address where the VM could lie is free.
	gone bool
	// hidden is true if Proxmox says that the VMID is taken and the list does not show by whom.
	hidden   bool
	evidence []Evidence
	missing  []inventory.Need
}

// whereabouts asks the probes about addresses at which no fitting guest was seen.
func (j *judge) whereabouts(from inventory.Subject, addresses []addressClaim) presence {
	p := presence{gone: len(addresses) > 0}
	for _, a := range addresses {
		p.missing = append(p.missing, j.guestsMissing(a.key.Site)...)
		if len(j.guestsMissing(a.key.Site)) > 0 {
			p.gone = false
		}
		pr := j.probes[a.key]
		ev := Evidence{Kind: KindProbe, From: from, To: inventory.VMSubject(a.key), Left: itoa(a.key.VMID)}
		if a.raw != ev.Left {
			ev.Note = "the VMID in " + a.raw
		}
		switch {
		case len(j.at(a.key)) > 0:
			// Somebody is listed there, who is not this machine (else it would be linked): see recycled.
			p.gone = false
		case pr == nil || pr.Existence == inventory.ExistenceUnknown:
			p.gone = false
			p.missing = append(p.missing, need(inventory.SiteSource(a.key.Site), inventory.ScopeProbes))
		case pr.Existence == inventory.Exists:
			p.gone, p.hidden = false, true
			ev.Right, ev.Against = string(pr.Existence), true
			ev.Note = "Proxmox says that this VMID is taken, by a guest that the token may not see"
			p.evidence = append(p.evidence, ev)
			p.missing = append(p.missing, need(inventory.SiteSource(a.key.Site), inventory.ScopeGuests))
		default:
			ev.Right, ev.Strength = string(pr.Existence), Strong
			p.evidence = append(p.evidence, ev)
		}
	}
	return p
}

// noVM: something is declared, and no VM was seen for it.
func (j *judge) noVM(e *Entity) {
	defer j.remarks(e)
	if len(e.Machines) == 0 {
		j.detached(e)
		return
	}
	m := e.Machines[0]
	mach := &j.s.Machines[m]
	if ref := mach.InfrastructureRef; ref != nil && ref.Kind != "" && ref.Kind != "ProxmoxMachine" {
		e.verdict(Unrelated, ReasonOtherProvider)
		return
	}
	if len(e.ProxmoxMachines) == 0 && !j.known(inventory.ManagementSource, inventory.ScopeProxmoxMachines) {
		e.unknown(ReasonNotSeen, need(inventory.ManagementSource, inventory.ScopeProxmoxMachines))
		return
	}
	if j.torn(e) {
		e.unknown(ReasonAmbiguous)
		return
	}
	var addresses []addressClaim
	if len(e.ProxmoxMachines) > 0 {
		addresses = j.atHomeOf(e, j.pmAddresses[e.ProxmoxMachines[0]])
	}
	uuid := j.machineUUID(m)
	vmidSet := len(e.ProxmoxMachines) > 0 && j.s.ProxmoxMachines[e.ProxmoxMachines[0]].VMID != nil
	switch {
	case vmidSet && len(addresses) == 0:
		// There is a VMID and no site was scanned.
		e.unknown(ReasonNotSeen, inventory.AnySite)
	case vmidSet:
		j.goneOrNot(e, mach, j.whereabouts(machineSubject(mach), addresses))
	case uuid != "":
		// A UUID cannot be asked for: only a VMID can be probed.
		e.unknown(ReasonUnverifiable, j.uuidGaps...)
	case len(e.Nodes) > 0:
		e.unknown(ReasonUnverifiable, j.uuidGaps...)
	case len(j.s.Sites) == 0:
		e.unknown(ReasonNotSeen, inventory.AnySite)
	case !j.nodesRead(j.nodesKey(mach.Cluster)):
		// Its Node may have joined, however its infrastructure came to be.
		e.unknown(ReasonNotSeen, nodesNeed([]string{mach.Cluster})...)
	case len(j.nameGaps) > 0:
		e.unknown(ReasonNotSeen, j.nameGaps...)
	case j.wasMade(e) && len(j.uuidGaps) > 0:
		// An address in a configuration that was not read could lead to its VM.
		e.unknown(ReasonNotSeen, j.uuidGaps...)
	case mach.NodeRef != "":
		j.nonNode(e, ReasonNodeRefBroken)
	default:
		j.nonNode(e, ReasonNeverProvided)
	}
}

// wasMade is true if a declaration without a VMID or UUID shows that there was a machine once.
func (j *judge) wasMade(e *Entity) bool {
	for _, i := range e.Machines {
		if m := &j.s.Machines[i]; m.NodeRef != "" || len(m.Addresses) > 0 {
			return true
		}
	}
	for _, i := range e.ProxmoxMachines {
		if pm := &j.s.ProxmoxMachines[i]; len(pm.Addresses)+len(pm.MACs) > 0 {
			return true
		}
	}
	return false
}

// torn is true if one of an entity's objects may be one VM and may be another.
func (j *judge) torn(e *Entity) bool {
	found := false
	j.eachResolution(e, func(r *resolution) {
		found = found || (r.vm < 0 && (len(r.rivals) > 0 || len(r.blank) > 0))
	})
	return found || j.undecided[j.rootOf(e)]
}

// rootOf is the id by which the builder knows an entity that has no VM.
func (j *judge) rootOf(e *Entity) int {
	switch {
	case len(e.ProxmoxMachines) > 0:
		return j.pmID(e.ProxmoxMachines[0])
	case len(e.Machines) > 0:
		return j.machineID(e.Machines[0])
	default:
		return j.nodeID(e.Nodes[0])
	}
}

// goneOrNot: a Machine whose VM no list shows.
func (j *judge) goneOrNot(e *Entity, mach *inventory.Machine, p presence) {
	switch {
	case !j.surelyGone(e, p):
	case j.young(mach.DeletedAt):
		e.verdict(Converging, ReasonDeleting)
		e.WaitingFor = "its deletion"
	default:
		e.Confidence = j.howSure(e)
		e.verdict(GhostMachine, ReasonVMGone)
		if mach.DeletedAt != nil {
			e.Reason = ReasonStuckDeleting
		}
	}
}

// surelyGone is true if nothing is left that could still show an entity's VM, or where it may be. Else the verdict is unknown,
// and says why.
func (j *judge) surelyGone(e *Entity, p presence) bool {
	e.added = append(e.added, p.evidence...)
	nodes := j.nodesKey(e.Cluster)
	// A restored machine may run under another VMID: its UUID would show that. A Node that is Ready would say that it runs
	// somewhere, and a Machine that it has a VM.
	beside := slices.Clone(j.uuidGaps)
	if !j.nodesRead(nodes) {
		beside = append(beside, nodesNeed([]string{e.Cluster})...)
	}
	if j.declarationUnseen(e) {
		beside = append(beside, j.declaredGaps...)
	}
	switch {
	case p.hidden:
		e.unknown(ReasonHidden, p.missing...)
	case j.alive(e):
		j.runsSomewhere(e, slices.Concat(p.missing, j.uuidGaps))
	case !p.gone && j.nodeUnseen(e, -1):
		e.unknown(ReasonNotSeen, append(p.missing, nodesNeed([]string{e.Cluster})...)...)
	case !p.gone && len(p.missing) == 0:
		// Another guest has the VMID in one of the sites where it may lie, and it is free in another.
		e.unknown(ReasonAmbiguous)
	case !p.gone:
		e.unknown(ReasonNotSeen, p.missing...)
	case len(beside) > 0:
		e.unknown(ReasonNotSeen, beside...)
	case !j.homeScanned(e), j.reachesBeyond(e):
		j.siteUnknown(e)
	default:
		return true
	}
	return false
}

// runsSomewhere: a machine runs that was not found. Where not all was seen, what is missing may have it.
func (j *judge) runsSomewhere(e *Entity, missing []inventory.Need) {
	reason := ReasonAlive
	if len(missing) > 0 {
		reason = ReasonNotSeen
	}
	e.unknown(reason, missing...)
}

// alive is true if a Node of the entity says that it is Ready: then its machine runs, wherever it is.
func (j *judge) alive(e *Entity) bool {
	for _, n := range e.Nodes {
		if node := &j.s.Nodes[n]; node.Ready == "True" {
			e.added = append(e.added, Evidence{Kind: KindState, Against: true, From: nodeSubject(node),
				Left: "Ready=True", Note: "the Node reports Ready, so a machine runs somewhere"})
			return true
		}
	}
	return false
}
