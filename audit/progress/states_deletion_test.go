package progress_test

import "github.com/proxaudit/proxaudit/audit/progress"

// goes is the worker's Machine in deletion, and what it says of that in the newer family.
func goes(reason, message, since string) string {
	return `
kind: Machine
metadata: {name: prod-w1, deletionTimestamp: "@` + since + `"}
status: {phase: Deleting, conditions: [{type: Deleting, status: "True", reason: ` + reason + `, message: "` + message + `", lastTransitionTime: "@` + since + `"}]}`
}

// wasted is the cluster in deletion.
func wasted(reason, message string) string {
	return `
kind: Cluster
metadata: {name: prod, deletionTimestamp: "@45m"}
status: {phase: Deleting, conditions: [{type: Deleting, status: "True", reason: ` + reason + `, message: "` + message + `", lastTransitionTime: "@45m"}]}`
}

// deletionStates are those of what goes away. Cluster API 1.14.2: core/reconcilers/machine/machine_controller.go (reconcileDelete; the older
// family's MarkFalse there), core/reconcilers/cluster/cluster_controller.go (reconcileDelete); CAPMOX 0.9.0:
// internal/service/vmservice/delete.go.
var deletionStates = []state{
	{name: "a Node is drained", patch: goes("DrainingNode", `Drain not completed yet (started at 2026-05-04T11:55:00Z):\n* Pod default/web-0: deletionTimestamp set, but still not removed from the Node`, "5m"),
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseDrain,
		object: "Machine/prod-w1", says: "its Node is drained", command: aboutMachine + "prod-w1", alone: true},
	{name: "a Node cannot be drained", patch: goes("DrainingNode", `Drain not completed yet (started at 2026-05-04T11:00:00Z):\n* Pod default/web-0: cannot evict pod as it would violate the pod's disruption budget.`, "1h"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseDrain,
		object: "Machine/prod-w1", says: "its Node is drained", shows: "disruption budget", command: aboutMachine + "prod-w1", alone: true},
	{name: "a drain fails, older family", world: "v1beta1", patch: `
kind: Machine
metadata: {name: prod-w1, deletionTimestamp: "@1h"}
status: {phase: Deleting, conditions: [{type: DrainingSucceeded, status: "False", severity: Warning, reason: DrainingFailed, message: "error when evicting pod", lastTransitionTime: "@1h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseDrain,
		object: "Machine/prod-w1", says: "drain", command: aboutMachine + "prod-w1", alone: true},
	{name: "a pre-drain hook", patch: goes("WaitingForPreDrainHook", "Waiting for pre-drain hooks to succeed (hooks: pre-drain.delete.hook.machine.cluster.x-k8s.io/backup)", "2m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseHook,
		object: "Machine/prod-w1", says: "pre-drain hook", shows: "machine.cluster.x-k8s.io/backup", command: aboutMachine + "prod-w1", alone: true},
	{name: "a pre-terminate hook, older family", world: "v1beta1", patch: `
kind: Machine
metadata: {name: prod-w1, deletionTimestamp: "@1h", annotations: {pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup: ""}}
status: {phase: Deleting, conditions: [{type: PreDrainDeleteHookSucceeded, status: "True", lastTransitionTime: "@1h"}, {type: DrainingSucceeded, status: "True", lastTransitionTime: "@1h"}, {type: PreTerminateDeleteHookSucceeded, status: "False", severity: Info, reason: WaitingExternalHook, lastTransitionTime: "@1h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseHook,
		object: "Machine/prod-w1", says: "hook: backup", command: aboutMachine + "prod-w1", alone: true},
	{name: "a pre-terminate hook beside one that is done", patch: goes("WaitingForPreTerminateHook", "Waiting for pre-terminate hooks to succeed (hooks: pre-terminate.delete.hook.machine.cluster.x-k8s.io/volumes)", "2m") + `
---
{kind: Machine, metadata: {name: prod-w1, annotations: {pre-terminate.delete.hook.machine.cluster.x-k8s.io/volumes: "", pre-drain.delete.hook.machine.cluster.x-k8s.io/other: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseHook,
		object: "Machine/prod-w1", says: "its deletion waits for a pre-terminate hook: volumes", command: aboutMachine + "prod-w1", alone: true},
	{name: "volumes are not detached", patch: goes("WaitingForVolumeDetach", "Waiting for Node volumes to be detached (started at 2026-05-04T11:00:00Z)", "1h"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseDrain,
		object: "Machine/prod-w1", says: "volumes", command: aboutMachine + "prod-w1", alone: true},
	{name: "the VM cannot be deleted", patch: goes("WaitingForInfrastructureDeletion", "Waiting for ProxmoxMachine to be deleted", "1h") + `
---
kind: ProxmoxMachine
metadata: {name: prod-w1, deletionTimestamp: "@1h"}
status: {conditions: [{type: VirtualMachineProvisioned, status: "False", reason: DeletionFailed, lastTransitionTime: "@1h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseFinalizer,
		object: "ProxmoxMachine/prod-w1", says: "could not delete the VM", command: aboutPM + "prod-w1", alone: true},
	{name: "the VM cannot be deleted, older family", world: "v1beta1", patch: `
kind: Machine
metadata: {name: prod-w1, deletionTimestamp: "@1h"}
status: {phase: Deleting, conditions: [{type: InfrastructureReady, status: "False", severity: Info, reason: Deleting, lastTransitionTime: "@1h"}, {type: DrainingSucceeded, status: "True", lastTransitionTime: "@1h"}]}
---
kind: ProxmoxMachine
metadata: {name: prod-w1, deletionTimestamp: "@1h"}
status: {ready: false, conditions: [{type: VMProvisioned, status: "False", severity: Warning, reason: DeletionFailed, lastTransitionTime: "@1h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseFinalizer,
		object: "ProxmoxMachine/prod-w1", says: "could not delete the VM", command: aboutPM + "prod-w1", alone: true},
	{name: "a paused ProxmoxMachine is deleted", patch: goes("WaitingForInfrastructureDeletion", "Waiting for ProxmoxMachine to be deleted", "5m") + `
---
{kind: ProxmoxMachine, metadata: {name: prod-w1, deletionTimestamp: "@5m", annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "ProxmoxMachine/prod-w1", says: "being deleted, and paused", command: aboutPM + "prod-w1", alone: true},
	{name: "somebody's finalizer", patch: goes("DeletionCompleted", "Deletion completed", "5m") + `
---
{kind: Machine, metadata: {name: prod-w1, finalizers: [example.com/cmdb]}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseFinalizer,
		object: "Machine/prod-w1", says: "the finalizer example.com/cmdb is none of Cluster API's", command: aboutMachine + "prod-w1", alone: true},
	{name: "CAPMOX is down in a deletion", patch: goes("WaitingForInfrastructureDeletion", "Waiting for ProxmoxMachine to be deleted", "5m") + `
---
{kind: ProxmoxMachine, metadata: {name: prod-w1, deletionTimestamp: "@5m"}}
---
{kind: Deployment, metadata: {name: capmox-controller-manager}, status: {availableReplicas: null}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "does not act", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "the cluster's deletion waits for a hook", patch: wasted("WaitingForBeforeDeleteHook", "Waiting for BeforeClusterDelete hook"),
		state: progress.Stuck, phase: progress.PhaseDeletion, holder: progress.Other, cause: progress.CauseHook,
		object: "Cluster/prod", says: "BeforeClusterDelete", command: aboutCluster, alone: true},
	{name: "the cluster's deletion waits for a drain", patch: wasted("WaitingForWorkersDeletion", "* MachineDeployments: prod-md") + "\n---" + goes("DrainingNode", "Drain not completed yet", "44m"),
		state: progress.Stuck, phase: progress.PhaseDeletion, holder: progress.Core, cause: progress.CauseDrain,
		object: "Machine/prod-w1", says: "its Node is drained", command: aboutMachine + "prod-w1", alone: true},
	{name: "the cluster is deleted and paused", patch: wasted("WaitingForWorkersDeletion", "* MachineDeployments: prod-md") + "\n---" + goes("Deleting", "Deletion started", "44m") + `
---
{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}`,
		state: progress.Stuck, phase: progress.PhaseDeletion, holder: progress.Person, cause: progress.CausePaused,
		object: "Cluster/prod", says: "paused", command: aboutCluster},
	{name: "the infrastructure does not go", stages: "fresh", patch: wasted("WaitingForInfrastructureDeletion", "Waiting for ProxmoxCluster to be deleted") + `
---
{kind: KubeadmControlPlane, metadata: {name: prod-cp}, delete: true}
---
{kind: MachineDeployment, metadata: {name: prod-md}, delete: true}
---
{kind: MachineSet, metadata: {name: prod-md-x}, delete: true}
---
{kind: ProxmoxCluster, metadata: {name: prod, deletionTimestamp: "@45m"}}`,
		state: progress.Stuck, phase: progress.PhaseDeletion, holder: progress.Infrastructure, cause: progress.CauseFinalizer,
		object: "ProxmoxCluster/prod", says: "it is being deleted", shows: "proxmoxcluster.infrastructure.cluster.x-k8s.io", command: aboutPC, alone: true},
	{name: "a MachineSet is deleted", patch: wasted("WaitingForWorkersDeletion", "* MachineSets: prod-md-x") + `
---
{kind: MachineSet, metadata: {name: prod-md-x, deletionTimestamp: "@45m", finalizers: [example.com/keep]}}`,
		state: progress.Stuck, phase: progress.PhaseDeletion, holder: progress.Person, cause: progress.CauseFinalizer,
		object: "MachineSet/prod-md-x", says: "example.com/keep", command: aboutSet, alone: true},
}
