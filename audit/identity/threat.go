package identity

import "github.com/proxaudit/proxaudit/inventory"

// tellThreatened lets a VM know that another machine's conflict is about it: who asks about the VM has to hear that deleting
// the other would destroy it.
func (j *judge) tellThreatened() {
	by := map[inventory.Subject][]*Entity{}
	for i := range j.g.Entities {
		e := &j.g.Entities[i]
		if e.Class != Conflict {
			continue
		}
		for _, r := range e.Rivals {
			if r.Kind == inventory.SubjectVM {
				by[r] = append(by[r], e)
			}
		}
	}
	if len(by) == 0 {
		return
	}
	for i := range j.s.VMs {
		e := &j.g.Entities[j.g.byVM[i]]
		for _, other := range by[inventory.VMSubject(j.s.VMs[i].Key())] {
			if other == e || e.Class == Conflict {
				continue
			}
			from := j.subjectOf(j.rootOf(other))
			e.Rivals = append(e.Rivals, from)
			note := from.String() + " claims this VM too"
			if other.Reason == ReasonRecycledVMID && len(other.ProxmoxMachines) > 0 {
				note = from.String() + " names this VMID: deleting that would destroy this guest"
			}
			e.Notes = append(e.Notes, note)
		}
	}
}
