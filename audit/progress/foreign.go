package progress

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// foreignPlane is for a control plane of which proxaudit reads no object: of a kind that it does not know, or one without a Machine that
// the Cluster says is initialised, as providers of infrastructure bring them along. The Cluster's word counts there, and that of the
// Machines, if there are any. It is false for all others.
func (x *walk) foreignPlane(machines []*inventory.Machine) bool {
	r := x.d.ControlPlaneRef
	switch {
	case r != nil && (r.Kind == "KubeadmControlPlane" || r.Kind == "TalosControlPlane"):
		return false
	case r == nil && (len(machines) > 0 || !x.d.ControlPlaneInitialized):
		return false
	default:
	}
	joined := 0
	for _, m := range machines {
		if done, _ := x.machine(m, planeStages); done {
			joined++
		}
	}
	what, ref := "no object that proxaudit reads", x.ref
	if r != nil {
		what, ref = "a "+r.Kind+", which proxaudit does not know", *r
	}
	if x.initialized() {
		evidence := fmt.Sprintf("initialised, by the Cluster's word: its control plane is %s", what)
		for _, id := range []PhaseID{PhaseBootstrap, PhaseHosts, PhaseControlPlane} {
			x.phase(id, Done, evidence)
		}
		if joined < len(machines) {
			x.phase(PhaseControlPlane, NotStarted, evidence, fmt.Sprintf("%d of %d control-plane Machines have their Node", joined, len(machines)))
		}
	}
	c := unmet(&x.d.Meta, "ControlPlaneInitialized", "ControlPlaneAvailable", "ControlPlaneReady")
	if x.planeHeld() || !x.d.InfrastructureReady || x.initialized() && c == nil {
		return true
	}
	b := x.hold(PhaseControlPlane, ref, CauseNotAvailable, "its control plane is %s, and the Cluster says that it is not available", what)
	if !x.initialized() {
		b.Cause, b.Detail = CauseNotInitialized, fmt.Sprintf("its control plane is %s, and the Cluster says that it is not initialised", what)
	}
	b.Holder, b.Next, b.Since = Other, "its controller goes on", latest(&x.d.Meta)
	if b.Remedy = "See the object, and the log of its controller."; c != nil {
		b.Condition, b.Since = c, c.Since
	}
	x.add(b, &x.d.Meta)
	return true
}

// planeNodes is true if a control plane is not well because its Nodes are not: they are named in its place, with what it says.
func (x *walk) planeNodes(g *inventory.Group, c *inventory.Condition) bool {
	found := false
	for _, n := range x.nodes[x.cluster.Key] {
		if n.Ready == "True" || noPlugin(n.ReadyMessage) || !x.planeNode(n) {
			continue
		}
		b := x.notReady(n)
		b.Phase = PhaseControlPlane
		b.Evidence = append(b.Evidence, fmt.Sprintf("%s %s says for that: %s is %s: %s", g.Kind, g.Name, c.Type, c.Status, c.Message))
		x.add(b, nil)
		x.held[n.Name], found = true, true
	}
	return found
}

func (x *walk) planeNode(n *inventory.Node) bool {
	for _, m := range x.planes() {
		if m.NodeRef == n.Name && m.DeletedAt == nil {
			return true
		}
	}
	return false
}
