package predict

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// healthChecks predicts each Machine that a MachineHealthCheck of the cluster selects.
func (w *world) healthChecks() {
	for _, o := range w.checks {
		if o.clusterOf() != w.name {
			continue
		}
		if o.problem != "" {
			w.say(adopt.ControllerHealthCheck, o.ref, o.unreadable())
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(metav1.CloneSelectorAndAddLabel(&o.value.Spec.Selector, clusterv1.ClusterNameLabel, w.name))
		if err != nil {
			w.say(adopt.ControllerHealthCheck, o.ref, isf(adopt.Refuses, "the controller cannot use its selector: %v", err))
			continue
		}
		for _, m := range w.members() {
			if selector.Matches(labels.Merge(m.labels(), labels.Set{clusterv1.ClusterNameLabel: w.name})) {
				w.say(adopt.ControllerHealthCheck, m.ref, w.judgeHealth(&o.value, m))
				w.healthWithoutBrake(&o.value, m)
			}
		}
	}
}

// healthWithoutBrake says what the last step lets a MachineHealthCheck do, which takes skip-remediation off.
func (w *world) healthWithoutBrake(mhc *clusterv1.MachineHealthCheck, o *machineObject) {
	if _, skipped := o.value.Annotations[clusterv1.MachineSkipRemediationAnnotation]; !skipped || o.problem != "" {
		return
	}
	free := *o
	free.value = *o.value.DeepCopy()
	delete(free.value.Annotations, clusterv1.MachineSkipRemediationAnnotation)
	w.sayAt(adopt.StepFinish, adopt.ControllerHealthCheck, o.ref, w.judgeHealth(mhc, &free))
}

// judgeHealth is the MachineHealthCheck controller on one Machine (cluster-api
// core/reconcilers/machinehealthcheck/machinehealthcheck_targets.go: shouldSkipRemediation, needsRemediation). Its limits
// on how many Machines may be unhealthy are not counted on: they hold only as long as others are unhealthy too.
func (w *world) judgeHealth(mhc *clusterv1.MachineHealthCheck, o *machineObject) verdict {
	if o.problem != "" {
		return o.unreadable()
	}
	m := &o.value
	if _, ok := m.Annotations[clusterv1.MachineSkipRemediationAnnotation]; ok {
		return isf(adopt.NothingToDo, "the MachineHealthCheck %s selects it, and skips it for its annotation skip-remediation", mhc.Name)
	}
	if _, ok := m.Annotations[clusterv1.RemediateMachineAnnotation]; ok {
		return isf(adopt.Remediates, "the MachineHealthCheck %s selects it, and its annotation remediate-machine asks for its replacement", mhc.Name)
	}
	for _, c := range mhc.Spec.Checks.UnhealthyMachineConditions {
		if got := condition(m.Status.Conditions, c.Type); got != nil && got.Status == c.Status {
			return isf(adopt.Remediates, "the MachineHealthCheck %s selects it: its condition %s is %s, which is unhealthy after %s", mhc.Name, c.Type, c.Status, seconds(c.TimeoutSeconds))
		}
	}
	if needs := w.lacksOwn(inventory.ScopeNodes); len(needs) > 0 {
		return unseen(needs, fmt.Sprintf("the MachineHealthCheck %s selects it, and the cluster's Nodes were not read", mhc.Name))
	}
	node := w.nodeNamed(m.Status.NodeRef.Name)
	switch {
	case m.Status.NodeRef.IsDefined() && node == nil:
		return isf(adopt.Remediates, "the MachineHealthCheck %s selects it, and its Node %s is gone", mhc.Name, m.Status.NodeRef.Name)
	case node == nil:
		v := w.machine(o)
		if limit := mhc.Spec.Checks.NodeStartupTimeoutSeconds; limit != nil && *limit == 0 {
			return isf(adopt.NothingToDo, "the MachineHealthCheck %s selects it, and does not wait for a Node", mhc.Name)
		} else if v.outcome == adopt.CannotTell {
			return unseen(v.missing, fmt.Sprintf("the MachineHealthCheck %s selects it; whether it gets a Node in time is not known", mhc.Name))
		} else if v.node == nil {
			if limit == nil {
				limit = &clusterv1.DefaultNodeStartupTimeoutSeconds
			}
			return isf(adopt.Remediates, "the MachineHealthCheck %s selects it, and it gets no Node: unhealthy after %s", mhc.Name, seconds(limit))
		}
		node = v.node
	}
	return judgeNodeHealth(mhc, node)
}

func judgeNodeHealth(mhc *clusterv1.MachineHealthCheck, node *inventory.Node) verdict {
	var unseenTypes []string
	for _, c := range mhc.Spec.Checks.UnhealthyNodeConditions {
		if c.Type != "Ready" {
			unseenTypes = append(unseenTypes, string(c.Type))
		} else if node.Ready == string(c.Status) {
			return isf(adopt.Remediates, "the MachineHealthCheck %s selects it: its Node %s is Ready=%s, which is unhealthy after %s", mhc.Name, node.Name, node.Ready, seconds(c.TimeoutSeconds))
		}
	}
	if len(unseenTypes) > 0 {
		return isf(adopt.CannotTell, "the MachineHealthCheck %s selects it and looks at %s of its Node, which was not read", mhc.Name, strings.Join(unseenTypes, ", "))
	}
	return isf(adopt.NothingToDo, "the MachineHealthCheck %s selects it and finds it healthy; nothing holds it back if that changes", mhc.Name)
}

func seconds(n *int32) time.Duration {
	if n == nil {
		return 0
	}
	return time.Duration(*n) * time.Second
}
