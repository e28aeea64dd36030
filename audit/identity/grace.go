package identity

import "time"

// young is true within the grace period. A time in the future (clocks differ) counts by its distance.
func (j *judge) young(t *time.Time) bool {
	return t != nil && j.s.CollectedAt.Sub(*t).Abs() < j.opt.Grace
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
