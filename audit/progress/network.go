package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
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
		if !x.held[n.Name] {
			x.add(x.notReady(n), nil)
		}
	}
	state := NotStarted
	// A cluster that wants no machine has no Node either.
	if ready == len(nodes) && (ready > 0 || len(x.machines[x.cluster.Key]) == 0 && x.initialized()) {
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
	x.nodeVM(b, n)
	return b
}

// nodeVM adds to a Node that is not Ready what Proxmox says of its VM, and whose it is: without a Machine no controller replaces it.
func (x *walk) nodeVM(b *Baton, n *inventory.Node) {
	owned := slices.ContainsFunc(x.machines[x.cluster.Key], func(m *inventory.Machine) bool {
		return m.NodeRef == n.Name || m.ProviderID != "" && m.ProviderID == n.ProviderID
	})
	if !owned && x.s.Known(inventory.ManagementSource, inventory.ScopeMachines) {
		b.Detail += "; no Machine declares it: no controller replaces it"
	}
	e := x.graph.Of(inventory.Subject{Kind: inventory.SubjectNode, Scope: n.Cluster, Name: n.Name})
	switch {
	case e == nil:
	case len(e.VMs) == 1:
		v := &x.s.VMs[e.VMs[0]]
		if b.Cause == CauseNodeNotReady {
			b.Evidence = append(b.Evidence, fmt.Sprintf("VM %s on %s is %s", v.Key(), v.Node, v.Status))
		}
		if v.Status == "stopped" {
			b.Cause, b.Holder, b.Next = CauseVMStopped, Person, ""
			b.Detail = fmt.Sprintf("its VM %s is stopped: nobody starts it again", v.Key())
			b.Remedy = "Start the VM, and see why it stopped."
		}
	case e.Class == identity.GhostMachine || e.Class == identity.GhostNode:
		b.Cause, b.Holder, b.Next = CauseVMGone, Person, ""
		b.Detail = "its VM is not in Proxmox any more"
		b.Remedy = "Delete its Machine: its owner makes another one. A Node without a Machine is deleted itself."
	default:
	}
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
		if c == nil && condition(&m.Meta, "NodeReady", "NodeHealthy") == nil {
			// Neither the Node nor its Machine says how it is.
			if need := (inventory.Need{Source: inventory.ClusterSource(x.cluster.Key), Scope: inventory.ScopeNodes}); !slices.Contains(x.unseen, need) {
				x.unseen = append(x.unseen, need)
			}
			continue
		}
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
	if ready == with && (with > 0 || len(machines) == 0 && x.initialized()) {
		state = Done
	}
	evidence := fmt.Sprintf("%d of %d Nodes are ready, by the Machines' word (the Nodes were not seen)", ready, with)
	if with == 0 {
		evidence = "no Machine has a Node yet"
	}
	x.phase(phase, state, evidence)
}
