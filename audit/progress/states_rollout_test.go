package progress_test

import "github.com/proxaudit/proxaudit/audit/progress"

// rolling is a control plane of the newer family that replaces its machines, since when, and what it says of the old one.
func rolling(since string) string {
	return `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
spec: {version: v1.34.1}
status: {conditions: [{type: RollingOut, status: "True", reason: RollingOut, message: "Rolling out 1 not up-to-date replicas\n* Version v1.33.4, v1.34.1 required", lastTransitionTime: "@` + since + `"}]}
---
kind: Machine
metadata: {name: prod-cp-a}
status: {conditions: [{type: UpToDate, status: "False", reason: NotUpToDate, message: "* Version v1.33.4, v1.34.1 required", lastTransitionTime: "@` + since + `"}]}`
}

// deployment is the same of a MachineDeployment.
func deployment(since string) string {
	return `
kind: MachineDeployment
metadata: {name: prod-md}
status: {conditions: [{type: RollingOut, status: "True", reason: RollingOut, message: "Rolling out 1 not up-to-date replicas", lastTransitionTime: "@` + since + `"}]}
---
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: UpToDate, status: "False", reason: NotUpToDate, message: "* InfrastructureMachine is not up-to-date", lastTransitionTime: "@` + since + `"}]}`
}

// rolloutStates are those of machines that are replaced. Cluster API 1.14.2: controlplane/kubeadm/reconcilers (status.go:
// setRollingOutCondition; preflight.go), core/reconcilers/machinedeployment (machinedeployment_status.go), core/reconcilers/machine
// (setUpToDateCondition, setUpdatingCondition).
var rolloutStates = []state{
	{name: "the control plane rolls out", patch: rolling("3m"),
		state: progress.Converging, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseRollout,
		object: "KubeadmControlPlane/prod-cp", says: "1 of its 1 Machines are not up to date", shows: "v1.34.1 required", command: aboutKCP, alone: true},
	{name: "the control plane's rollout does not begin", patch: rolling("3h"),
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseRollout,
		object: "KubeadmControlPlane/prod-cp", says: "rolls out a change", shows: "v1.34.1 required", command: aboutKCP, alone: true},
	{name: "the control plane's rollout waits for a Pod", patch: rolling("3h") + `
---
kind: Machine
metadata: {name: prod-cp-a}
status: {conditions: [{type: EtcdPodHealthy, status: "False", reason: Failed, message: "Pod etcd-prod-cp-a is CrashLoopBackOff", lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseRollout,
		object: "KubeadmControlPlane/prod-cp", says: "rolls out a change", shows: "EtcdPodHealthy is False: Pod etcd-prod-cp-a", command: aboutKCP, alone: true},
	{name: "the control plane's rollout is paused", patch: rolling("3m") + `
---
{kind: KubeadmControlPlane, metadata: {name: prod-cp, annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CausePaused,
		object: "KubeadmControlPlane/prod-cp", says: "not up to date", command: aboutKCP, alone: true},
	{name: "the control plane's rollout waits for a drain", patch: rolling("3h") + `
---
kind: Machine
metadata: {name: prod-cp-a, deletionTimestamp: "@2h"}
status: {conditions: [{type: Deleting, status: "True", reason: DrainingNode, message: "Drain not completed yet (started at 2026-05-04T10:00:00Z):\n* Pod web/api-0: cannot evict pod as it would violate the pod's disruption budget", lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Core, cause: progress.CauseDrain,
		object: "Machine/prod-cp-a", says: "drained", shows: "disruption budget", command: aboutMachine + "prod-cp-a", alone: true},
	{name: "the control plane rolls out, older family", world: "v1beta1", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
spec: {version: v1.32.1}
status: {conditions: [{type: MachinesSpecUpToDate, status: "False", severity: Warning, reason: RollingUpdateInProgress, message: Rolling 1 replicas with outdated spec (0 replicas up to date), lastTransitionTime: "@3h"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseRollout,
		object: "KubeadmControlPlane/prod-cp", says: "rolls out a change", shows: "outdated spec", command: aboutKCP, alone: true},
	{name: "workers are replaced", patch: deployment("3m"),
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseRollout,
		object: "MachineDeployment/prod-md", says: "1 of its 1 Machines are not up to date", shows: "InfrastructureMachine", command: aboutMD, alone: true},
	{name: "workers are not replaced", patch: deployment("3h"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseRollout,
		object: "MachineDeployment/prod-md", says: "rolls out a change", command: aboutMD, alone: true},
	{name: "workers are not replaced, older family", world: "v1beta1", patch: `
{kind: MachineSet, metadata: {name: prod-md-x, annotations: {machinedeployment.clusters.x-k8s.io/revision: "1"}}}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineSet
metadata:
  name: prod-md-y
  namespace: team
  creationTimestamp: "@3h"
  annotations: {machinedeployment.clusters.x-k8s.io/revision: "2"}
  labels: {cluster.x-k8s.io/cluster-name: prod, cluster.x-k8s.io/deployment-name: prod-md}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineDeployment, name: prod-md, uid: u-md, controller: true}]
spec: {clusterName: prod, replicas: 0}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseRollout,
		object: "MachineDeployment/prod-md", says: "rolls out a change", shows: "older MachineSet prod-md-x", command: aboutMD, alone: true},
	{name: "a paused MachineDeployment does not replace workers", patch: deployment("3m") + `
---
{kind: MachineDeployment, metadata: {name: prod-md, annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "MachineDeployment/prod-md", says: "not up to date", command: aboutMD, alone: true},
	{name: "a new worker of a rollout fails", stages: "worker worker-host", patch: deployment("3h"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "clones the template", command: aboutPM + "prod-w1", alone: true},
	{name: "an update in place fails", patch: deployment("3h") + `
---
kind: Machine
metadata: {name: prod-w1}
status: {conditions: [{type: Updating, status: "True", reason: InPlaceUpdateFailed, message: "extension says no", lastTransitionTime: "@2h"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseRollout,
		object: "Machine/prod-w1", says: "update in place failed", shows: "extension says no", command: aboutMachine + "prod-w1", alone: true},
	{name: "a MachineDeployment does not scale", patch: `{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 3}, status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: Scaling up from 1 to 3 replicas, lastTransitionTime: "@45m"}]}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseReplicas,
		object: "MachineDeployment/prod-md", says: "it wants 3 Machines, and its MachineSets are told to have 1", command: aboutMD, alone: true},
}
