package adopt

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// checkMembers: a control-plane Node or etcd member without a Machine is removed from etcd. A member without a Pod cannot be
// seen from the API: the runbook has the comparison.
func (v *verifier) checkMembers() []Check {
	covered := map[string]bool{}
	for _, m := range v.machines {
		if !m.ControlPlane {
			continue
		}
		if m.NodeRef != "" {
			covered[m.NodeRef] = true
		} else if isPlanned(&m.Meta) {
			covered[m.Annotations[AnnotationNode]] = true
		}
	}
	source := inventory.ClusterSource(v.cluster.Key)
	var out []Check
	add := func(sub audit.SubjectRef, what, name string) {
		c := Check{Name: CheckMembers, Subject: sub, State: CheckOK, Step: StepUnpauseControlPlane, Detail: "a Machine stands for it"}
		if !covered[name] {
			c.State, c.Detail = CheckFailed, "no control-plane Machine stands for "+what+": the member would be removed from etcd"
			c.Remedy = "Render the bundle anew (proxaudit adopt) and apply it before the control plane is unpaused."
		}
		out = append(out, c)
	}
	for _, m := range v.controlPlanes() {
		add(nodeRef(m.node), "Node "+m.node.Name, m.node.Name)
	}
	for _, pod := range v.cluster.StaticPods {
		if pod.Component != "etcd" {
			continue
		}
		if name := pod.EtcdMember(); name != "" {
			add(podRef(v.cluster.Key, pod), "the etcd member "+name, name)
		} else {
			out = append(out, Check{Name: CheckMembers, Subject: podRef(v.cluster.Key, pod), State: CheckUnknown, Step: StepUnpauseControlPlane,
				Detail: "its arguments do not say which member of etcd it is", Remedy: "Compare etcdctl member list with the Machines' Nodes yourself."})
		}
	}
	if v.s.Known(source, inventory.ScopeStaticPods) && !v.kubeadm.externalEtcd {
		for _, m := range v.controlPlanes() {
			if !slices.ContainsFunc(v.cluster.StaticPods, func(p inventory.StaticPod) bool { return p.Component == "etcd" && p.Node == m.node.Name }) {
				out = append(out, Check{Name: CheckMembers, Subject: nodeRef(m.node), State: CheckUnknown, Step: StepUnpauseControlPlane,
					Detail: "no etcd Pod was seen on Node " + m.node.Name + ": which member of etcd it is, is not known", Remedy: "Compare etcdctl member list with the Machines' Nodes yourself."})
			}
		}
	}
	if missing := unknownOf(v.s, source, inventory.ScopeNodes, inventory.ScopeStaticPods); len(missing) > 0 {
		out = append(out, Check{Name: CheckMembers, Subject: clusterRef(v.cluster.Key), State: CheckUnknown, Step: StepUnpauseControlPlane,
			Detail: "not seen: " + missing[0].String(), Missing: missing})
	}
	return out
}

// checkSelectors: a MachineSet takes over whatever matches it, and deletes what is too much. A worker that none was made for is
// nobody's.
func (v *verifier) checkSelectors() []Check {
	out := v.checkOwners()
	for _, g := range v.groups {
		if g.Kind != "MachineSet" && g.Kind != "MachineDeployment" {
			continue
		}
		kind := strings.ToLower(g.Kind)
		c := Check{Name: CheckSelector, State: CheckOK, Step: StepUnpauseWorkers,
			Subject: audit.SubjectRef{Kind: kind, Namespace: g.Namespace, Name: g.Name, ID: kind + "/" + g.Namespace + "/" + g.Name}}
		matched, intended, err := v.matches(g)
		switch {
		case err != nil:
			c.State, c.Detail = CheckUnknown, err.Error()
		case !slices.Equal(matched, intended):
			c.State, c.Detail = CheckFailed, fmt.Sprintf("its selector matches %s, and %s are meant", namesText(matched), namesText(intended))
			c.Remedy = "Apply the bundle's Machines again (their labels), and leave it paused."
		case g.Replicas == nil || int(*g.Replicas) != len(matched):
			c.State, c.Detail = CheckFailed, fmt.Sprintf("it wants %s, and %d match", replicasText(g.Replicas), len(matched))
			c.Remedy = "Set spec.replicas to the number of its Machines before it is unpaused."
		default:
			c.Detail = fmt.Sprintf("%d Machines, as many as it wants", len(matched))
		}
		out = append(out, c)
	}
	return out
}

// checkOwners: every planned worker's MachineSet and MachineDeployment are there.
func (v *verifier) checkOwners() []Check {
	there := map[[2]string]bool{}
	for _, g := range v.groups {
		there[[2]string{g.Kind, g.Name}] = true
	}
	var out []Check
	told := map[[2]string]bool{}
	for _, m := range v.machines {
		if m.ControlPlane || !isPlanned(&m.Meta) || m.DeletedAt != nil {
			continue
		}
		for _, want := range [][2]string{{"MachineDeployment", meantFor(m, "MachineDeployment")}, {"MachineSet", meantFor(m, "MachineSet")}} {
			if there[want] || told[want] {
				continue
			}
			told[want] = true
			kind := strings.ToLower(want[0])
			c := Check{Name: CheckSelector, State: CheckFailed, Step: StepUnpauseWorkers,
				Subject: audit.SubjectRef{Kind: kind, Namespace: v.namespace, Name: want[1], ID: kind + "/" + v.namespace + "/" + want[1]},
				Detail:  "it is not there, and the Machine " + m.Name + " was planned for it: nothing replaces or counts its Machines", Remedy: "Apply the bundle's MachineDeployments and MachineSets (04-owners.yaml), paused."}
			if need := (inventory.Need{Source: inventory.ManagementSource, Scope: kind + "s." + inventory.GroupCluster}); !v.s.Known(need.Source, need.Scope) {
				c.State, c.Missing, c.Detail, c.Remedy = CheckUnknown, []inventory.Need{need}, "it was not seen", ""
			}
			out = append(out, c)
		}
	}
	return out
}

// meantFor is the MachineSet or MachineDeployment that a Machine was planned for, or, of one that was made since, that its labels name.
func meantFor(m *inventory.Machine, kind string) string {
	group := m.Annotations[AnnotationGroup]
	switch {
	case isPlanned(&m.Meta) && group != "" && kind == "MachineSet":
		return setNameOf(group)
	case isPlanned(&m.Meta) && group != "":
		return group
	case kind == "MachineSet":
		return m.Labels[setLabel]
	default:
		return m.Labels[deploymentLabel]
	}
}

// hasWorkers is true for a cluster with workers that were planned.
func (v *verifier) hasWorkers() bool {
	return slices.ContainsFunc(v.machines, func(m *inventory.Machine) bool { return !m.ControlPlane && isPlanned(&m.Meta) })
}

func namesText(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func replicasText(n *int32) string {
	if n == nil {
		return "no number of replicas"
	}
	return fmt.Sprintf("%d replicas", *n)
}

// matches are the Machines that a group's selector matches, and those that are meant to be its own.
func (v *verifier) matches(g *inventory.Group) (matched, intended []string, err error) {
	o := v.existing.all[objectID{g.Kind, g.Namespace, g.Name}]
	if o == nil {
		return nil, nil, fmt.Errorf("the object itself was not seen")
	}
	selector, err := selectorOf(o)
	if err != nil {
		return nil, nil, fmt.Errorf("its selector cannot be read: %w", err)
	}
	for i := range v.s.Machines {
		m := &v.s.Machines[i]
		if m.Namespace != g.Namespace {
			continue
		}
		if selector.Matches(labels.Set(m.Labels)) {
			matched = append(matched, m.Name)
		}
		if m.Cluster == v.cluster.Key && meantFor(m, g.Kind) == g.Name {
			intended = append(intended, m.Name)
		}
	}
	slices.Sort(matched)
	slices.Sort(intended)
	return matched, intended, nil
}
