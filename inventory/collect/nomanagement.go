package collect

import "github.com/proxaudit/proxaudit/inventory"

// refuseNoManagement is for a management cluster that somebody named: if it serves no Cluster API, the wrong one was named,
// and that it has no Machines is no answer. Taken for one, every managed VM without a Node would be an orphan.
func refuseNoManagement(s *inventory.Snapshot) {
	clusters := s.CoverageOf(inventory.ManagementSource, inventory.ScopeClusters)
	if clusters == nil || clusters.State != inventory.Absent {
		return
	}
	for i := range s.Coverage {
		c := &s.Coverage[i]
		switch c.Scope {
		case inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines:
		default:
			continue
		}
		if c.Source == inventory.ManagementSource && c.State == inventory.Absent {
			c.State, c.Asked, c.Failed, c.Optional = inventory.Failed, 1, 1, false
			c.Reason = "this API server does not serve Cluster API: it is no management cluster"
			c.Remedy = "name the right context (management.context in proxaudit.yaml), or say management.none: true"
		}
	}
}
