package progress_test

import (
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// noNodes is a run that did not reach the workload cluster.
func noNodes(s *inventory.Snapshot) {
	s.Nodes = nil
	for i := range s.Coverage {
		if c := &s.Coverage[i]; c.Source == inventory.ClusterSource("prod") {
			c.State, c.Reason = inventory.Failed, "i/o timeout"
		}
	}
}

const healthyKCP = `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
`

// bindingStates are those of providerIDs and of the control plane as a whole. Cluster API 1.14.2: core/reconcilers/machine
// (machine_controller_noderef.go, machine_controller_status.go), core/reconcilers/cluster/cluster_controller_status.go,
// controlplane/kubeadm/reconcilers/kubeadmcontrolplane/status.go (setAvailableCondition, getPreflightMessages).
var bindingStates = []state{
	{name: "no providerID", stages: "worker worker-host worker-up", patch: `
{kind: ProxmoxMachine, metadata: {name: prod-w1}, spec: {providerID: null}}
---
{kind: Machine, metadata: {name: prod-w1}, spec: {providerID: null}}`, tune: workerVM(func(v *inventory.VM) { v.Config.UUID = "" }),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProviderIDMissing,
		object: "ProxmoxMachine/prod-w1", says: "never wrote its providerID", command: aboutPM + "prod-w1", alone: true},
	{name: "kubeadm init runs", stages: "fresh infrastructure plane plane-host plane-up", patch: `
kind: Machine
metadata: {name: prod-cp-a}
status: {conditions: [{type: InfrastructureReady, status: "True", reason: Ready, lastTransitionTime: "@3m"}]}`,
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.Kubelet, cause: progress.CauseNotInitialized,
		object: "Machine/prod-cp-a", says: "has not initialised the control plane", command: aboutMachine + "prod-cp-a", alone: true},
	{name: "kubeadm init does not end", stages: "fresh infrastructure plane plane-host plane-up",
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Kubelet, cause: progress.CauseNotInitialized,
		object: "Machine/prod-cp-a", says: "has not initialised the control plane", shows: "cloud-init-output.log", command: aboutMachine + "prod-cp-a", alone: true},
	{name: "Talos does not boot", world: "talos", stages: "plane-up",
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Kubelet, cause: progress.CauseNotInitialized,
		object: "Machine/prod-cp-a", says: "Talos", shows: "talosctl", command: aboutMachine + "prod-cp-a", alone: true},
	{name: "initialised, and nobody says so", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
status: {initialization: null, conditions: [{type: Initialized, status: "False", reason: NotInitialized, lastTransitionTime: "@40m"}, {type: Available, status: "False", reason: NotAvailable, message: Control plane not yet initialized, lastTransitionTime: "@40m"}]}
---
kind: Cluster
metadata: {name: prod}
status: {initialization: {controlPlaneInitialized: null}, conditions: [{type: ControlPlaneInitialized, status: "False", reason: NotInitialized, message: Control plane not yet initialized, lastTransitionTime: "@40m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseNotInitialized,
		object: "KubeadmControlPlane/prod-cp", says: "does not say that it is initialised", command: aboutKCP, alone: true},
	{name: "the worker joins", stages: "worker worker-host worker-up", patch: `
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: InfrastructureReady, status: "True", reason: Ready, lastTransitionTime: "@4m"}]}`,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Kubelet, cause: progress.CauseNoNode,
		object: "Machine/prod-w1", says: "has not joined", command: aboutMachine + "prod-w1", alone: true},
	{name: "a VM that is stopped does not join", stages: "worker worker-host worker-up", tune: workerVM(func(v *inventory.VM) { v.Status = "stopped" }),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseVMStopped,
		object: "Machine/prod-w1", says: "is stopped, though CAPMOX says that it is up", shows: "bootstrap Secret", command: aboutMachine + "prod-w1", alone: true},
	{name: "the join token is dead", stages: "worker worker-host worker-up",
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseJoinExpired,
		object: "Machine/prod-w1", says: "join token", command: aboutMachine + "prod-w1", alone: true},
	{name: "the join token is dead, older family", world: "v1beta1", stages: "worker worker-host worker-up",
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseJoinExpired,
		object: "Machine/prod-w1", says: "join token", command: aboutMachine + "prod-w1", alone: true},
	{name: "the worker of a Secret of one's own does not join", stages: "worker worker-host worker-up", patch: `{kind: Machine, metadata: {name: prod-w1}, spec: {bootstrap: {configRef: null}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Kubelet, cause: progress.CauseNoNode,
		object: "Machine/prod-w1", says: "has not joined", command: aboutMachine + "prod-w1", alone: true},
	{name: "a Node without providerID", stages: "worker worker-host worker-up", patch: node("prod-w1") + `---
{kind: Node, metadata: {name: prod-w1, creationTimestamp: "@38m"}, spec: {providerID: null}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseNodeProviderID,
		object: "Node/prod-w1", says: "has no providerID", shows: "--provider-id", command: "prod get node prod-w1 -o 'jsonpath={.spec.providerID}'", alone: true},
	{name: "a providerID in upper case", stages: "worker worker-host worker-up", patch: node("prod-w1") + `---
{kind: Node, metadata: {name: prod-w1, creationTimestamp: "@38m"}, spec: {providerID: "proxmox://1A2B0001-3C4D-4E5F-8000-000000000002"}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseProviderIDMismatch,
		object: "Node/prod-w1", says: "differ in upper and lower case only", command: "prod get node prod-w1 -o 'jsonpath={.spec.providerID}'", alone: true},
	{name: "a providerID of another form", stages: "worker worker-host worker-up", patch: node("prod-w1") + `---
{kind: Node, metadata: {name: prod-w1, creationTimestamp: "@38m"}, spec: {providerID: "proxmox://home/102"}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseProviderIDMismatch,
		object: "Node/prod-w1", says: "looks for proxmox://1a2b0001-3c4d-4e5f-8000-000000000002", command: "prod get node prod-w1 -o 'jsonpath={.spec.providerID}'", alone: true},
	{name: "the Node is there, and the Machine does not say so", stages: "worker worker-host worker-up", patch: node("prod-w1") + `---
{kind: Node, metadata: {name: prod-w1, creationTimestamp: "@1m"}}`,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseNotLooked,
		object: "Machine/prod-w1", says: "does not say so yet", command: aboutMachine + "prod-w1", alone: true},
	{name: "the controllers do not reach the cluster", stages: "worker worker-host worker-up", patch: node("prod-w1") + `---
{kind: Node, metadata: {name: prod-w1, creationTimestamp: "@38m"}}
---
kind: Cluster
metadata: {name: prod}
status: {conditions: [{type: RemoteConnectionProbe, status: "False", reason: ProbeFailed, message: "Remote connection probe failed, probe last succeeded at 2026-05-04T11:10:00Z", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CauseEndpointUnreachable,
		object: "Cluster/prod", says: "10.0.0.10:6443", command: aboutCluster},
	{name: "nobody reaches the cluster", tune: noNodes, patch: `
kind: Cluster
metadata: {name: prod}
status: {conditions: [{type: RemoteConnectionProbe, status: "False", reason: ProbeFailed, message: "Remote connection probe failed, probe last succeeded at 2026-05-04T11:10:00Z", lastTransitionTime: "@45m"}]}
---
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: NodeHealthy, status: Unknown, reason: ConnectionDown, message: "Last successful probe at 2026-05-04T11:10:00Z", lastTransitionTime: "@45m"}, {type: NodeReady, status: Unknown, reason: ConnectionDown, message: "Last successful probe at 2026-05-04T11:10:00Z", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CauseEndpointUnreachable,
		object: "Cluster/prod", says: "do not reach", command: aboutCluster},
	{name: "the cluster is not reached for a moment", tune: noNodes, patch: `
kind: Cluster
metadata: {name: prod}
status: {conditions: [{type: RemoteConnectionProbe, status: "False", reason: ProbeFailed, message: Remote connection not established yet, lastTransitionTime: "@1m"}]}`,
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.Core, cause: progress.CauseEndpointUnreachable,
		object: "Cluster/prod", says: "do not reach", command: aboutCluster, alone: true},
	{name: "nobody reaches the cluster, older family", world: "v1beta1", tune: noNodes, patch: `
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: NodeHealthy, status: Unknown, reason: NodeInspectionFailed, message: Failed to get the Node for this Machine by ProviderID, lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.Person, cause: progress.CauseEndpointUnreachable,
		object: "Cluster/prod", says: "do not reach", command: aboutCluster, alone: true},
	{name: "the Node is gone", patch: `
{kind: Node, metadata: {name: prod-w1}, delete: true}
---
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: NodeHealthy, status: "False", reason: NodeDeleted, message: Node prod-w1 has been deleted while the Machine still exists, lastTransitionTime: "@5m"}, {type: NodeReady, status: "False", reason: NodeDeleted, message: Node prod-w1 has been deleted while the Machine still exists, lastTransitionTime: "@5m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseNodeGone,
		object: "Machine/prod-w1", says: "its Node prod-w1 is not in the cluster any more", command: aboutMachine + "prod-w1", alone: true},
	{name: "initialised and not available", patch: healthyKCP + `status:
  conditions:
  - {type: Available, status: "False", reason: NotAvailable, message: "* Etcd member prod-cp-a does not have quorum", lastTransitionTime: "@45m"}
  - {type: EtcdClusterHealthy, status: "False", reason: NotHealthy, message: "* Machine prod-cp-a:\n  * EtcdMemberHealthy: Etcd reports alarms", lastTransitionTime: "@45m"}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseNotAvailable,
		object: "KubeadmControlPlane/prod-cp", says: "it is initialised, and not available", command: aboutKCP, alone: true},
	{name: "initialised and not yet available", patch: healthyKCP + `status: {conditions: [{type: Available, status: "False", reason: NotAvailable, message: Waiting for etcd to report the list of members, lastTransitionTime: "@2m"}]}`,
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseNotAvailable,
		object: "KubeadmControlPlane/prod-cp", says: "it is initialised, and not available", command: aboutKCP, alone: true},
	{name: "etcd is not healthy, older family", world: "v1beta1", patch: healthyKCP + `status: {conditions: [{type: EtcdClusterHealthy, status: "False", severity: Error, reason: EtcdClusterUnhealthy, message: "Following Machines are reporting etcd member errors: prod-cp-a", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseNotAvailable,
		object: "KubeadmControlPlane/prod-cp", says: "it is initialised, and EtcdClusterHealthy is False", command: aboutKCP, alone: true},
	{name: "Talos' etcd is not healthy", world: "talos", patch: `
kind: TalosControlPlane
metadata: {name: prod-cp}
status: {ready: false, conditions: [{type: EtcdClusterHealthyCondition, status: "False", severity: Error, reason: EtcdClusterUnhealthy, message: "etcd is expected to have 1 members, got 2", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseNotAvailable,
		object: "TalosControlPlane/prod-cp", says: "it is initialised, and EtcdClusterHealthyCondition is False", command: "mgmt -n team describe taloscontrolplanes.controlplane.cluster.x-k8s.io prod-cp", alone: true},
	{name: "certificates went away", patch: healthyKCP + `status: {conditions: [{type: CertificatesAvailable, status: "False", reason: NotAvailable, message: "Cluster certificate for etcd is not available, please check cluster certificate secrets", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CauseCertificates,
		object: "KubeadmControlPlane/prod-cp", says: "certificates", shows: "certificate for etcd", command: aboutKCP, alone: true},
	{name: "the control plane grows", patch: `
{kind: KubeadmControlPlane, metadata: {name: prod-cp}, spec: {replicas: 3}, status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: Scaling up from 1 to 3 replicas, lastTransitionTime: "@1m"}]}}`,
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseReplicas,
		object: "KubeadmControlPlane/prod-cp", says: "it has 1 of 3 Machines", command: aboutKCP, alone: true},
	{name: "the control plane may not grow", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
spec: {replicas: 3}
status:
  conditions:
  - {type: ScalingUp, status: "True", reason: ScalingUp, message: "Scaling up from 1 to 3 replicas is blocked because:\n* waiting for etcd cluster to become healthy", lastTransitionTime: "@45m"}
  - {type: EtcdClusterHealthy, status: "False", reason: NotHealthy, message: "* Machine prod-cp-a:\n  * EtcdMemberHealthy: Etcd reports alarms", lastTransitionTime: "@45m"}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CausePreflight,
		object: "KubeadmControlPlane/prod-cp", says: "it has 1 of 3 Machines", shows: "Etcd reports alarms", command: aboutKCP, alone: true},
	{name: "the control plane's template went away", patch: `
{kind: ProxmoxMachineTemplate, metadata: {name: prod-cp}, delete: true}
---
kind: KubeadmControlPlane
metadata: {name: prod-cp}
spec: {replicas: 3}
status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: "Scaling up from 1 to 3 replicas is blocked because:\n* ProxmoxMachineTemplate does not exist", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "KubeadmControlPlane/prod-cp", says: "does not exist", command: aboutKCP, alone: true},
	{name: "the control plane is paused in the middle", patch: `{kind: KubeadmControlPlane, metadata: {name: prod-cp, annotations: {cluster.x-k8s.io/paused: ""}}, spec: {replicas: 3}}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CausePaused,
		object: "KubeadmControlPlane/prod-cp", says: "it is paused", command: aboutKCP, alone: true},
	{name: "the control plane shrinks", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
spec: {replicas: 0}
status: {conditions: [{type: ScalingDown, status: "True", reason: ScalingDown, message: Scaling down from 1 to 0 replicas, lastTransitionTime: "@2m"}]}`,
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseReplicas,
		object: "KubeadmControlPlane/prod-cp", says: "and 0 are wanted", command: aboutKCP, alone: true},
}
