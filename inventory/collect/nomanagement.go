package collect

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// nameManagement is what to do about a management cluster to which there is no way.
const nameManagement = "set KUBECONFIG, or name one with --kubeconfig and --context (management in proxaudit.yaml); " +
	"where there is no management cluster, say so there: management: {none: true}"

// openManagement makes the management cluster's client. Nothing is asked yet, so that an error is about this machine's
// files: a kubeconfig or context that was mistyped, or that is not there. Taken for a source that does not answer, every
// verdict would be unknown; taken for no management cluster, every managed VM without a Node would be an orphan.
func (r *run) openManagement() error {
	if r.plan.Management == nil {
		return nil
	}
	client, err := kube.Connect(r.target(*r.plan.Management))
	if err != nil {
		return fmt.Errorf("no way to the management cluster: %w\n%s", err, nameManagement)
	}
	r.client = client
	return nil
}

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
