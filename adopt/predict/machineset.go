package predict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/collections"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

func (w *world) machineSets() {
	for _, o := range w.sets {
		if o.clusterOf() != w.name {
			continue
		}
		if o.problem != "" {
			w.say(adopt.ControllerMachineSet, o.ref, o.unreadable())
			continue
		}
		w.say(adopt.ControllerMachineSet, o.ref, w.judgeSet(o))
		for _, m := range w.selected(&o.value) {
			if m.problem == "" && m.value.DeletionTimestamp.IsZero() && collections.IsUnhealthyAndOwnerRemediated(&m.value) {
				w.say(adopt.ControllerMachineSet, m.ref, isf(adopt.Remediates, "a MachineHealthCheck has marked it unhealthy: the MachineSet %s deletes it", o.ref.Name))
			}
		}
	}
}

// judgeSet is the MachineSet controller (cluster-api core/reconcilers/machineset/machineset_controller.go). An error in one
// phase does not keep the later ones from running, so that a surplus is deleted whatever else is wrong.
func (w *world) judgeSet(o *setObject) verdict {
	ms := &o.value
	if !ms.DeletionTimestamp.IsZero() {
		return is(adopt.Destroys, "it is being deleted: the controller deletes its Machines, with their VMs")
	}
	deployment, isChild := ms.Labels[clusterv1.MachineDeploymentNameLabel]
	if isChild && find(w.deployments, deployment) == nil {
		if needs := w.lacksKind(kindMachineDeployment); len(needs) > 0 {
			return unseen(needs, fmt.Sprintf("the MachineDeployment %s was not seen", deployment))
		}
		return isf(adopt.Refuses, "its label names the MachineDeployment %q, which is not there: the controller ends each pass there", deployment)
	}
	if needs := slices.Concat(w.lacksKind(kindMachine), w.lacksKind(kindProxmoxMachine)); len(needs) > 0 {
		return unseen(needs, "not every Machine and ProxmoxMachine was read: how many it has is not known")
	}
	if _, err := metav1.LabelSelectorAsMap(&ms.Spec.Selector); err != nil {
		return isf(adopt.Refuses, "the controller cannot use its selector: %v", err)
	}
	if ms.Spec.Replicas == nil {
		return is(adopt.Refuses, "spec.replicas is not set")
	}
	if orphan := w.orphan(ms); orphan != "" {
		return isf(adopt.Destroys, "the ProxmoxMachine %s has the MachineSet as its owner and no Machine of it: the controller deletes it, with its VM", orphan)
	}
	return w.judgeReplicas(o, isChild)
}

// judgeReplicas is syncReplicas, with what its Machines and templates lack.
func (w *world) judgeReplicas(o *setObject, isChild bool) verdict {
	ms := &o.value
	machines := w.selected(ms)
	want, got := int(*ms.Spec.Replicas), len(machines)
	if got > want {
		return isf(adopt.ScalesDown, "%d Machines (%s), %d wanted: it deletes %d, those without a Node first, with their VMs", got, names(machines), want, got-want)
	}
	missing, needs := w.missingTemplates(ms.Spec.Template.Spec)
	if len(needs) > 0 {
		return unseen(needs, "not every template was read")
	}
	if len(missing) > 0 {
		return isf(adopt.Refuses, "there is no %s: each pass of the controller ends with an error", strings.Join(missing, ", no "))
	}
	if got < want {
		// A MachineDeployment sets the annotation back to false on its current MachineSet
		// (core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go: computeDesiredNewMS).
		if ms.Annotations[clusterv1.DisableMachineCreateAnnotation] == "true" && !isChild {
			return isf(adopt.WaitsForever, "%d Machines, %d wanted; the annotation %s keeps it from making more", got, want, clusterv1.DisableMachineCreateAnnotation)
		}
		return isf(adopt.ScalesUp, "%d Machines, %d wanted: it makes %d, and CAPMOX clones their VMs", got, want, want-got)
	}
	// The controller writes the template's labels to its Machines in place (syncMachines), and the Machine controller those of some
	// domains on to the Nodes (api/core/v1beta2: NodeRoleLabelPrefix).
	for _, label := range slices.Sorted(maps.Keys(ms.Spec.Template.Labels)) {
		if label == clusterv1.MachineControlPlaneLabel || label == "node-role.kubernetes.io/control-plane" {
			return isf(adopt.FalseGreen, "its template has the label %s, which it writes to its Machines: workers count as control planes then", label)
		}
	}
	for _, m := range machines {
		if m.problem != "" {
			return unseen(nil, fmt.Sprintf("the Machine %s: %s", m.ref.Name, m.problem))
		}
		if _, ok := m.labels()[clusterv1.MachineControlPlaneLabel]; ok {
			return isf(adopt.FalseGreen, "it takes the control-plane Machine %s, which matches its selector: the control plane's own controller then refuses to work", m.ref.Name)
		}
		if other := w.otherSet(o, m); other != "" {
			return isf(adopt.CannotTell, "the Machine %s matches the selector of the MachineSet %s too: whichever is first takes it", m.ref.Name, other)
		}
		if m.value.Spec.ClusterName != ms.Spec.ClusterName {
			return isf(adopt.FalseGreen, "it takes the Machine %s of the cluster %s, which matches its selector", m.ref.Name, m.value.Spec.ClusterName)
		}
	}
	if slices.ContainsFunc(machines, func(m *machineObject) bool { return metav1.GetControllerOf(&m.value) == nil }) {
		return isf(adopt.Adopts, "it takes over %s, as many as it wants", names(machines))
	}
	return isf(adopt.NothingToDo, "it has %d Machines, as many as it wants", got)
}

// selected are the Machines that a MachineSet counts: those in its namespace that match, and that nobody else controls
// (getAndAdoptMachinesForMachineSet). The controller adds the cluster's name to the selector.
func (w *world) selected(ms *clusterv1.MachineSet) []*machineObject {
	if found, ok := w.bySet[ms.Name]; ok {
		return found
	}
	selector, err := metav1.LabelSelectorAsMap(&ms.Spec.Selector)
	if err != nil {
		return nil
	}
	selector[clusterv1.ClusterNameLabel] = ms.Spec.ClusterName
	found := w.matching(selector, ms)
	if w.bySet == nil {
		w.bySet = map[string][]*machineObject{}
	}
	w.bySet[ms.Name] = found
	return found
}

// matching are the Machines with the labels that a MachineSet controls or could take.
func (w *world) matching(selector map[string]string, ms *clusterv1.MachineSet) []*machineObject {
	var out []*machineObject
	wanted := labels.SelectorFromSet(selector)
	for _, m := range w.machines {
		l := m.labels()
		// The Machine controller and webhook set the label of the cluster on every Machine.
		if l[clusterv1.ClusterNameLabel] == "" {
			l = labels.Merge(l, labels.Set{clusterv1.ClusterNameLabel: m.clusterOf()})
		}
		if !wanted.Matches(labels.Set(l)) {
			continue
		}
		if m.problem == "" && metav1.GetControllerOf(&m.value) != nil && !metav1.IsControlledBy(&m.value, ms) {
			continue
		}
		out = append(out, m)
	}
	return out
}

// otherSet names another MachineSet that could take a Machine which nobody controls.
func (w *world) otherSet(o *setObject, m *machineObject) string {
	if metav1.GetControllerOf(&m.value) != nil {
		return ""
	}
	for _, other := range w.sets {
		if other.ref.Name == o.ref.Name || other.problem != "" {
			continue
		}
		if slices.ContainsFunc(w.selected(&other.value), func(x *machineObject) bool { return x.ref.Name == m.ref.Name }) {
			return other.ref.Name
		}
	}
	return ""
}

// orphan is a ProxmoxMachine that the controller takes for the left-over of a Machine that it could not make
// (cleanupOrphanedBootstrapConfigsInfraMachines).
func (w *world) orphan(ms *clusterv1.MachineSet) string {
	selector, err := metav1.LabelSelectorAsMap(&ms.Spec.Selector)
	if err != nil {
		return ""
	}
	used := map[string]bool{}
	for _, m := range w.selected(ms) {
		used[text(m.raw, "spec", "infrastructureRef", "name")] = true
	}
	for _, pm := range w.proxmoxMachines {
		owned := pm.problem == "" && slices.ContainsFunc(pm.value.OwnerReferences, func(r metav1.OwnerReference) bool {
			return r.Kind == kindMachineSet.kind && r.Name == ms.Name
		})
		if owned && !used[pm.ref.Name] && labels.SelectorFromSet(selector).Matches(labels.Set(pm.labels())) {
			return pm.ref.Name
		}
	}
	return ""
}

// missingTemplates are the templates of a Machine's spec that are not there.
func (w *world) missingTemplates(spec clusterv1.MachineSpec) (missing []string, needs []inventory.Need) {
	for _, ref := range []clusterv1.ContractVersionedObjectReference{spec.InfrastructureRef, spec.Bootstrap.ConfigRef} {
		if !ref.IsDefined() || !strings.HasSuffix(ref.Kind, clusterv1.TemplateSuffix) {
			continue
		}
		found, lacking := w.hasTemplate(ref)
		switch {
		case found:
		case len(lacking) > 0:
			needs = append(needs, lacking...)
		default:
			missing = append(missing, ref.Kind+" "+ref.Name)
		}
	}
	return missing, needs
}

func names(machines []*machineObject) string {
	var out []string
	for _, m := range machines {
		out = append(out, m.ref.Name)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
