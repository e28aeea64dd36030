package progress_test

import "github.com/proxaudit/proxaudit/audit/progress"

// sumStates are those in which all steps are done, and something is not well all the same: what was there and is lost, objects of kinds
// that proxaudit does not read, and what says that it waits for what is done.
var sumStates = []state{
	{name: "credentials die later", patch: `
kind: ProxmoxCluster
metadata: {name: prod}
status: {conditions: [{type: ProxmoxAvailable, status: "False", reason: ProxmoxUnreachable, message: "401 no such token", lastTransitionTime: "@2h"}, {type: Ready, status: "False", reason: ProxmoxUnreachable, lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseCredentials,
		object: "ProxmoxCluster/prod", says: "API token", command: aboutPC, alone: true},
	{name: "the ProxmoxCluster is deleted alone", patch: `{kind: ProxmoxCluster, metadata: {name: prod, deletionTimestamp: "@2h"}}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseFinalizer,
		object: "ProxmoxCluster/prod", says: "it is being deleted", command: aboutPC, alone: true},
	{name: "the ProxmoxCluster is gone", patch: `{kind: ProxmoxCluster, metadata: {name: prod}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "ProxmoxCluster/prod", says: "there is no ProxmoxCluster", command: "mgmt -n team get proxmoxclusters.infrastructure.cluster.x-k8s.io", alone: true},
	{name: "the control plane is deleted alone", patch: `{kind: KubeadmControlPlane, metadata: {name: prod-cp, deletionTimestamp: "@2h"}}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.ControlPlane, cause: progress.CauseFinalizer,
		object: "KubeadmControlPlane/prod-cp", says: "it is being deleted", command: aboutKCP, alone: true},
	{name: "a ProxmoxMachine is deleted alone", patch: `{kind: ProxmoxMachine, metadata: {name: prod-w1, deletionTimestamp: "@2h"}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseFinalizer,
		object: "ProxmoxMachine/prod-w1", says: "it is being deleted", command: aboutPM + "prod-w1", alone: true},
	{name: "a ProxmoxMachine is gone", patch: `{kind: ProxmoxMachine, metadata: {name: prod-w1}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "ProxmoxMachine/prod-w1", says: "there is no ProxmoxMachine", command: "mgmt -n team get proxmoxmachines.infrastructure.cluster.x-k8s.io", alone: true},
	{name: "an unhealthy Machine cannot be replaced", patch: `
kind: Machine
metadata: {name: prod-cp-a}
status: {conditions: [{type: OwnerRemediated, status: "False", reason: CannotBeRemediated, message: KCP can't remediate if current replicas are less or equal to 1, lastTransitionTime: "@2h"}, {type: Ready, status: "False", reason: NotReady, lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Core, cause: progress.CauseCondition,
		object: "Machine/prod-cp-a", says: "CannotBeRemediated", shows: "less or equal", command: aboutMachine + "prod-cp-a", alone: true},
	{name: "a MachinePool is not well", patch: `
kind: Cluster
metadata: {name: prod}
status: {conditions: [{type: WorkersAvailable, status: "False", reason: NotAvailable, message: "* MachinePool pool-0: 0 available replicas", lastTransitionTime: "@2h"}, {type: Available, status: "False", reason: NotAvailable, lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseCondition,
		object: "Cluster/prod", says: "WorkersAvailable is False", shows: "MachinePool pool-0", command: aboutCluster, alone: true},
	{name: "a topology waits", patch: `
kind: Cluster
metadata: {name: prod}
status: {conditions: [{type: TopologyReconciled, status: "False", reason: LifecycleHookBlocking, message: "hook \"BeforeClusterUpgrade\" is blocking", lastTransitionTime: "@2h"}, {type: Available, status: "False", reason: NotAvailable, lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Core, cause: progress.CauseCondition,
		object: "Cluster/prod", says: "LifecycleHookBlocking", shows: "BeforeClusterUpgrade", command: aboutCluster, alone: true},
	{name: "nobody knows how the cluster is", patch: `{kind: Cluster, metadata: {name: prod}, status: {conditions: [{type: Available, status: Unknown, reason: AvailableUnknown, lastTransitionTime: "@2h"}]}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseCondition,
		object: "Cluster/prod", says: "Available is Unknown", command: aboutCluster, alone: true},
	{name: "a ProxmoxMachine waits for what is done", stages: "worker", patch: `
{kind: Machine, metadata: {name: prod-w1}, spec: {bootstrap: {dataSecretName: prod-w1}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseNotLooked,
		object: "ProxmoxMachine/prod-w1", says: "nobody is left for whom it could wait", command: aboutPM + "prod-w1", alone: true},
	{name: "a KubeadmConfig waits for what is done", stages: "worker", patch: `
kind: KubeadmConfig
metadata: {name: prod-w1}
status: {conditions: [{type: DataSecretAvailable, status: "False", reason: NotAvailable, message: Waiting for Cluster control plane to be initialized, lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Bootstrap, cause: progress.CauseNotLooked,
		object: "KubeadmConfig/prod-w1", says: "nobody is left for whom it could wait", command: aboutConfig + "prod-w1", alone: true},
	{name: "another control plane is not initialised", stages: "fresh infrastructure", patch: foreignControlPlane,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Other, cause: progress.CauseNotInitialized,
		object: "RKE2ControlPlane/prod-cp", says: "a RKE2ControlPlane, which proxaudit does not know", command: "mgmt -n team describe rke2controlplanes.controlplane.cluster.x-k8s.io prod-cp", alone: true},
	{name: "another control plane is not available", patch: foreignControlPlane + `
---
{kind: Cluster, metadata: {name: prod}, status: {conditions: [{type: ControlPlaneAvailable, status: "False", reason: NotAvailable, message: no leader, lastTransitionTime: "@2h"}]}}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Other, cause: progress.CauseNotAvailable,
		object: "RKE2ControlPlane/prod-cp", says: "not available", shows: "no leader", command: "mgmt -n team describe rke2controlplanes.controlplane.cluster.x-k8s.io prod-cp", alone: true},
	{name: "a Node without a Machine is not ready", patch: `
apiVersion: v1
kind: Node
metadata: {name: by-hand, creationTimestamp: "@10d"}
status: {conditions: [{type: Ready, status: "False", reason: KubeletNotReady, message: PLEG is not healthy, lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.Kubelet, cause: progress.CauseNodeNotReady,
		object: "Node/by-hand", says: "no Machine declares it", command: aboutNode + "by-hand", alone: true},
	{name: "a worker's VM is stopped later", patch: silent("prod-w1"), tune: stopped("prod-w1"),
		state: progress.Stuck, phase: progress.PhaseNetwork, holder: progress.Person, cause: progress.CauseVMStopped,
		object: "Node/prod-w1", says: "its VM home/102 is stopped", command: aboutNode + "prod-w1", alone: true},
	{name: "a control plane's VM is stopped", patch: silent("prod-cp-a") + `
---
kind: KubeadmControlPlane
metadata: {name: prod-cp}
status: {conditions: [{type: EtcdClusterHealthy, status: "False", reason: NotHealthy, message: "etcd member prod-cp-a is not healthy", lastTransitionTime: "@2h"}, {type: Available, status: "False", reason: NotAvailable, lastTransitionTime: "@2h"}]}`, tune: stopped("prod-cp-a"),
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CauseVMStopped,
		object: "Node/prod-cp-a", says: "its VM home/101 is stopped", shows: "etcd member prod-cp-a", command: aboutNode + "prod-cp-a", alone: true},
	{name: "the control plane grows, and workers wait for it", patch: scaled(`Scaling up from 1 to 2 replicas is blocked because:\n* KubeadmControlPlane team/prod-cp is scaling up (\"ControlPlaneIsStable\" preflight check failed)`, "45m") + `
---
{kind: KubeadmControlPlane, metadata: {name: prod-cp}, spec: {replicas: 3}, status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: Scaling up from 1 to 3 replicas, lastTransitionTime: "@3m"}]}}`,
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseReplicas,
		object: "KubeadmControlPlane/prod-cp", says: "it has 1 of 3 Machines", command: aboutKCP, alone: true},
	{name: "an old mount of a controller lies around", stages: "worker worker-host", patch: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: capmox-old, namespace: aaa-old, generation: 1, labels: {cluster.x-k8s.io/provider: infrastructure-proxmox}}
spec: {replicas: 0, template: {spec: {containers: [{name: manager, image: "registry.example.com/capmox:v0.7.0"}]}}}
status: {observedGeneration: 1}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "clones the template", command: aboutPM + "prod-w1", alone: true},
	{name: "a controller without the label has just written", stages: "worker worker-host", patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, delete: true}
---
{kind: Pod, metadata: {name: capmox-controller-manager-6d5f7c9b8-abcde}, delete: true}
---
` + proxmoxMachine("prod-w1", "Cloning", "", "2m"),
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "clones the template", shows: "no Deployment has the label", command: aboutPM + "prod-w1", alone: true},
	{name: "a drain fails for the cluster's own server", patch: `
kind: Machine
metadata: {name: prod-w1, deletionTimestamp: "@2h"}
status: {conditions: [{type: Deleting, status: "True", reason: DrainingNode, message: "dial tcp 10.0.0.10:6443: connect: connection refused", lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseEndpointUnreachable,
		object: "Machine/prod-w1", says: "nothing listens", command: aboutMachine + "prod-w1", alone: true},
}

// foreignControlPlane is a Cluster whose control plane is of a kind that proxaudit does not read, without Machines of its own.
const foreignControlPlane = `
kind: Cluster
metadata: {name: prod}
spec: {controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: RKE2ControlPlane, name: prod-cp}}
---
{kind: KubeadmControlPlane, metadata: {name: prod-cp}, delete: true}`

// silent is a Node whose kubelet has stopped, with what the core controller makes of it (core/reconcilers/machine:
// setNodeHealthyAndReadyConditions).
func silent(node string) string {
	return `
kind: Machine
metadata: {name: ` + node + `}
status:
  conditions:
  - {type: NodeReady, status: Unknown, reason: NodeReadyUnknown, message: Kubelet stopped posting node status., lastTransitionTime: "@2h"}
  - {type: NodeHealthy, status: Unknown, reason: NodeHealthUnknown, message: "* Node.Ready: Kubelet stopped posting node status.", lastTransitionTime: "@2h"}
  - {type: Ready, status: Unknown, reason: ReadyUnknown, lastTransitionTime: "@2h"}
---
kind: Node
metadata: {name: ` + node + `}
status: {conditions: [{type: Ready, status: Unknown, reason: NodeStatusUnknown, message: Kubelet stopped posting node status., lastTransitionTime: "@2h"}]}`
}
