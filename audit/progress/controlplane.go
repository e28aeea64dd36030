package progress

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// plane is the object of the control plane; nil if it was not seen, or there is none.
func (x *walk) plane() *inventory.Group {
	r := x.d.ControlPlaneRef
	if r == nil {
		return nil
	}
	for _, g := range x.groups[x.cluster.Key] {
		if g.Kind == r.Kind && g.Name == r.Name && g.Namespace == r.Namespace {
			return g
		}
	}
	return nil
}

// initialized is true once a first control plane has answered. That it is available is another matter.
func (x *walk) initialized() bool {
	if x.d.ControlPlaneInitialized {
		return true
	}
	g := x.plane()
	return g != nil && g.Initialized
}

func groupRef(g *inventory.Group) inventory.Ref {
	group := inventory.GroupCluster
	if g.Kind == "KubeadmControlPlane" || g.Kind == "TalosControlPlane" {
		group = inventory.GroupControlPlane
	}
	return inventory.Ref{Group: group, Kind: g.Kind, Namespace: g.Namespace, Name: g.Name}
}

// controlPlane is the second, third and fourth phase.
func (x *walk) controlPlane() {
	g, machines := x.plane(), x.planes()
	if x.foreignPlane(machines) || !x.planeObject(g, machines) {
		return
	}
	bootstrapped, up, joined := 0, 0, 0
	for _, m := range machines {
		if m.DataSecretName != "" {
			bootstrapped++
		}
		if m.InfrastructureReady {
			up++
		}
		if done, _ := x.machine(m, planeStages); done {
			joined++
		}
	}
	wanted := len(machines)
	if g != nil && g.Replicas != nil {
		wanted = int(*g.Replicas)
	}
	state := func(id PhaseID, done bool, evidence string) {
		s := NotStarted
		if done {
			s = Done
		}
		x.phase(id, s, evidence)
	}
	state(PhaseBootstrap, bootstrapped > 0, fmt.Sprintf("%d of %d control-plane Machines have bootstrap data", bootstrapped, wanted))
	state(PhaseHosts, up > 0, fmt.Sprintf("%d of %d control-plane VMs are up", up, wanted))
	words := "not initialised"
	if x.initialized() {
		words = "initialised"
	}
	state(PhaseControlPlane, x.initialized() && joined == wanted && joined > 0, fmt.Sprintf("%s, %d of %d control-plane Machines have their Node", words, joined, wanted))
	if g != nil && up > 0 && !x.planeHeld() {
		x.planeItself(g, joined, wanted)
	}
	if g != nil && !x.planeHeld() {
		x.rollout(PhaseControlPlane, g, machines)
	}
}

// planeObject is false if nothing of a control plane is there yet, and says why.
func (x *walk) planeObject(g *inventory.Group, machines []*inventory.Machine) bool {
	const phase = PhaseBootstrap
	ready := x.d.InfrastructureReady
	switch {
	case g == nil && x.d.ControlPlaneRef != nil:
		if ready || len(machines) > 0 {
			x.missing(phase, *x.d.ControlPlaneRef, "the Cluster names it as its control plane")
		}
		return false
	case g == nil && len(machines) == 0:
		if ready && x.s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
			b := x.hold(phase, x.ref, CauseObjectMissing, "it has neither a control plane object nor a control-plane Machine")
			b.Holder, b.Remedy = Person, "Name the control plane in spec.controlPlaneRef."
			x.add(b, &x.d.Meta)
		}
		return false
	case g == nil:
		return true
	case g.DeletedAt != nil:
		x.deleting(phase, groupRef(g), &g.Meta)
		return len(machines) > 0
	default:
	}
	if b := x.pausedBy(phase, groupRef(g), &g.Meta); b != nil && (len(machines) == 0 || !x.initialized()) {
		x.add(b, &g.Meta)
	}
	if len(machines) > 0 || !ready || x.has(phase) {
		return len(machines) > 0
	}
	if !x.s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		return false
	}
	if g.Owner(inventory.GroupCluster, "Cluster") == nil {
		b := x.hold(phase, groupRef(g), CauseOwnerMissing, "the Cluster's controller has not made the Cluster its owner, and the control-plane controller waits for that")
		b.Holder, b.Next, b.Since = Core, "the core controller looks at the Cluster", g.CreatedAt
		x.add(b, &g.Meta)
		return false
	}
	if c := unmet(&g.Meta, "CertificatesAvailable", "MachinesCreated"); c != nil {
		b, passes := x.byCondition(phase, groupRef(g), c)
		if !passes {
			x.add(b, &g.Meta)
			return false
		}
	}
	b := x.notLooked(phase, groupRef(g), &g.Meta)
	b.Detail, b.Next = "it has made no Machine yet", "the controller makes the first one"
	x.blocked(b, g)
	x.add(b, &g.Meta)
	return false
}

// blocked adds why a control plane or MachineSet makes no Machine: the newer family says it of ScalingUp, and keeps the text of an error in
// the older one's MachinesCreated.
func (x *walk) blocked(b *Baton, g *inventory.Group) {
	for _, t := range []string{"ScalingUp", "ScalingDown"} {
		if c := condition(&g.Meta, t); c != nil && c.Status == "True" {
			b.Condition, b.Since = c, c.Since
			tell(b, c.Message)
		}
	}
	if old := unmet(x.older(groupRef(g)), "MachinesCreated"); old != nil && slices.Contains(vague, b.Cause) {
		how, _ := x.byCondition(b.Phase, groupRef(g), old)
		b.Holder, b.Cause, b.Next, b.Remedy, b.Condition = how.Holder, how.Cause, how.Next, how.Remedy, old
		b.Detail += ": " + how.Detail
	}
}

// planeItself is for a control plane whose Machines all go on by themselves.
func (x *walk) planeItself(g *inventory.Group, joined, wanted int) {
	const phase = PhaseControlPlane
	if c := unmet(&x.d.Meta, "RemoteConnectionProbe"); c != nil && x.initialized() {
		x.add(x.unreachable(phase, c), &x.d.Meta)
		return
	}
	if b := x.pausedBy(phase, groupRef(g), &g.Meta); b != nil && (!x.initialized() || len(x.planes()) != wanted) {
		x.add(b, &g.Meta)
		return
	}
	broken := false
	unhealthy := unmet(&g.Meta, "EtcdClusterHealthy", "EtcdClusterHealthyCondition", "ControlPlaneComponentsHealthy", "CertificatesAvailable", "MachinesCreated")
	if c := unmet(&g.Meta, "Available", "Ready"); x.initialized() && (unhealthy != nil || c != nil) {
		broken = x.planeNodes(g, cmp.Or(unhealthy, c))
	}
	switch {
	case !x.initialized():
		b := x.hold(phase, groupRef(g), CauseNotInitialized, "its first machine has a Node, and it does not say that it is initialised")
		b.Next, b.Since = "the controller finds kubeadm's configuration in the cluster", latest(&g.Meta)
		if unhealthy != nil {
			b.Condition = unhealthy
		}
		x.add(b, &g.Meta)
	case len(x.planes()) < wanted || joined < wanted:
		b := x.hold(phase, groupRef(g), CauseReplicas, "it has %d of %d Machines", len(x.planes()), wanted)
		b.Next, b.Since = "the controller makes the next Machine once all that there are, are healthy", latest(&g.Meta)
		if x.blocked(b, g); unhealthy != nil && b.Cause == CauseReplicas {
			b.Remedy = "See the condition's message, and the Pods of etcd and the API server in the cluster's kube-system."
			b.Condition, b.Since, b.Cause = unhealthy, unhealthy.Since, CausePreflight
			tell(b, unhealthy.Message)
		}
		x.add(b, &g.Meta)
	case len(x.planes()) > wanted:
		b := x.hold(phase, groupRef(g), CauseReplicas, "it has %d Machines, and %d are wanted", len(x.planes()), wanted)
		b.Next, b.Since = "the controller deletes one", latest(&g.Meta)
		x.blocked(b, g)
		x.add(b, &g.Meta)
	case broken:
		// What is wrong with its Nodes is said, and that it is not available follows.
	default:
		x.notAvailable(g, unhealthy)
	}
}

// notAvailable: initialised and available are two things. In the older family the condition Available of a KubeadmControlPlane says that it
// is initialised (cluster-api api/controlplane/kubeadm/v1beta1: AvailableCondition).
func (x *walk) notAvailable(g *inventory.Group, unhealthy *inventory.Condition) {
	c := unmet(&g.Meta, "Available")
	if c == nil {
		c = unhealthy
	}
	if c == nil {
		return
	}
	b, passes := x.byCondition(PhaseControlPlane, groupRef(g), c)
	if passes || b.Cause == CauseCondition {
		b.Cause = CauseNotAvailable
		b.Detail = "it is initialised, and not available"
		if c.Type != "Available" {
			b.Detail = fmt.Sprintf("it is initialised, and %s is %s", c.Type, c.Status)
		}
		if c.Message != "" {
			b.Detail += ": " + c.Message
		}
		b.Next = "the controller finds it available"
		b.Remedy = "See the condition's message, and the Pods of etcd and the API server in the cluster's kube-system."
		tell(b, c.Message)
	}
	x.states[PhaseControlPlane].Evidence = append(x.states[PhaseControlPlane].Evidence, "initialised, and not all of it is well")
	x.add(b, &g.Meta)
}
