package predict

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// nodeVerdict is what the Machine controller makes of a Machine.
type nodeVerdict struct {
	verdict
	// node is the Node that the Machine has, or would get; nil if there is none.
	node *inventory.Node
}

func (w *world) machineObjects() {
	for _, m := range w.members() {
		w.say(adopt.ControllerMachine, m.ref, w.machine(m).verdict)
	}
}

func (w *world) machine(m *machineObject) nodeVerdict {
	if v, ok := w.nodeOf[m.ref.Name]; ok {
		return v
	}
	v := w.judgeMachine(m)
	w.nodeOf[m.ref.Name] = v
	return v
}

// judgeMachine is the Machine controller (cluster-api core/reconcilers/machine: machine_controller.go,
// machine_controller_phases.go, machine_controller_noderef.go).
func (w *world) judgeMachine(o *machineObject) nodeVerdict {
	if o.problem != "" {
		return nodeVerdict{verdict: o.unreadable()}
	}
	m := &o.value
	stop := func(v verdict) nodeVerdict { return nodeVerdict{verdict: v, node: w.nodeNamed(m.Status.NodeRef.Name)} }
	if !m.DeletionTimestamp.IsZero() {
		return stop(w.deletesMachine(m))
	}
	ref := m.Spec.InfrastructureRef
	if ref.Kind != kindProxmoxMachine.kind || ref.APIGroup != kindProxmoxMachine.group {
		return stop(isf(adopt.CannotTell, "its infrastructure is a %s, of which nothing is known here", ref.Kind))
	}
	pm := find(w.proxmoxMachines, ref.Name)
	if pm == nil {
		if needs := w.lacksKind(kindProxmoxMachine); len(needs) > 0 {
			return stop(unseen(needs, fmt.Sprintf("the ProxmoxMachine %s was not seen", ref.Name)))
		}
		return stop(isf(adopt.WaitsForever, "there is no ProxmoxMachine %s", ref.Name))
	}
	infra := w.proxmoxMachine(pm)
	if needs := w.lacksOwn(inventory.ScopeNodes); len(needs) > 0 {
		return stop(unseen(needs, "the cluster's Nodes were not read"))
	}
	v := w.judgeNode(o, infra)
	if v.outcome.Safe() {
		if b := w.judgeBootstrap(m); b != nil {
			v.verdict = *b
		} else if k := w.judgeConnection(); k != nil {
			v.verdict = *k
		}
	}
	return v
}

// judgeBootstrap is what the Machine lacks before anything can go on; nil if nothing.
func (w *world) judgeBootstrap(m *clusterv1.Machine) *verdict {
	if ref := m.Spec.Bootstrap.ConfigRef; ref.IsDefined() && ref.Kind == kindConfig.kind && find(w.configs, ref.Name) == nil {
		if needs := w.lacksKind(kindConfig); len(needs) > 0 {
			v := unseen(needs, fmt.Sprintf("the KubeadmConfig %s was not seen", ref.Name))
			return &v
		}
		v := isf(adopt.WaitsForever, "there is no KubeadmConfig %s: the controller asks for it again and again", ref.Name)
		return &v
	}
	if m.Spec.Bootstrap.DataSecretName == nil {
		v := is(adopt.WaitsForever, "spec.bootstrap.dataSecretName is not set: CAPMOX waits for bootstrap data, which nobody should make for a machine that runs")
		return &v
	}
	return nil
}

// judgeConnection is whether the management cluster can reach the workload cluster: the Machine controller looks for Nodes
// with the Secret NAME-kubeconfig (controllers/clustercache). nil if it can.
func (w *world) judgeConnection() *verdict {
	if w.self.problem == "" {
		if c := condition(w.self.value.Status.Conditions, clusterv1.ClusterRemoteConnectionProbeCondition); c != nil && c.Status == metav1.ConditionTrue {
			return nil
		}
	}
	name := w.name + "-kubeconfig"
	switch s := w.secret(w.namespace, name); {
	case s == nil:
		v := unseen([]inventory.Need{needSecrets}, fmt.Sprintf("whether there is a Secret %s, with which the controllers reach the cluster, was not seen", name))
		return &v
	case s.Absent || !slices.Contains(s.Keys, "value"):
		v := isf(adopt.WaitsForever, "there is no Secret %s with a kubeconfig: the controllers do not reach the cluster, and find no Node", name)
		return &v
	}
	return nil
}

// judgeNode is reconcileNode: a Node is the Machine's if its providerID is the same text, letter by letter. The first pass
// goes by the Machine's own providerID, for CAPMOX does not look at the VM before the Machine has become its object's owner,
// and the nodeRef that it sets stays. Later passes go by the providerID that CAPMOX made of the VM.
func (w *world) judgeNode(o *machineObject, infra vmVerdict) nodeVerdict {
	m := &o.value
	id := m.Spec.ProviderID
	if infra.ready {
		id = infra.providerID
	}
	matches := w.nodesWithID(id)
	has := w.nodeNamed(m.Status.NodeRef.Name)
	if first := w.nodesWithID(m.Spec.ProviderID); len(first) == 1 && !m.Status.NodeRef.IsDefined() {
		has = first[0]
	}
	var node *inventory.Node
	if len(matches) > 0 {
		node = matches[0]
	}
	v := func(v verdict) nodeVerdict { return nodeVerdict{verdict: v, node: node} }
	switch {
	case infra.outcome == adopt.CannotTell:
		return v(unseen(infra.missing, slices.Concat([]string{"what becomes of its ProxmoxMachine is not known"}, infra.why)...))
	case len(matches) > 1:
		return v(isf(adopt.Refuses, "the providerID %s is that of %d Nodes", id, len(matches)))
	case node == nil && has != nil && infra.ready:
		return nodeVerdict{verdict: isf(adopt.FalseGreen, "it has the Node %s and is Running; then the VM's providerID takes the place of its own, and %s: %s",
			has.Name, w.noNode(id, infra), strings.Join(infra.why, "; ")), node: has}
	case m.Status.NodeRef.IsDefined() && node == nil:
		return nodeVerdict{verdict: isf(adopt.WaitsForever, "no Node has the providerID %s, although the Machine had the Node %s", id, m.Status.NodeRef.Name)}
	case node == nil:
		return v(is(adopt.WaitsForever, w.noNode(id, infra)))
	case has != nil && has != node:
		return nodeVerdict{verdict: isf(adopt.FalseGreen, "its nodeRef stays %s, and its providerID is that of the Node %s", has.Name, node.Name), node: has}
	case infra.outcome == adopt.Clones || infra.outcome == adopt.FalseGreen || infra.outcome == adopt.Rewrites:
		return v(isf(adopt.FalseGreen, "it gets the Node %s and becomes Running while its ProxmoxMachine is not the Node's VM, or not as it was: %s", node.Name, strings.Join(infra.why, "; ")))
	case !infra.outcome.Safe():
		return v(isf(adopt.WaitsForever, "it gets the Node %s, but its ProxmoxMachine never becomes ready: %s", node.Name, strings.Join(infra.why, "; ")))
	}
	if other := w.claims(o, node); other != "" {
		return v(isf(adopt.FalseGreen, "the Machine %s takes the Node %s too", other, node.Name))
	}
	if has == node && m.Status.Phase == string(clusterv1.MachinePhaseRunning) {
		return v(isf(adopt.NothingToDo, "it has the Node %s", node.Name))
	}
	return v(isf(adopt.Adopts, "the Node %s has its providerID: it gets labels and annotations of the Machine, no more", node.Name))
}

// noNode says whose providerID should have been the Machine's.
func (w *world) noNode(id string, infra vmVerdict) string {
	if id == "" {
		return fmt.Sprintf("it has no providerID, and gets none: %s", strings.Join(infra.why, "; "))
	}
	said := fmt.Sprintf("no Node of the cluster has the providerID %s", id)
	if n := w.nodeWithUUID(inventory.ParseProviderID(id).UUID); n != nil {
		if n.ProviderID == "" {
			return said + fmt.Sprintf(": the Node %s runs on that VM and has none; spec.providerID has to be written there", n.Name)
		}
		return said + fmt.Sprintf(": the Node %s runs on that VM and has %s, which cannot be changed", n.Name, n.ProviderID)
	}
	return said
}

// claims names another Machine of the cluster with the same providerID.
func (w *world) claims(o *machineObject, node *inventory.Node) string {
	for _, other := range w.members() {
		if other.ref.Name == o.ref.Name || other.problem != "" || !other.value.DeletionTimestamp.IsZero() {
			continue
		}
		if other.value.Spec.ProviderID == node.ProviderID || other.value.Status.NodeRef.Name == node.Name {
			return other.ref.Name
		}
	}
	return ""
}

// deletesMachine is what holds a Machine that is being deleted, and what happens if nothing does
// (machine_controller.go: reconcileDelete, isDeleteNodeAllowed). A pre-drain hook counts only for a Machine with a Node, in
// a cluster that is initialised: else the controller goes straight on to the pre-terminate hook.
func (w *world) deletesMachine(m *clusterv1.Machine) verdict {
	drain, terminate := hook(m, clusterv1.PreDrainDeleteHookAnnotationPrefix), hook(m, clusterv1.PreTerminateDeleteHookAnnotationPrefix)
	drains := m.Status.NodeRef.IsDefined() && w.initialized()
	switch {
	case drain == "" && terminate == "":
		return is(adopt.Destroys, "it is being deleted and no hook holds it: the Node is drained, the VM stopped and destroyed")
	case terminate == "" && !drains:
		return isf(adopt.Destroys, "it is being deleted, and the hook %s does not hold a Machine without a Node, or of a cluster that is not initialised: the VM is stopped and destroyed", drain)
	case drain != "":
		return isf(adopt.WaitsForever, "it is being deleted; what holds it is %s", strings.Join(slices.DeleteFunc([]string{drain, terminate}, func(s string) bool { return s == "" }), ", "))
	case m.Status.NodeRef.IsDefined() || m.Spec.ProviderID != "":
		return isf(adopt.ChangesWorkload, "it is being deleted: its Node is cordoned and drained, and the hook %s holds it before the VM is touched", terminate)
	default:
		return isf(adopt.WaitsForever, "it is being deleted; the hook %s holds it before the VM is touched", terminate)
	}
}

// initialized is whether the Cluster says that its control plane was initialised.
func (w *world) initialized() bool {
	i := w.self.value.Status.Initialization.ControlPlaneInitialized
	return w.self.problem == "" && i != nil && *i
}

// hook is a hook of somebody else than the control-plane controller, which takes its own off.
func hook(m *clusterv1.Machine, prefix string) string {
	var out []string
	for a := range m.Annotations {
		if strings.HasPrefix(a, prefix) && !strings.HasSuffix(a, "/kcp-cleanup") {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (w *world) nodeNamed(name string) *inventory.Node {
	for _, n := range w.nodes {
		if name != "" && n.Name == name {
			return n
		}
	}
	return nil
}

func (w *world) nodesWithID(id string) []*inventory.Node {
	var out []*inventory.Node
	for _, n := range w.nodes {
		if id != "" && n.ProviderID == id {
			out = append(out, n)
		}
	}
	return out
}
