package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// workers is the fifth phase.
func (x *walk) workers() {
	const phase = PhaseWorkers
	machines := x.others()
	wanted, joined, waiting := 0, 0, 0
	var rolling []*inventory.Group
	for _, g := range x.groups[x.cluster.Key] {
		if g.Kind != "MachineSet" && g.Kind != "MachineDeployment" {
			continue
		}
		if g.Kind == "MachineDeployment" && g.Replicas != nil {
			wanted += int(*g.Replicas)
		}
		if g.Kind == "MachineSet" && g.Owner(inventory.GroupCluster, "MachineDeployment") == nil && g.Replicas != nil {
			wanted += int(*g.Replicas)
		}
		x.group(g)
		rolling = append(rolling, g)
	}
	for _, m := range machines {
		done, waits := x.machine(m, workerStages)
		if done {
			joined++
		}
		if waits {
			waiting++
		}
	}
	for _, g := range rolling {
		if g.Kind == "MachineDeployment" && !x.has(phase) {
			x.rollout(phase, g, x.of(g, machines))
			x.scale(g)
		}
	}
	evidence := fmt.Sprintf("%d of %d worker Machines have their Node", joined, max(wanted, len(machines)))
	if wanted == 0 && len(machines) == 0 {
		evidence = "it has no workers"
	}
	state := NotStarted
	if joined >= wanted && joined == len(machines) && waiting == 0 && !x.has(phase) && x.initialized() {
		state = Done
	}
	x.phase(phase, state, evidence)
}

// group is a MachineSet or MachineDeployment that has not what it wants.
func (x *walk) group(g *inventory.Group) {
	const phase = PhaseWorkers
	own := len(x.of(g, x.others()))
	if g.DeletedAt == nil && (g.Replicas == nil || own == int(*g.Replicas)) {
		return
	}
	if !x.s.Known(inventory.ManagementSource, inventory.ScopeMachines) && g.DeletedAt == nil {
		// Which Machines it has was not seen.
		return
	}
	ref := groupRef(g)
	if b := x.pausedBy(phase, ref, &g.Meta); b != nil {
		x.add(b, &g.Meta)
		return
	}
	if g.DeletedAt != nil {
		x.deleting(phase, ref, &g.Meta)
		return
	}
	// A MachineDeployment has its Machines from its MachineSets.
	if g.Kind == "MachineDeployment" && slices.ContainsFunc(x.groups[x.cluster.Key], func(s *inventory.Group) bool {
		o := s.Owner(inventory.GroupCluster, "MachineDeployment")
		return s.Kind == "MachineSet" && o != nil && o.Name == g.Name
	}) {
		return
	}
	if !x.initialized() && own < int(*g.Replicas) {
		// Preflight checks keep it from making any before the control plane is there.
		return
	}
	if c := unmet(&g.Meta, "MachinesCreated"); c != nil {
		b, _ := x.byCondition(phase, ref, c)
		if b.Cause != CausePreflight || !x.planeHeld() || !strings.Contains(c.Message, "ControlPlaneIsStable") {
			x.add(b, &g.Meta)
		}
		return
	}
	b := x.hold(phase, ref, CauseReplicas, "it has %d of %d Machines", own, *g.Replicas)
	b.Next, b.Since = "the controller makes the missing ones", latest(&g.Meta)
	if own > int(*g.Replicas) {
		b.Next = "the controller deletes those that are too many"
	}
	x.blocked(b, g)
	if b.Cause == CausePreflight && x.planeHeld() && b.Condition != nil && strings.Contains(b.Condition.Message, "ControlPlaneIsStable") {
		// It waits for the control plane, whose turn it is.
		return
	}
	x.add(b, &g.Meta)
}

// of are the Machines of a group, by the label that its controller gives them, or by their owner.
func (x *walk) of(g *inventory.Group, machines []*inventory.Machine) []*inventory.Machine {
	var out []*inventory.Machine
	for _, m := range machines {
		o := m.Owner(inventory.GroupCluster, "MachineSet")
		if m.Namespace == g.Namespace && (m.Labels[labelOf(g.Kind)] == g.Name || g.Kind == "MachineSet" && o != nil && o.Name == g.Name) {
			out = append(out, m)
		}
	}
	return out
}

// planeHeld is true if somebody has to act on the control plane first.
func (x *walk) planeHeld() bool {
	return x.has(PhaseBootstrap) || x.has(PhaseHosts) || x.has(PhaseControlPlane)
}

func labelOf(kind string) string {
	if kind == "MachineSet" {
		return "cluster.x-k8s.io/set-name"
	}
	return "cluster.x-k8s.io/deployment-name"
}
