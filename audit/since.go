package audit

import (
	"strconv"
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// since is when the subject came to be: the VM's ctime if it has a VM, else the declared object's or Node's creation. Its age
// is measured by the clock of the scan that saw it.
func (r *result) since(e *identity.Entity) (*time.Time, *int64) {
	var at *time.Time
	source := inventory.ManagementSource
	switch {
	case len(e.VMs) > 0 && r.s.VMs[e.VMs[0]].Config != nil:
		source = inventory.SiteSource(r.s.VMs[e.VMs[0]].Site)
		at = r.s.VMs[e.VMs[0]].Config.CreatedAt
	case len(e.Machines) > 0:
		at = r.s.Machines[e.Machines[0]].CreatedAt
	case len(e.ProxmoxMachines) > 0:
		at = r.s.ProxmoxMachines[e.ProxmoxMachines[0]].CreatedAt
	case len(e.Nodes) > 0:
		source = inventory.ClusterSource(r.s.Nodes[e.Nodes[0]].Cluster)
		at = r.s.Nodes[e.Nodes[0]].CreatedAt
	}
	if at == nil {
		return nil, nil
	}
	utc := at.UTC()
	age := int64(r.s.ReadAt(source).Sub(utc) / time.Second)
	return &utc, &age
}

// status is the VM's, else the Machine's phase, else the Node's readiness.
func (r *result) status(e *identity.Entity) string {
	switch {
	case len(e.VMs) > 0:
		return r.s.VMs[e.VMs[0]].Status
	case len(e.Machines) > 0:
		return r.s.Machines[e.Machines[0]].Phase
	case len(e.ProxmoxMachines) > 0:
		return r.s.ProxmoxMachines[e.ProxmoxMachines[0]].VMStatus
	case len(e.Nodes) > 0:
		return readiness(&r.s.Nodes[e.Nodes[0]])
	default:
		return ""
	}
}

// readiness is what kubectl shows in its STATUS column.
func readiness(n *inventory.Node) string {
	if n.Ready == "True" {
		return "Ready"
	}
	return "NotReady"
}

func rivalRef(s inventory.Subject) SubjectRef {
	ref := SubjectRef{Kind: s.Kind, ID: s.String(), Name: s.Name}
	switch s.Kind {
	case inventory.SubjectVM:
		ref.Site, ref.Name = s.Scope, ""
		// ParseSubject has refused any VMID that is no number before it became a Subject.
		ref.VMID, _ = strconv.Atoi(s.Name)
	case inventory.SubjectNode:
		ref.Cluster = s.Scope
	default:
		ref.Namespace = s.Scope
	}
	return ref
}
