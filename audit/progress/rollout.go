package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/inventory"
)

// rollout is for a control plane or MachineDeployment that replaces machines which are not as it wants them, and of which no machine holds
// it up: it is the group's own turn. It moves as long as machines come and go.
func (x *walk) rollout(phase PhaseID, g *inventory.Group, machines []*inventory.Machine) {
	old, why := x.outdated(g, machines)
	if len(old) == 0 {
		return
	}
	ref := groupRef(g)
	if g.Kind != "KubeadmControlPlane" && x.strategy(ref) == "OnDelete" {
		x.notes = append(x.notes, fmt.Sprintf("%s %s replaces a Machine only once somebody deletes it (OnDelete): %d are not up to date", g.Kind, g.Name, len(old)))
		return
	}
	if b := x.pausedBy(phase, ref, &g.Meta); b != nil {
		b.Detail += fmt.Sprintf(", and %d of its Machines are not up to date", len(old))
		x.add(b, &g.Meta)
		return
	}
	for _, m := range old {
		if c := condition(&m.Meta, "Updating"); c != nil && c.Status == "True" {
			x.updating(phase, m, c)
		}
	}
	if x.has(phase) {
		return
	}
	b := x.hold(phase, ref, CauseRollout, "it rolls out a change: up to %d of its %d Machines are not up to date", len(old), len(machines))
	if len(why) > 0 {
		b.Detail = fmt.Sprintf("it rolls out a change: %d of its %d Machines are not up to date", len(old), len(machines))
	}
	b.Next, b.Remedy = "the controller replaces the next Machine", "See the condition's message, and the controller's log: it replaces no Machine before the others are healthy."
	b.Evidence = why
	if c := condition(&g.Meta, "RollingOut"); c != nil && c.Status == "True" {
		b.Condition = c
	} else if c := unmet(&g.Meta, "MachinesSpecUpToDate"); c != nil {
		b.Condition = c
	}
	for _, m := range machines {
		// What the control-plane controller looks at before it goes on (controlplane/kubeadm: preflightChecks).
		if c := unmet(&m.Meta, "APIServerPodHealthy", "ControllerManagerPodHealthy", "SchedulerPodHealthy", "EtcdPodHealthy", "EtcdMemberHealthy", "NodeHealthy"); c != nil {
			b.Evidence = append(b.Evidence, fmt.Sprintf("Machine %s: %s is %s: %s", m.Name, c.Type, c.Status, c.Message))
		}
	}
	b.Since = x.moved(g, machines)
	x.add(b, &g.Meta)
}

// updating is a Machine that is changed in place, by an extension's word.
func (x *walk) updating(phase PhaseID, m *inventory.Machine, c *inventory.Condition) {
	b := x.hold(phase, machineRef(m), CauseRollout, "it is updated in place")
	b.About, b.Condition, b.Since, b.Next = m.Name, c, c.Since, "the extension that updates it ends"
	b.Remedy = "See the condition's message, and the extension's own log (ExtensionConfig)."
	if c.Reason == "InPlaceUpdateFailed" {
		b.Detail, b.Next, b.Holder = "its update in place failed", "", Person
	}
	x.add(b, &m.Meta)
}

// outdated are the Machines of a group that it will replace, and what that is known by. The newer family says it of each Machine; in the
// older one a control plane says that there are some, and a MachineDeployment's old MachineSets have them.
func (x *walk) outdated(g *inventory.Group, machines []*inventory.Machine) (old []*inventory.Machine, why []string) {
	said := false
	for _, m := range machines {
		c := condition(&m.Meta, "UpToDate")
		if c == nil {
			continue
		}
		said = true
		if c.Status == "False" && m.DeletedAt == nil {
			old = append(old, m)
			why = append(why, fmt.Sprintf("Machine %s is not up to date: %s", m.Name, strings.Join(strings.Fields(c.Message), " ")))
		}
	}
	if said {
		return old, why
	}
	if c := condition(&g.Meta, "MachinesSpecUpToDate"); c != nil && c.Status == "False" {
		for _, m := range machines {
			if m.DeletedAt == nil && m.Version != g.Version {
				old = append(old, m)
			}
		}
		if len(old) == 0 {
			// Which they are nobody says.
			old = machines
		}
		return old, nil
	}
	if g.Kind != "MachineDeployment" {
		return nil, nil
	}
	newest, sets := 0, map[string]int{}
	for _, s := range x.groups[x.cluster.Key] {
		o := s.Owner(inventory.GroupCluster, "MachineDeployment")
		n, err := strconv.Atoi(s.Annotations[annotationRevision])
		if s.Kind == "MachineSet" && o != nil && o.Name == g.Name && err == nil {
			sets[s.Name] = n
			newest = max(newest, n)
		}
	}
	for _, m := range machines {
		o := m.Owner(inventory.GroupCluster, "MachineSet")
		if o == nil || m.DeletedAt != nil {
			continue
		}
		if n, ok := sets[o.Name]; ok && n < newest {
			old = append(old, m)
			why = append(why, fmt.Sprintf("Machine %s is of the older MachineSet %s", m.Name, o.Name))
		}
	}
	return old, why
}

// annotationRevision counts a MachineDeployment's MachineSets (cluster-api api/core: RevisionAnnotation).
const annotationRevision = "machinedeployment.clusters.x-k8s.io/revision"

// moved is when something of a rollout happened last: it began, or a machine came or became ready.
func (x *walk) moved(g *inventory.Group, machines []*inventory.Machine) *time.Time {
	var out *time.Time
	see := func(at *time.Time) {
		if at = x.past(at); at != nil && (out == nil || at.After(*out)) {
			out = at
		}
	}
	for _, t := range []string{"RollingOut", "MachinesSpecUpToDate", "ScalingUp", "ScalingDown", "Resized"} {
		if c := condition(&g.Meta, t); c != nil {
			see(c.Since)
		}
	}
	for _, m := range machines {
		see(m.CreatedAt)
		for _, t := range []string{"Ready", "UpToDate"} {
			if c := condition(&m.Meta, t); c != nil {
				see(c.Since)
			}
		}
	}
	return out
}

// strategy is a group's way to roll out: v1beta2 has it below spec.rollout, v1beta1 in spec, Talos in spec.rolloutStrategy.
func (x *walk) strategy(r inventory.Ref) string {
	o := x.objects[keyOf(r)]
	if o == nil {
		return ""
	}
	for _, path := range [][]string{{"spec", "rollout", "strategy", "type"}, {"spec", "strategy", "type"}, {"spec", "rolloutStrategy", "type"}} {
		if s, found, err := unstructured.NestedString(o.Content, path...); err == nil && found {
			return s
		}
	}
	return ""
}

// scale is for a MachineDeployment that has not told its MachineSets how many Machines it wants.
func (x *walk) scale(g *inventory.Group) {
	const phase = PhaseWorkers
	// A change that its controller has not looked at yet is one for unobserved.
	if g.Replicas == nil || g.DeletedAt != nil || unobserved(&g.Meta) || x.has(phase) || !x.known("MachineSet", inventory.GroupCluster) {
		return
	}
	sum, sets := 0, 0
	for _, s := range x.groups[x.cluster.Key] {
		if o := s.Owner(inventory.GroupCluster, "MachineDeployment"); s.Kind == "MachineSet" && o != nil && o.Name == g.Name && s.Replicas != nil {
			sum, sets = sum+int(*s.Replicas), sets+1
		}
	}
	if sum == int(*g.Replicas) {
		return
	}
	if b := x.pausedBy(phase, groupRef(g), &g.Meta); b != nil {
		x.add(b, &g.Meta)
		return
	}
	b := x.hold(phase, groupRef(g), CauseReplicas, "it wants %d Machines, and its MachineSets are told to have %d", *g.Replicas, sum)
	b.Next, b.Since = "the controller scales its MachineSet", latest(&g.Meta)
	if sets == 0 {
		b.Detail, b.Next = fmt.Sprintf("it wants %d Machines, and has no MachineSet", *g.Replicas), "the controller makes its MachineSet"
	}
	x.blocked(b, g)
	x.add(b, &g.Meta)
}
