package predict

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment/mdutil"

	"github.com/proxaudit/proxaudit/adopt"
)

func (w *world) machineDeployments() {
	for _, o := range w.deployments {
		switch {
		case o.clusterOf() != w.name:
		case o.problem != "":
			w.say(adopt.ControllerMachineDeployment, o.ref, o.unreadable())
		default:
			w.say(adopt.ControllerMachineDeployment, o.ref, w.judgeDeployment(o))
		}
	}
}

// judgeDeployment is the MachineDeployment controller
// (cluster-api core/reconcilers/machinedeployment/machinedeployment_controller.go: reconcile). Which MachineSet is the
// current one is asked of the controller's own mdutil.FindNewAndOldMachineSets.
func (w *world) judgeDeployment(o *deploymentObject) verdict {
	md := &o.value
	if !md.DeletionTimestamp.IsZero() {
		return is(adopt.Destroys, "it is being deleted: the controller deletes its MachineSets with their Machines and VMs")
	}
	if needs := slices.Concat(w.lacksKind(kindMachineSet), w.lacksKind(kindMachine)); len(needs) > 0 {
		return unseen(needs, "not every MachineSet and Machine was read")
	}
	if md.Spec.Replicas == nil {
		return is(adopt.Refuses, "spec.replicas is not set")
	}
	selector, err := metav1.LabelSelectorAsSelector(&md.Spec.Selector)
	if err != nil || selector.Empty() {
		return is(adopt.Refuses, "its selector is empty or not valid: the controller ends each pass there")
	}
	sets, problem := w.setsOf(md, selector)
	if problem != nil {
		return *problem
	}
	current, old, _, reason := mdutil.FindNewAndOldMachineSets(md.DeepCopy(), slices.Clone(sets), metav1.NewTime(w.s.CollectedAt))
	if current == nil {
		return w.judgeNewSet(md, old, reason)
	}
	for _, ms := range sets {
		if _, ok := ms.Labels[clusterv1.MachineDeploymentUniqueLabel]; !ok {
			return isf(adopt.Refuses, "the MachineSet %s lacks the label %s: the controller ends each pass there", ms.Name, clusterv1.MachineDeploymentUniqueLabel)
		}
	}
	return w.judgeCurrentSet(md, current, old)
}

// setsOf are the MachineSets that the controller has or takes over (getAndAdoptMachineSetsForDeployment).
func (w *world) setsOf(md *clusterv1.MachineDeployment, selector labels.Selector) ([]*clusterv1.MachineSet, *verdict) {
	var out []*clusterv1.MachineSet
	for _, o := range w.sets {
		if o.problem != "" {
			if selector.Matches(labels.Set(o.labels())) {
				v := unseen(nil, fmt.Sprintf("the MachineSet %s: %s", o.ref.Name, o.problem))
				return nil, &v
			}
			continue
		}
		ms := o.value.DeepCopy()
		if !selector.Matches(labels.Set(ms.Labels)) && !metav1.IsControlledBy(ms, md) {
			continue
		}
		if metav1.GetControllerOf(ms) == nil || metav1.IsControlledBy(ms, md) {
			if ms.Spec.Replicas == nil {
				v := isf(adopt.Refuses, "the MachineSet %s has no spec.replicas", ms.Name)
				return nil, &v
			}
			out = append(out, ms)
		}
	}
	return out, nil
}

// judgeNewSet is what comes if no MachineSet has the MachineDeployment's template.
func (w *world) judgeNewSet(md *clusterv1.MachineDeployment, old []*clusterv1.MachineSet, reason string) verdict {
	want := *md.Spec.Replicas
	if md.Spec.Paused != nil && *md.Spec.Paused {
		return isf(adopt.CannotTell, "spec.paused holds the rollout (%s); the controller still scales what there is", reason)
	}
	missing, needs := w.missingTemplates(md.Spec.Template.Spec)
	switch {
	case len(needs) > 0:
		return unseen(needs, "not every template was read")
	case len(missing) > 0:
		return isf(adopt.Refuses, "it needs a new MachineSet (%s), and there is no %s", reason, strings.Join(missing, ", no "))
	case replicas(old) == 0 && want == 0:
		return isf(adopt.Adopts, "it makes a MachineSet without Machines (%s)", reason)
	case replicas(old) == 0:
		return isf(adopt.ScalesUp, "it makes a MachineSet of %d Machines (%s), and CAPMOX clones their VMs", want, reason)
	case md.Spec.Rollout.Strategy.Type == clusterv1.OnDeleteMachineDeploymentStrategyType:
		return is(adopt.RollsOut, reason, "with the strategy OnDelete each Machine is replaced when it is deleted")
	}
	return is(adopt.RollsOut, reason)
}

// judgeCurrentSet compares the replicas, and the Machines with the selector that the MachineSet gets
// (machinedeployment_rollout_planner.go: computeDesiredMS).
func (w *world) judgeCurrentSet(md *clusterv1.MachineDeployment, current *clusterv1.MachineSet, old []*clusterv1.MachineSet) verdict {
	want, has := *md.Spec.Replicas, *current.Spec.Replicas
	switch {
	case has < want && replicas(old) == 0:
		return isf(adopt.ScalesUp, "the MachineSet %s has %d replicas, %d are wanted: CAPMOX clones VMs", current.Name, has, want)
	case has > want:
		return isf(adopt.ScalesDown, "the MachineSet %s has %d replicas, %d are wanted: adopted Machines are deleted", current.Name, has, want)
	case replicas(old) > 0:
		return isf(adopt.RollsOut, "beside the MachineSet %s, which has its template, %d Machines are wanted by MachineSets that are not current", current.Name, replicas(old))
	}
	selector := labels.Set{}
	for k, v := range current.Spec.Selector.MatchLabels {
		selector[k] = v
	}
	for k, v := range md.Spec.Selector.MatchLabels {
		selector[k] = v
	}
	selector[clusterv1.MachineDeploymentUniqueLabel] = current.Labels[clusterv1.MachineDeploymentUniqueLabel]
	selector[clusterv1.ClusterNameLabel] = md.Spec.ClusterName
	if got := len(w.matching(selector, current)); got < int(want) {
		return isf(adopt.ScalesUp, "the MachineSet %s gets the selector %s, which %d Machines match, and wants %d: CAPMOX clones VMs", current.Name, labels.FormatLabels(selector), got, want)
	} else if got > int(want) {
		return isf(adopt.ScalesDown, "the MachineSet %s gets the selector %s, which %d Machines match, and wants %d: it deletes the rest", current.Name, labels.FormatLabels(selector), got, want)
	}
	if metav1.IsControlledBy(current, md) {
		return isf(adopt.NothingToDo, "its MachineSet %s has its template and replicas", current.Name)
	}
	return isf(adopt.Adopts, "it takes over the MachineSet %s, which has its template and replicas", current.Name)
}

func replicas(sets []*clusterv1.MachineSet) int32 {
	var sum int32
	for _, ms := range sets {
		sum += *ms.Spec.Replicas
	}
	return sum
}
