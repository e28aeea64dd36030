package progress_test

import "github.com/proxaudit/proxaudit/audit/progress"

const noCNI = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"

// byMachine is what the core controller says of a Machine's Node beside.
func byMachine(status, ready, healthy, message, since string) string {
	return `
---
kind: Machine
metadata: {name: prod-w1}
status:
  conditions:
  - {type: NodeHealthy, status: "` + status + `", reason: ` + healthy + `, message: "* Node.Ready: ` + message + `", lastTransitionTime: "@` + since + `"}
  - {type: NodeReady, status: "` + status + `", reason: ` + ready + `, message: "* Node.Ready: ` + message + `", lastTransitionTime: "@` + since + `"}`
}

// networkStates are those of Nodes: kubernetes pkg/kubelet/nodestatus (setters.go: ReadyCondition) and pkg/controller/nodelifecycle
// (NodeStatusUnknown); by the Machine's word: core/reconcilers/machine/machine_controller_status.go (setNodeHealthyAndReadyConditions).
var networkStates = []state{
	{name: "no network plugin", patch: `
kind: Node
metadata: {name: prod-w1}
status: {conditions: [{type: Ready, status: "False", reason: KubeletNotReady, message: "` + noCNI + `", lastTransitionTime: "@45m"}]}` + byMachine("False", "NodeNotReady", "NodeNotHealthy", noCNI, "45m"),
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.CNI, cause: progress.CauseNoNetwork,
		object: "Node/prod-w1", says: "Here Cluster API ends", command: aboutNode + "prod-w1", alone: true},
	{name: "the network plugin starts", patch: `
kind: Node
metadata: {name: prod-w1}
status: {conditions: [{type: Ready, status: "False", reason: KubeletNotReady, message: "` + noCNI + `", lastTransitionTime: "@1m"}]}` + byMachine("False", "NodeNotReady", "NodeNotHealthy", noCNI, "1m"),
		state: progress.Converging, phase: progress.PhaseNetwork, holder: progress.CNI, cause: progress.CauseNoNetwork,
		object: "Node/prod-w1", says: "Here Cluster API ends", command: aboutNode + "prod-w1", alone: true},
	{name: "a kubelet is silent", patch: `
kind: Node
metadata: {name: prod-w1}
status: {conditions: [{type: Ready, status: Unknown, reason: NodeStatusUnknown, message: Kubelet stopped posting node status., lastTransitionTime: "@45m"}]}` + byMachine("Unknown", "NodeReadyUnknown", "NodeHealthyUnknown", "Kubelet stopped posting node status.", "45m"),
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.Kubelet, cause: progress.CauseNodeNotReady,
		object: "Node/prod-w1", says: "has said nothing since", command: aboutNode + "prod-w1", alone: true},
	{name: "a kubelet lacks something", patch: `
kind: Node
metadata: {name: prod-w1}
status: {conditions: [{type: Ready, status: "False", reason: KubeletNotReady, message: "PLEG is not healthy: pleg was last seen active 12m ago", lastTransitionTime: "@45m"}]}` + byMachine("False", "NodeNotReady", "NodeNotHealthy", "PLEG is not healthy", "45m"),
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.Kubelet, cause: progress.CauseNodeNotReady,
		object: "Node/prod-w1", says: "not Ready", shows: "PLEG", command: aboutNode + "prod-w1", alone: true},
	{name: "no network plugin, by the Machine's word", tune: noNodes, patch: `
kind: Machine
metadata: {name: prod-w1}
status:
  conditions:
  - {type: NodeHealthy, status: "False", reason: NodeNotHealthy, message: "* Node.Ready: ` + noCNI + `", lastTransitionTime: "@45m"}
  - {type: NodeReady, status: "False", reason: NodeNotReady, message: "* Node.Ready: ` + noCNI + `", lastTransitionTime: "@45m"}`,
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.CNI, cause: progress.CauseNoNetwork,
		object: "Machine/prod-w1", says: "Here Cluster API ends", command: aboutMachine + "prod-w1", alone: true},
	{name: "a Node is not ready, by the Machine's word", world: "v1beta1", tune: noNodes, patch: `
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: NodeHealthy, status: "False", severity: Warning, reason: NodeConditionsFailed, message: "Condition Ready on node is reporting status Unknown for more than 30s.", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.Kubelet, cause: progress.CauseNodeNotReady,
		object: "Machine/prod-w1", says: "not ready, by the Machine's word", command: aboutMachine + "prod-w1", alone: true},
}
