package progress

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// network is the last phase: Nodes that are there and not Ready. Where they lack a network plugin, Cluster API is done: nobody of it
// installs one.
func (x *walk) network() {
	const phase = PhaseNetwork
	nodes := x.nodes[x.cluster.Key]
	if !x.s.Known(inventory.ClusterSource(x.cluster.Key), inventory.ScopeNodes) {
		x.networkByMachines()
		return
	}
	ready := 0
	for _, n := range nodes {
		if n.Ready == "True" {
			ready++
			continue
		}
		x.add(x.notReady(n), nil)
	}
	state := NotStarted
	if ready > 0 && ready == len(nodes) {
		state = Done
	}
	evidence := fmt.Sprintf("%d of %d Nodes are Ready", ready, len(nodes))
	if len(nodes) == 0 {
		evidence = "it has no Node"
	}
	x.phase(phase, state, evidence)
}

// noPlugin is what kubelets say without a network plugin (kubernetes pkg/kubelet/container runtime status; containerd, CRI-O).
func noPlugin(text string) bool {
	return strings.Contains(text, "NetworkPluginNotReady") || strings.Contains(text, "cni plugin not initialized") || strings.Contains(text, "cni config uninitialized")
}

func (x *walk) notReady(n *inventory.Node) *Baton {
	b := &Baton{Phase: PhaseNetwork, Holder: Kubelet, Object: inventory.Ref{Kind: "Node", Name: n.Name}, Cluster: x.cluster.Key, Cause: CauseNodeNotReady, Since: n.ReadySince,
		Detail: "its kubelet says that it is not Ready", Next: "the kubelet finds what it lacks",
		Condition: &inventory.Condition{Type: "Ready", Status: n.Ready, Reason: n.ReadyReason, Message: n.ReadyMessage, Since: n.ReadySince},
		Commands:  []string{x.workload(x.cluster, "describe", "node", n.Name), x.workload(x.cluster, "-n", "kube-system", "get", "pods", "-o", "wide", "--field-selector", "spec.nodeName="+n.Name)}}
	if b.Since == nil {
		b.Since = n.CreatedAt
	}
	switch {
	case noPlugin(n.ReadyMessage):
		b.Cause, b.Holder = CauseNoNetwork, CNI
		b.Detail = "it has no network plugin (CNI). Here Cluster API ends: no controller of it installs one"
		b.Next, b.Remedy = "a network plugin's DaemonSet starts on it", "Install a network plugin into the cluster, or see why its Pods do not start."
	case n.Ready == "Unknown" || n.ReadyReason == "NodeStatusUnknown":
		b.Detail = "its kubelet has said nothing since"
		b.Next, b.Remedy = "the kubelet answers again", "See whether its VM runs and is reached by the network."
	default:
		b.Remedy = "See the condition's message, and journalctl -u kubelet on it."
	}
	return b
}

// networkByMachines goes by what the Machines say of their Nodes, where the Nodes themselves were not seen.
func (x *walk) networkByMachines() {
	const phase = PhaseNetwork
	machines := x.machines[x.cluster.Key]
	with, ready := 0, 0
	for _, m := range machines {
		if m.NodeRef == "" {
			continue
		}
		with++
		c := unmet(&m.Meta, "NodeReady", "NodeHealthy")
		if c == nil {
			ready++
			continue
		}
		b := x.hold(phase, machineRef(m), CauseNodeNotReady, "its Node %s is not ready, by the Machine's word", m.NodeRef)
		b.Holder, b.Condition, b.Since, b.Next = Kubelet, c, c.Since, "the kubelet finds what it lacks"
		if noPlugin(c.Message) {
			b.Cause, b.Holder = CauseNoNetwork, CNI
			b.Detail = "its Node " + m.NodeRef + " has no network plugin (CNI). Here Cluster API ends: no controller of it installs one"
			b.Next, b.Remedy = "a network plugin's DaemonSet starts on it", "Install a network plugin into the cluster, or see why its Pods do not start."
		}
		if strings.Contains(c.Reason, "ConnectionDown") || c.Reason == "NodeInspectionFailed" || c.Reason == "InspectionFailed" {
			b = x.unreachable(phase, c)
		}
		x.add(b, &m.Meta)
	}
	state := NotStarted
	if with > 0 && ready == with {
		state = Done
	}
	evidence := fmt.Sprintf("%d of %d Nodes are ready, by the Machines' word (the Nodes were not seen)", ready, with)
	if with == 0 {
		evidence = "no Machine has a Node yet"
	}
	x.phase(phase, state, evidence)
}
