package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/collections"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// controlPlanes predicts each KubeadmControlPlane of the cluster, one prediction for each thing that it would do, and each
// control-plane Machine.
func (w *world) controlPlanes() {
	for _, p := range w.planes {
		if p.ref.Name != text(w.self.raw, "spec", "controlPlaneRef", "name") {
			switch {
			case ownerOf(p.raw, inventory.GroupCluster, kindCluster.kind) == w.name:
				// It goes by its owner, and not by what the Cluster refers to (cluster-api util: GetOwnerCluster).
				w.controlPlane(p)
				w.say(adopt.ControllerControlPlane, p.ref, is(adopt.FalseGreen, "the Cluster is its owner and refers to another one: whichever of the two is first takes the Machines over"))
			case p.clusterOf() == w.name:
				w.say(adopt.ControllerControlPlane, p.ref, is(adopt.WaitsForever, "the Cluster does not refer to it: the controller waits for its owner"))
			}
			continue
		}
		w.controlPlane(p)
	}
}

// controlPlane follows the control-plane controller's order
// (cluster-api controlplane/kubeadm/reconcilers/kubeadmcontrolplane/kubeadmcontrolplane_controller.go: Reconcile, reconcile).
func (w *world) controlPlane(p *planeObject) {
	say := func(v verdict) { w.say(adopt.ControllerControlPlane, p.ref, v) }
	if p.problem != "" {
		say(p.unreadable())
		return
	}
	if w.self.problem != "" {
		say(w.self.unreadable())
		return
	}
	k := &p.value
	if !k.DeletionTimestamp.IsZero() {
		say(is(adopt.Destroys, "it is being deleted: once the workers are gone, the controller deletes every control-plane Machine"))
		return
	}
	machines := w.controlPlaneMachines()
	if stop := w.judgeAdoption(p, machines); stop != nil {
		say(*stop)
		return
	}
	if stop := w.judgePlaneSpec(p); stop != nil {
		say(*stop)
		return
	}
	found := slices.Concat(w.judgePKI(k), w.judgeWorkload(k, machines), w.judgeCount(k, machines))
	for _, v := range found {
		say(v)
	}
	worst := w.judgePlaneMachines(p, machines)
	if len(found) > 0 {
		return
	}
	controlled := 0
	for _, m := range machines {
		if metav1.IsControlledBy(&m.value, k) {
			controlled++
		}
	}
	switch {
	case worst != nil:
		say(*worst)
	case controlled == len(machines) && controlled > 0:
		say(isf(adopt.NothingToDo, "it controls its %d Machines, and they are up to date", controlled))
	default:
		say(is(adopt.Adopts, fmt.Sprintf("it takes %d Machines over, and they are up to date", len(machines)),
			"an etcd member without a static Pod cannot be seen from the API: compare with `etcdctl member list` before"))
	}
}

// controlPlaneMachines are those that the controller counts as the cluster's (util/collections/machine_filters.go:
// ControlPlaneMachines).
func (w *world) controlPlaneMachines() []*machineObject {
	var out []*machineObject
	for _, m := range w.machines {
		_, isPlane := m.labels()[clusterv1.MachineControlPlaneLabel]
		if isPlane && (m.labels()[clusterv1.ClusterNameLabel] == w.name || m.clusterOf() == w.name) {
			out = append(out, m)
		}
	}
	return out
}

// judgeAdoption is what keeps it from taking its Machines over (initControlPlaneScope, adoptMachines): one that does not fit
// keeps all of them out. nil if nothing does.
func (w *world) judgeAdoption(p *planeObject, machines []*machineObject) *verdict {
	fail := func(v verdict) *verdict { return &v }
	if needs := w.lacksKind(kindMachine); len(needs) > 0 {
		return fail(unseen(needs, "not every Machine was read"))
	}
	want, err := semver.ParseTolerant(p.value.Spec.Version)
	if err != nil {
		return fail(isf(adopt.Refuses, "spec.version %q is no version", p.value.Spec.Version))
	}
	for _, m := range machines {
		if m.problem != "" {
			return fail(unseen(nil, fmt.Sprintf("the Machine %s: %s", m.ref.Name, m.problem)))
		}
	}
	for _, m := range machines {
		if collections.HasControllerRef(&m.value) {
			if !metav1.IsControlledBy(&m.value, &p.value) {
				ref := metav1.GetControllerOf(&m.value)
				return fail(isf(adopt.Refuses, "the Machine %s is controlled by the %s %s: the controller refuses to work with only some of the control plane", m.ref.Name, ref.Kind, ref.Name))
			}
			continue
		}
		if v := w.adoptable(m, want); v != nil {
			return v
		}
	}
	return nil
}

func (w *world) adoptable(m *machineObject, want semver.Version) *verdict {
	fail := func(v verdict) *verdict { return &v }
	ref := m.value.Spec.Bootstrap.ConfigRef
	if !ref.IsDefined() || ref.Kind != kindConfig.kind {
		return fail(isf(adopt.Refuses, "the Machine %s has no KubeadmConfig: none of the control plane is taken over", m.ref.Name))
	}
	if v := m.value.Spec.Version; v != "" {
		has, err := semver.ParseTolerant(v)
		if err != nil {
			return fail(isf(adopt.Refuses, "the Machine %s has the version %q, which is none", m.ref.Name, v))
		}
		if !util.IsSupportedVersionSkew(want, has) {
			return fail(isf(adopt.Refuses, "the Machine %s has %s, more than one minor version from v%s: none of the control plane is taken over (event AdoptionFailed)", m.ref.Name, v, want))
		}
	}
	config, needs := w.config(m)
	if len(needs) > 0 {
		return fail(unseen(needs, fmt.Sprintf("the KubeadmConfig of the Machine %s was not seen", m.ref.Name)))
	}
	if config == nil {
		return fail(isf(adopt.Refuses, "the Machine %s refers to the KubeadmConfig %s, which is not there: it cannot be taken over", m.ref.Name, ref.Name))
	}
	return nil
}

// judgePlaneSpec is what stops the controller before it looks at anything else. nil if nothing does.
func (w *world) judgePlaneSpec(p *planeObject) *verdict {
	fail := func(v verdict) *verdict { return &v }
	k := &p.value
	external := k.Spec.KubeadmConfigSpec.ClusterConfiguration.Etcd.External.IsDefined()
	switch r := k.Spec.Replicas; {
	case r == nil || *r <= 0:
		return fail(is(adopt.Refuses, "spec.replicas has to be at least 1: the webhook refuses every write"))
	case *r%2 == 0 && !external:
		return fail(isf(adopt.Refuses, "spec.replicas is %d, and etcd runs on the control plane: the webhook refuses an even number, and with it every write", *r))
	}
	ref := k.Spec.MachineTemplate.Spec.InfrastructureRef
	found, needs := w.hasTemplate(clusterv1.ContractVersionedObjectReference{APIGroup: ref.APIGroup, Kind: ref.Kind, Name: ref.Name})
	if !found {
		if len(needs) > 0 {
			return fail(unseen(needs, fmt.Sprintf("the %s %s was not seen", ref.Kind, ref.Name)))
		}
		return fail(isf(adopt.Refuses, "there is no %s %s: the controller ends each pass there", ref.Kind, ref.Name))
	}
	return nil
}

// judgeCount compares the replicas with the Machines.
func (w *world) judgeCount(k *controlplanev1.KubeadmControlPlane, machines []*machineObject) []verdict {
	want, got := int(*k.Spec.Replicas), len(machines)
	switch {
	case got == 0:
		return []verdict{isf(adopt.ScalesUp, "it has no Machine, and %d are wanted: it initialises a new control plane on a new VM", want)}
	case got < want:
		return []verdict{isf(adopt.ScalesUp, "%d Machines, %d wanted: it clones VMs", got, want)}
	case got > want:
		return []verdict{isf(adopt.ScalesDown, "%d Machines, %d wanted: it deletes adopted ones, with their VMs", got, want)}
	}
	return nil
}

// judgePlaneMachines predicts each control-plane Machine, and returns what that makes of the control plane: nil if all of
// them are up to date.
func (w *world) judgePlaneMachines(p *planeObject, machines []*machineObject) *verdict {
	var worst *verdict
	for _, m := range machines {
		v := w.judgeUpToDate(p, m)
		switch {
		case collections.IsUnhealthyAndOwnerRemediated(&m.value):
			v = is(adopt.Remediates, "a MachineHealthCheck has marked it unhealthy: the controller deletes it")
		case !m.value.DeletionTimestamp.IsZero() && v.outcome.Safe():
			v = is(adopt.CannotTell, "it is being deleted: what the controller does then depends on the health of the rest")
		}
		w.say(adopt.ControllerControlPlane, m.ref, v)
		if !v.outcome.Safe() && (worst == nil || v.outcome.Destructive() && !worst.outcome.Destructive()) {
			worst = &verdict{outcome: v.outcome, missing: slices.Clone(v.missing),
				why: []string{fmt.Sprintf("the Machine %s: %s", m.ref.Name, strings.Join(v.why, "; "))}}
		}
	}
	return worst
}

// judgeWorkload is what the controller would change in the workload cluster.
func (w *world) judgeWorkload(k *controlplanev1.KubeadmControlPlane, machines []*machineObject) []verdict {
	var out []verdict
	if w.cluster.Kubeadm == nil {
		if needs := w.lacksOwn(inventory.ScopeKubeadm); len(needs) > 0 {
			out = append(out, unseen(needs, "the ConfigMap kube-system/kubeadm-config was not read"))
		} else {
			out = append(out, is(adopt.WaitsForever, "there is no ConfigMap kube-system/kubeadm-config: the controller never counts the control plane as initialised"))
		}
	}
	for _, skip := range []struct{ annotation, what string }{
		{controlplanev1.SkipKubeProxyAnnotation, "kube-proxy: its image gets the tag " + k.Spec.Version},
		{controlplanev1.SkipCoreDNSAnnotation, "CoreDNS: its image and Corefile follow the ClusterConfiguration"},
	} {
		if _, ok := k.Annotations[skip.annotation]; !ok {
			out = append(out, isf(adopt.ChangesWorkload, "the annotation %s is missing, so that the controller takes charge of %s (whether that differs now is not seen)", skip.annotation, skip.what))
		}
	}
	if !k.Spec.KubeadmConfigSpec.ClusterConfiguration.Etcd.External.IsDefined() {
		out = append(out, w.judgeEtcd(machines)...)
	}
	return out
}

// judgeEtcd looks for members that the controller would take for strangers (reconcileEtcdMembers): those that have the name
// of no Machine's Node. It removes them once each Machine has a Node.
func (w *world) judgeEtcd(machines []*machineObject) []verdict {
	if len(machines) == 0 {
		return nil // it does not touch etcd before it has a Machine; that it makes one says judgeCount
	}
	if needs := w.lacksOwn(inventory.ScopeNodes); len(needs) > 0 {
		return []verdict{unseen(needs, "which etcd members no Machine covers is not known: the cluster's Nodes were not read")}
	}
	covered := map[string]bool{}
	var without, unknown []string
	for _, m := range machines {
		v := w.machine(m)
		switch {
		case v.node != nil:
			covered[v.node.Name] = true
		case v.outcome == adopt.CannotTell:
			unknown = append(unknown, m.ref.Name)
		default:
			without = append(without, m.ref.Name)
		}
	}
	strangers := w.strangers(covered)
	switch {
	case len(strangers) == 0 && len(without) == 0 && len(unknown) == 0:
		if needs := w.lacksOwn(inventory.ScopeStaticPods); len(needs) > 0 {
			return []verdict{unseen(needs, "which etcd members there are is not known: the static Pods were not read")}
		}
		return nil
	case len(unknown) > 0 && len(strangers) > 0:
		return []verdict{isf(adopt.CannotTell, "whether %s the etcd member on %s is not known; one that none covers is removed",
			machinesThat(unknown, "covers", "cover"), strings.Join(strangers, ", "))}
	case len(without) > 0 && len(strangers) > 0:
		return []verdict{isf(adopt.WaitsForever, "no Machine covers the etcd member on %s; the controller removes it as soon as %s",
			strings.Join(strangers, ", "), machinesThat(without, "has a Node, or is gone", "have Nodes, or are gone"))}
	case len(strangers) > 0:
		return []verdict{isf(adopt.RemovesMember, "no Machine covers the etcd member on %s: the controller removes it from etcd within seconds", strings.Join(strangers, ", "))}
	case len(without) > 0:
		return []verdict{isf(adopt.WaitsForever, "%s: the control plane never counts as whole", machinesThat(without, "has no Node", "have no Nodes"))}
	}
	return []verdict{isf(adopt.CannotTell, "which Node %s is not known", machinesThat(unknown, "gets", "get"))}
}

// machinesThat names one or several with what is said of them.
func machinesThat(names []string, one, many string) string {
	if len(names) == 1 {
		return "the Machine " + names[0] + " " + one
	}
	return "the Machines " + strings.Join(names, ", ") + " " + many
}

// strangers are the Nodes of the control plane, those with an etcd Pod, and the members of etcd, that are not covered.
func (w *world) strangers(covered map[string]bool) []string {
	var out []string
	add := func(node string) {
		if node != "" && !covered[node] {
			out = append(out, node)
		}
	}
	for _, n := range w.nodes {
		if n.ControlPlane {
			add(n.Name)
		}
	}
	for _, p := range w.cluster.StaticPods {
		if p.Component == "etcd" || strings.HasPrefix(p.Name, "etcd-") {
			// Members are told by their own names, not by where they run (reconcileEtcdMembers).
			add(p.EtcdMember())
			add(p.Node)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
