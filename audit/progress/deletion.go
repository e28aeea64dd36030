package progress

import (
	"maps"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// deletion is a cluster that is being deleted: first its workers, then the control plane, then the infrastructure (cluster-api
// core/reconcilers/cluster: reconcileDelete).
func (x *walk) deletion() {
	const phase = PhaseDeletion
	x.phase(phase, NotStarted)
	for _, list := range [][]*inventory.Machine{x.others(), x.planes()} {
		for _, m := range list {
			if m.DeletedAt != nil {
				x.deleting(phase, machineRef(m), &m.Meta)
			}
		}
		if x.has(phase) {
			return
		}
	}
	for _, g := range x.groups[x.cluster.Key] {
		if g.DeletedAt != nil {
			x.deleting(phase, groupRef(g), &g.Meta)
		}
	}
	if x.has(phase) {
		return
	}
	if !x.s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		x.notSeen(phase, x.ref, needOf("Machine", inventory.GroupCluster), "it is being deleted, and its Machines were not seen: any of them may hold it")
		return
	}
	if pc := x.d.Infrastructure; pc != nil && pc.DeletedAt != nil {
		x.deleting(phase, *orRef(x.d.InfrastructureRef), &pc.Meta)
		return
	}
	x.deleting(phase, x.ref, &x.d.Meta)
}

// deleting is an object with a deletionTimestamp: what its controller says of that, or else who has to take its finalizers off.
func (x *walk) deleting(phase PhaseID, ref inventory.Ref, m *inventory.Meta) {
	if b := x.pausedBy(phase, ref, m); b != nil {
		b.Detail = "it is being deleted, and paused: nothing takes its finalizers off"
		x.add(b, m)
		return
	}
	b := x.hold(phase, ref, CauseFinalizer, "it is being deleted")
	b.Since, b.Next = m.DeletedAt, "its controller takes its finalizers off"
	for _, f := range m.Finalizers {
		b.Evidence = append(b.Evidence, "finalizer "+f)
		if h := finalizerOf(f); h == Other {
			b.Holder, b.Detail, b.Next = Person, "it is being deleted, and the finalizer "+f+" is none of Cluster API's: whoever set it has to take it off", ""
			b.Remedy = "Find out whose it is, and why that one does not take it off. Taking it off by hand leaves undone what it stands for."
		}
	}
	// The newer family has one condition, the older one each for draining and hooks.
	c := condition(m, "Deleting")
	if c == nil || c.Status != "True" {
		c = unmet(m, "PreDrainDeleteHookSucceeded", "DrainingSucceeded", "VolumeDetachSucceeded", "PreTerminateDeleteHookSucceeded", "VirtualMachineProvisioned", "VMProvisioned")
	}
	// The older family has none for what comes after those.
	if c == nil && ref.Kind == "Machine" && x.deletedInfra(phase, ref) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.Annotations)) {
		if ref.Kind == "Machine" && strings.Contains(name, ".delete.hook.machine.cluster.x-k8s.io") {
			b.Evidence = append(b.Evidence, "hook "+name)
		}
	}
	if c != nil {
		b.Condition = c
		if means, known := meaningOf(ref.Kind, c); known {
			b.Cause, b.Detail, b.Next, b.Remedy = means.cause, means.says, means.next, means.remedy
			if means.holder != "" {
				b.Holder = means.holder
			}
			if hooks := hooksOf(m, c); b.Cause == CauseHook && hooks != "" {
				b.Detail += ": " + hooks
			}
			if means.passes && ref.Kind == "Machine" {
				if x.deletedInfra(phase, ref) {
					return
				}
			}
		}
		tell(b, c.Message)
	}
	x.add(b, m)
}

// hooksOf are the hooks that a Machine waits for, by the names that those who set them gave them. The older family has a condition for each
// of both kinds, the newer a reason.
func hooksOf(m *inventory.Meta, c *inventory.Condition) string {
	kind := "pre-drain"
	if strings.Contains(c.Type+c.Reason, "PreTerminate") {
		kind = "pre-terminate"
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.Annotations)) {
		if hook, ok := strings.CutPrefix(name, kind+".delete.hook.machine.cluster.x-k8s.io/"); ok {
			out = append(out, hook)
		}
	}
	return strings.Join(out, ", ")
}

// deletedInfra goes on with the ProxmoxMachine of a Machine that waits for it to go.
func (x *walk) deletedInfra(phase PhaseID, ref inventory.Ref) bool {
	for _, mm := range x.machines[x.cluster.Key] {
		if mm.Name != ref.Name || mm.Namespace != ref.Namespace || mm.InfrastructureRef == nil {
			continue
		}
		pm := x.infra[keyOf(*mm.InfrastructureRef)]
		if pm == nil && mm.InfrastructureRef.Kind == "ProxmoxMachine" && !x.known("ProxmoxMachine", inventory.GroupInfrastructure) {
			x.notSeen(phase, ref, needOf("ProxmoxMachine", inventory.GroupInfrastructure), "it is being deleted, and its ProxmoxMachine was not seen")
			return true
		}
		if pm == nil || pm.DeletedAt == nil {
			return false
		}
		x.deleting(phase, *mm.InfrastructureRef, &pm.Meta)
		return true
	}
	return false
}

// finalizerOf is whose controller takes a finalizer off, by its domain.
func finalizerOf(f string) Holder {
	domain, _, _ := strings.Cut(f, "/")
	switch {
	case strings.Contains(domain, "infrastructure.cluster.x-k8s.io"):
		return Infrastructure
	case strings.Contains(domain, "controlplane.cluster.x-k8s.io"):
		return ControlPlane
	case strings.Contains(domain, "ipam.cluster.x-k8s.io"):
		return IPAM
	case strings.Contains(domain, "cluster.x-k8s.io") || f == "foregroundDeletion" || f == "orphan":
		return Core
	default:
		return Other
	}
}
