package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// mayBeCopy decides where the VM with the right UUID may be a copy, and the original was not seen: a restore without
// --unique and a remote migration leave a second VM with the same UUID, stopped as a rule. As long as all configurations
// are read the two are a conflict; with the original unread its copy would pass for it.
func (j *judge) mayBeCopy(e *Entity) bool {
	if len(e.VMs) != 1 {
		return false
	}
	vm := e.VMs[0]
	var missing []inventory.Need
	j.eachResolution(e, func(r *resolution) {
		for _, other := range r.unverified {
			// The same VMID on another site is a coincidence.
			named := &j.s.VMs[other]
			if r.vm == vm && r.strength == Proof && named.VMID != j.s.VMs[vm].VMID && named.Config == nil {
				missing = append(missing, configNeed(j.index, &j.s.VMs[other]))
			}
		}
	})
	for _, i := range e.ProxmoxMachines {
		if j.pms[i].vm == vm && j.pms[i].strength == Proof {
			missing = append(missing, j.namedInstead(i, vm)...)
		}
	}
	if j.s.VMs[vm].Status == "stopped" && slices.ContainsFunc(e.Nodes, func(n int) bool { return j.s.Nodes[n].Ready == "True" }) {
		missing = append(missing, j.uuidGaps...)
	}
	if len(missing) == 0 {
		return false
	}
	e.added = append(e.added, Evidence{Kind: KindState, Against: true, From: inventory.VMSubject(j.s.VMs[vm].Key()),
		Left: j.s.VMs[vm].Status, Note: "it may be a copy with the same UUID: the VM that it would be a copy of was not seen"})
	e.unknown(ReasonUnverifiable, missing...)
	j.remarks(e)
	return true
}

// namedInstead is what was not seen of the VMID that a ProxmoxMachine names, if that is another than its VM's: the original
// may be there.
func (j *judge) namedInstead(pm, vm int) []inventory.Need {
	id := j.s.ProxmoxMachines[pm].VMID
	if id == nil || *id == j.s.VMs[vm].VMID {
		return nil
	}
	var missing []inventory.Need
	for _, a := range j.pmAddresses[pm] {
		if p := j.probes[a.key]; len(j.at(a.key)) == 0 && (p == nil || p.Existence != inventory.Free) {
			missing = append(missing, need(inventory.SiteSource(a.key.Site), inventory.ScopeGuests))
		}
	}
	return missing
}
