package progress_test

import "github.com/proxaudit/proxaudit/audit/progress"

// scaled is a MachineDeployment that wants one more, and what its MachineSet says of it.
func scaled(message, since string) string {
	return `
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 2}}
---
kind: MachineSet
metadata: {name: prod-md-x}
spec: {replicas: 2}
status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: "` + message + `", lastTransitionTime: "@` + since + `"}]}`
}

// workerStates are those of what makes workers. Cluster API 1.14.2: core/reconcilers/machineset (machineset_controller_status.go:
// setScalingUpCondition; machineset_preflight.go; syncReplicas' MarkFalse for the older family), core/reconcilers/machinedeployment.
var workerStates = []state{
	{name: "one more worker", patch: scaled("Scaling up from 1 to 2 replicas", "1m"),
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseReplicas,
		object: "MachineSet/prod-md-x", says: "it has 1 of 2 Machines", command: aboutSet, alone: true},
	{name: "a preflight check fails", patch: scaled(`Scaling up from 1 to 2 replicas is blocked because:\n* KubeadmControlPlane team/prod-cp is upgrading (\"ControlPlaneIsStable\" preflight check failed)`, "45m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CausePreflight,
		object: "MachineSet/prod-md-x", says: "preflight", shows: "is upgrading", command: aboutSet, alone: true},
	{name: "the versions are too far apart", patch: scaled(`Scaling up from 1 to 2 replicas is blocked because:\n* MachineSet version (1.34.0) and ControlPlane version (1.33.4) do not conform to the kubernetes version skew policy as MachineSet version is higher than ControlPlane version (\"KubernetesVersionSkew\" preflight check failed)`, "45m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseSkew,
		object: "MachineSet/prod-md-x", says: "version", shows: "1.34.0", command: aboutSet, alone: true},
	{name: "kubeadm's versions differ, older family", world: "v1beta1", patch: `
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 2}}
---
kind: MachineSet
metadata: {name: prod-md-x}
spec: {replicas: 2}
status: {conditions: [{type: MachinesCreated, status: "False", severity: Error, reason: PreflightCheckFailed, message: 'MachineSet version (1.29.0) and ControlPlane version (1.30.4) do not conform to kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane ("KubeadmVersionSkew" preflight check failed)', lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseSkew,
		object: "MachineSet/prod-md-x", says: "version", command: aboutSet, alone: true},
	{name: "a preflight check fails, older family", world: "v1beta1", patch: `
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 2}}
---
kind: MachineSet
metadata: {name: prod-md-x}
spec: {replicas: 2}
status: {conditions: [{type: MachinesCreated, status: "False", severity: Error, reason: PreflightCheckFailed, message: 'KubeadmControlPlane team/prod-cp is upgrading ("ControlPlaneIsStable" preflight check failed)', lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CausePreflight,
		object: "MachineSet/prod-md-x", says: "preflight", command: aboutSet, alone: true},
	{name: "no bootstrap template", patch: scaled(`Scaling up from 1 to 2 replicas is blocked because:\n* KubeadmConfigTemplate does not exist`, "45m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "MachineSet/prod-md-x", says: "does not exist", command: aboutSet, alone: true},
	{name: "a webhook is down for workers, older family", world: "v1beta1", patch: `
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 2}}
---
kind: MachineSet
metadata: {name: prod-md-x}
spec: {replicas: 2}
status: {conditions: [{type: MachinesCreated, status: "False", severity: Error, reason: InfrastructureTemplateCloningFailed, message: 'Internal error occurred: failed calling webhook "validation.proxmoxmachine.infrastructure.cluster.x-k8s.io": failed to call webhook: Post "https://capmox-webhook-service.capmox-system.svc:443/validate": no endpoints available for service "capmox-webhook-service"', lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseWebhook,
		object: "MachineSet/prod-md-x", says: "webhook does not answer", shows: "capmox-webhook-service", command: aboutSet, alone: true},
	// The newer family has the error's text in its deprecated conditions alone.
	{name: "a webhook is down for workers", patch: scaled("Scaling up from 1 to 2 replicas", "45m") + `
---
kind: MachineSet
metadata: {name: prod-md-x}
status: {deprecated: {v1beta1: {conditions: [{type: MachinesCreated, status: "False", severity: Error, reason: MachineCreationFailed, message: 'Internal error occurred: failed calling webhook "default.machine.cluster.x-k8s.io": context deadline exceeded', lastTransitionTime: "@45m"}]}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseWebhook,
		object: "MachineSet/prod-md-x", says: "webhook does not answer", shows: "context deadline exceeded", command: aboutSet, alone: true},
	{name: "a MachineDeployment without a MachineSet", patch: `
{kind: MachineSet, metadata: {name: prod-md-x}, delete: true}
---
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 2}, status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: Scaling up from 1 to 2 replicas, lastTransitionTime: "@45m"}]}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseReplicas,
		object: "MachineDeployment/prod-md", says: "it has 1 of 2 Machines", command: "mgmt -n team describe machinedeployments.cluster.x-k8s.io prod-md", alone: true},
	{name: "the MachineDeployment is paused", patch: `{kind: MachineDeployment, metadata: {name: prod-md, annotations: {cluster.x-k8s.io/paused: ""}}, spec: {replicas: 2}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "MachineDeployment/prod-md", says: "it is paused", command: "mgmt -n team describe machinedeployments.cluster.x-k8s.io prod-md", alone: true},
	{name: "the MachineSet is paused", patch: scaled("Scaling up from 1 to 2 replicas", "1m") + `
---
{kind: MachineSet, metadata: {name: prod-md-x, annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "MachineSet/prod-md-x", says: "it is paused", command: aboutSet, alone: true},
	{name: "the cluster is paused in the middle", patch: scaled("Scaling up from 1 to 2 replicas", "1m") + `
---
{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "Cluster/prod", says: "it is paused", command: aboutCluster},
	{name: "one worker too many", patch: `
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 0}}
---
kind: MachineSet
metadata: {name: prod-md-x}
spec: {replicas: 0}
status: {conditions: [{type: ScalingDown, status: "True", reason: ScalingDown, message: Scaling down from 1 to 0 replicas, lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseReplicas,
		object: "MachineSet/prod-md-x", says: "it has 1 of 0 Machines", shows: "too many", command: aboutSet, alone: true},
}
