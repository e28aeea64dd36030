package identity

import "time"

// young is true within the grace period, and of what was made after the run by the clock of whoever made it: clocks differ,
// and such a thing is younger than anything else. A clock that is off by more than a day says nothing. Of several scans the
// earliest is the clock: what came to be between two of them is young, for one of them could not see it.
func (j *judge) young(t *time.Time) bool {
	if t == nil {
		return false
	}
	age := j.s.CollectedAt.Sub(*t)
	return age < j.opt.Grace && age > -(mostSkew+j.spread)
}

const mostSkew = 24 * time.Hour

// noteClock says why something may be young for long.
func (j *judge) noteClock(e *Entity, made *time.Time) {
	last := j.s.CollectedAt.Add(j.spread)
	if made != nil && made.Sub(last) > j.opt.Grace {
		e.Notes = append(e.Notes, "it was made "+made.Sub(last).Round(time.Minute).String()+
			" after this run by the clock of who made it: the clocks differ")
	}
}

// progressing is false if something is known to hold the controllers up, so that waiting longer is no use.
func (j *judge) progressing(e *Entity) bool {
	for _, i := range e.Machines {
		m := &j.s.Machines[i]
		if m.Paused || m.FailureReason != "" || m.FailureMessage != "" {
			return false
		}
		if c := j.clusters[m.Cluster]; c != nil && c.Declared != nil && c.Declared.Paused {
			return false
		}
	}
	for _, i := range e.ProxmoxMachines {
		pm := &j.s.ProxmoxMachines[i]
		if pm.Paused || pm.FailureReason != "" || pm.FailureMessage != "" {
			return false
		}
	}
	for i := range j.s.Providers {
		p := &j.s.Providers[i]
		if p.Desired > 0 && p.Available == 0 {
			return false
		}
	}
	return true
}
