package progress

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// waiter is something that waits for another object, by its own word.
type waiter struct {
	baton *Baton
	meta  *inventory.Meta
}

// waits remembers one.
func (x *walk) waits(b *Baton, meta *inventory.Meta, m *inventory.Machine) {
	b.About = m.Name
	x.waiting = append(x.waiting, waiter{b, meta})
}

// leftWaiting is for those who say that they wait for what is done already: nobody else's turn it is, but their own controllers'.
func (x *walk) leftWaiting() {
	if x.has(PhaseInfrastructure) || x.planeHeld() || !x.d.InfrastructureReady {
		return
	}
	for _, w := range x.waiting {
		b := w.baton
		if c := b.Condition; b.Cause == CauseCondition && c != nil && c.Message != "" {
			b.Detail = "it says: " + c.Message
		}
		b.Cause, b.Holder = CauseNotLooked, holderOf(b.Object.Kind)
		b.Detail += ", and nobody is left for whom it could wait: its controller has not looked again"
		b.Next, b.Remedy = "the controller looks at it again", "See the controller's log."
		x.add(b, w.meta)
	}
}

// sums are for a cluster in which nobody was found to wait: what its objects say of themselves as a whole has the last word, from the
// Machines up, unless it is known that not all was seen. What is not understood is printed, and not interpreted.
func (x *walk) sums() {
	if len(x.batons) > 0 || len(x.unseen) > 0 {
		return
	}
	for _, m := range x.machines[x.cluster.Key] {
		at := workerStages
		if m.ControlPlane {
			at = planeStages
		}
		before := len(x.batons)
		if pm := x.infra[keyOf(*orRef(m.InfrastructureRef))]; pm != nil {
			x.sum(at.host, *m.InfrastructureRef, &pm.Meta, "VirtualMachineProvisioned", "VMProvisioned", "Ready")
		}
		if len(x.batons) > before {
			x.batons[before].About = m.Name
			continue
		}
		x.sum(at.node, machineRef(m), &m.Meta, "OwnerRemediated", "HealthCheckSucceeded", "InfrastructureReady", "BootstrapConfigReady", "BootstrapReady", "NodeHealthy", "NodeReady", "Ready")
		for _, b := range x.batons[before:] {
			b.About = m.Name
		}
	}
	if len(x.batons) > 0 {
		return
	}
	for _, g := range x.groups[x.cluster.Key] {
		phase := PhaseWorkers
		if groupRef(g).Group == inventory.GroupControlPlane {
			phase = PhaseControlPlane
		}
		x.sum(phase, groupRef(g), &g.Meta, "Available", "MachinesReady", "Ready")
	}
	if len(x.batons) > 0 {
		return
	}
	if c := unmet(&x.d.Meta, "RemoteConnectionProbe"); c != nil && x.initialized() {
		x.add(x.unreachable(PhaseControlPlane, c), &x.d.Meta)
		return
	}
	plane, whole := []string{"ControlPlaneInitialized", "ControlPlaneAvailable", "ControlPlaneReady"}, []string{"WorkersAvailable", "Available", "Ready"}
	if x.d.ControlPlaneRef == nil {
		// Of a Cluster that names no control plane, the core controller never knows whether that is available (core/reconcilers/cluster:
		// setControlPlaneAvailableCondition), nor, therefore, whether the Cluster is.
		plane, whole = plane[:1], whole[:1]
	}
	for _, s := range []struct {
		phase PhaseID
		types []string
	}{
		{PhaseInfrastructure, []string{"TopologyReconciled", "InfrastructureReady"}},
		{PhaseControlPlane, plane},
		{PhaseWorkers, whole},
	} {
		if x.sum(s.phase, x.ref, &x.d.Meta, s.types...); len(x.batons) > 0 {
			return
		}
	}
	x.undone()
}

// sum is one object's word about itself.
func (x *walk) sum(phase PhaseID, ref inventory.Ref, m *inventory.Meta, types ...string) {
	c := unmet(m, types...)
	if c == nil {
		return
	}
	b, _ := x.byCondition(phase, ref, c)
	if b.Cause == CauseCondition && b.Next == "" {
		b.Next, b.Remedy = "its controller finds it well", "See the condition's message: proxaudit found nothing else that is wrong."
	}
	x.add(b, m)
}

// undone is for a phase that has not all that it wants, and of which nothing says why.
func (x *walk) undone() {
	for _, id := range phases {
		p := x.states[id]
		if p == nil || p.State == Done {
			continue
		}
		b := x.hold(id, x.ref, CauseCondition, "not all of it is done, and nothing says why")
		b.Holder, b.Evidence, b.Since, b.Next = Other, p.Evidence, latest(&x.d.Meta), "its controllers go on"
		b.Remedy = fmt.Sprintf("Compare what the phase %q has with what is wanted.", p.Title)
		x.add(b, &x.d.Meta)
		return
	}
}
