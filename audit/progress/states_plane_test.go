package progress_test

import (
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// planeStates are those of the control plane's object and of bootstrap data. Cluster API 1.14.2:
// controlplane/kubeadm/reconcilers/kubeadmcontrolplane (status.go: setScalingUpCondition; helpers.go: cloneConfigsAndGenerateMachine;
// reconcileClusterCertificates) and bootstrap/kubeadm/reconcilers/kubeadmconfig. Of an error the newer family says "Please check controller
// logs"; the older family's text is in status.deprecated.v1beta1 then.
var planeStates = []state{
	{name: "no control plane object", stages: "fresh infrastructure", patch: `{kind: KubeadmControlPlane, metadata: {name: prod-cp}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "KubeadmControlPlane/prod-cp", says: "there is no KubeadmControlPlane prod-cp", command: "mgmt -n team get kubeadmcontrolplanes.controlplane.cluster.x-k8s.io", alone: true},
	{name: "the Cluster names no control plane", stages: "fresh infrastructure", patch: `
{kind: Cluster, metadata: {name: prod}, spec: {controlPlaneRef: null}}
---
{kind: KubeadmControlPlane, metadata: {name: prod-cp}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "Cluster/prod", says: "neither a control plane object", command: aboutCluster, alone: true},
	{name: "control plane without owner", stages: "fresh infrastructure", patch: `{kind: KubeadmControlPlane, metadata: {name: prod-cp, ownerReferences: null}}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Core, cause: progress.CauseOwnerMissing,
		object: "KubeadmControlPlane/prod-cp", says: "its owner", command: aboutKCP, alone: true},
	{name: "no first Machine", stages: "fresh infrastructure",
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.ControlPlane, cause: progress.CauseNotLooked,
		object: "KubeadmControlPlane/prod-cp", says: "no Machine yet", command: aboutKCP, alone: true},
	{name: "no machine template", stages: "fresh infrastructure", patch: `
{kind: ProxmoxMachineTemplate, metadata: {name: prod-cp}, delete: true}
---
kind: KubeadmControlPlane
metadata: {name: prod-cp}
status: {conditions: [{type: ScalingUp, status: "True", reason: ScalingUp, message: "Scaling up from 0 to 1 replicas is blocked because:\n* ProxmoxMachineTemplate does not exist", lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "KubeadmControlPlane/prod-cp", says: "does not exist", command: aboutKCP, alone: true},
	{name: "no machine template, older family", world: "v1beta1", stages: "fresh infrastructure", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
status: {conditions: [{type: MachinesCreated, status: "False", severity: Error, reason: InfrastructureTemplateCloningFailed, message: 'failed to get ProxmoxMachineTemplate team/prod-cp: proxmoxmachinetemplates.infrastructure.cluster.x-k8s.io "prod-cp" not found', lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "KubeadmControlPlane/prod-cp", says: "cannot be cloned", command: aboutKCP, alone: true},
	{name: "the control plane is paused", stages: "fresh infrastructure", patch: `{kind: KubeadmControlPlane, metadata: {name: prod-cp, annotations: {cluster.x-k8s.io/paused: "true"}}}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CausePaused,
		object: "KubeadmControlPlane/prod-cp", says: "annotation cluster.x-k8s.io/paused", command: aboutKCP, alone: true},
	{name: "no certificates", stages: "fresh infrastructure", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
status:
  conditions: [{type: CertificatesAvailable, status: Unknown, reason: InternalError, message: Please check controller logs for errors, lastTransitionTime: "@45m"}]
  deprecated: {v1beta1: {conditions: [{type: CertificatesAvailable, status: "False", severity: Warning, reason: CertificatesGenerationFailed, message: 'secrets "prod-ca" is forbidden', lastTransitionTime: "@45m"}]}}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.ControlPlane, cause: progress.CauseCertificates,
		object: "KubeadmControlPlane/prod-cp", says: "certificates", shows: "is forbidden", command: aboutKCP, alone: true},
	{name: "a webhook is down", stages: "fresh infrastructure", patch: `
apiVersion: v1
kind: Event
metadata: {name: prod-cp.1, namespace: team}
involvedObject: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: prod-cp, namespace: team}
type: Warning
reason: FailedInitialization
message: 'Failed to create initial control plane Machine for cluster team/prod: failed to create Machine: Internal error occurred: failed calling webhook "default.machine.cluster.x-k8s.io": failed to call webhook: Post "https://capi-webhook-service.capi-system.svc:443/mutate-cluster-x-k8s-io-v1beta2-machine": dial tcp 10.96.0.7:443: connect: connection refused'
count: 31
firstTimestamp: "@44m"
lastTimestamp: "@1m"
source: {component: kubeadmcontrolplane-controller}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CauseWebhook,
		object: "KubeadmControlPlane/prod-cp", says: "webhook does not answer", shows: "FailedInitialization", command: aboutKCP, alone: true},
	{name: "a webhook was down an hour ago", stages: "fresh infrastructure", patch: `
apiVersion: v1
kind: Event
metadata: {name: prod-cp.1, namespace: team}
involvedObject: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: prod-cp, namespace: team}
type: Warning
reason: FailedInitialization
message: 'failed calling webhook "default.machine.cluster.x-k8s.io": connection refused'
lastTimestamp: "@48m"`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.ControlPlane, cause: progress.CauseNotLooked,
		object: "KubeadmControlPlane/prod-cp", says: "no Machine yet", shows: "FailedInitialization", command: aboutKCP, alone: true},
	{name: "Talos' configuration is not valid", world: "talos", stages: "plane-up", patch: `
kind: TalosControlPlane
metadata: {name: prod-cp}
status: {conditions: [{type: Available, status: "False", severity: Error, reason: InvalidControlPlaneConfig, message: no init config, lastTransitionTime: "@40m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CauseBootstrapData,
		object: "TalosControlPlane/prod-cp", says: "is not valid", shows: "no init config", command: "mgmt -n team describe taloscontrolplanes.controlplane.cluster.x-k8s.io prod-cp", alone: true},
	{name: "no KubeadmConfig", stages: "fresh infrastructure plane", patch: `{kind: KubeadmConfig, metadata: {name: prod-cp-a}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "KubeadmConfig/prod-cp-a", says: "there is no KubeadmConfig prod-cp-a", command: "mgmt -n team get kubeadmconfigs.bootstrap.cluster.x-k8s.io", alone: true},
	{name: "bootstrap data is not begun", stages: "fresh infrastructure plane",
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Bootstrap, cause: progress.CauseNotLooked,
		object: "KubeadmConfig/prod-cp-a", says: "has said nothing", command: aboutConfig + "prod-cp-a", alone: true},
	{name: "bootstrap data cannot be made", stages: "fresh infrastructure plane", patch: `
kind: KubeadmConfig
metadata: {name: prod-cp-a}
status: {conditions: [{type: DataSecretAvailable, status: "False", reason: NotAvailable, message: 'Failed to prepare spec.files: secret not found: team/registry: Secret "registry" not found', lastTransitionTime: "@44m"}]}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Bootstrap, cause: progress.CauseBootstrapData,
		object: "KubeadmConfig/prod-cp-a", says: "the bootstrap data is not made", shows: "not found", command: aboutConfig + "prod-cp-a", alone: true},
	{name: "bootstrap data cannot be made, older family", world: "v1beta1", stages: "worker", patch: `
kind: KubeadmConfig
metadata: {name: prod-w1}
status: {conditions: [{type: CertificatesAvailable, status: "True", lastTransitionTime: "@50m"}, {type: DataSecretAvailable, status: "False", severity: Warning, reason: DataSecretGenerationFailed, message: 'secret not found: team/registry', lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Bootstrap, cause: progress.CauseBootstrapData,
		object: "KubeadmConfig/prod-w1", says: "could not be made", command: aboutConfig + "prod-w1", alone: true},
	{name: "certificates are broken", world: "v1beta1", stages: "worker", patch: `
kind: KubeadmConfig
metadata: {name: prod-w1}
status: {conditions: [{type: CertificatesAvailable, status: "False", severity: Error, reason: CertificatesCorrupted, message: 'failed to find a certificate in the secret prod-ca', lastTransitionTime: "@50m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCertificates,
		object: "KubeadmConfig/prod-w1", says: "cannot be read", command: aboutConfig + "prod-w1", alone: true},
	{name: "certificates are broken, newer family", stages: "worker", patch: `
kind: KubeadmConfig
metadata: {name: prod-w1}
status:
  conditions: [{type: CertificatesAvailable, status: Unknown, reason: InternalError, message: Please check controller logs for errors, lastTransitionTime: "@50m"}]
  deprecated: {v1beta1: {conditions: [{type: CertificatesAvailable, status: "False", severity: Error, reason: CertificatesCorrupted, message: failed to find a certificate in the secret prod-ca, lastTransitionTime: "@50m"}]}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCertificates,
		object: "KubeadmConfig/prod-w1", says: "cannot be read", shows: "prod-ca", command: aboutConfig + "prod-w1", alone: true},
	{name: "a worker waits for the control plane", stages: "fresh infrastructure plane plane-host plane-up", patch: `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: prod-w1, namespace: team, creationTimestamp: "@44m", labels: {cluster.x-k8s.io/cluster-name: prod, cluster.x-k8s.io/deployment-name: prod-md, cluster.x-k8s.io/set-name: prod-md-x}}
spec:
  clusterName: prod
  bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfig, name: prod-w1}}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ProxmoxMachine, name: prod-w1}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata: {name: prod-w1, namespace: team, creationTimestamp: "@44m"}
status: {conditions: [{type: DataSecretAvailable, status: "False", reason: NotAvailable, message: Waiting for Cluster control plane to be initialized, lastTransitionTime: "@44m"}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2
kind: ProxmoxMachine
metadata: {name: prod-w1, namespace: team, creationTimestamp: "@44m", labels: {cluster.x-k8s.io/cluster-name: prod}, ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: prod-w1, uid: u}]}
status: {conditions: [{type: VirtualMachineProvisioned, status: "False", reason: WaitingForBootstrapData, lastTransitionTime: "@44m"}]}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Kubelet, cause: progress.CauseNotInitialized,
		object: "Machine/prod-cp-a", says: "kubeadm has not initialised", command: aboutMachine + "prod-cp-a", alone: true},
	{name: "the KubeadmConfig is paused", stages: "worker", patch: `{kind: KubeadmConfig, metadata: {name: prod-w1, annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "KubeadmConfig/prod-w1", says: "it is paused", command: aboutConfig + "prod-w1", alone: true},
	{name: "the Machine is paused", stages: "worker worker-host", patch: `
kind: Machine
metadata: {name: prod-w1, annotations: {cluster.x-k8s.io/paused: ""}}
status: {conditions: [{type: Paused, status: "True", reason: Paused, message: Machine has the cluster.x-k8s.io/paused annotation, lastTransitionTime: "@49m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "Machine/prod-w1", says: "it is paused", command: aboutMachine + "prod-w1", alone: true},
	{name: "the bootstrap Secret is gone", stages: "worker worker-host",
		tune: func(s *inventory.Snapshot) {
			s.StoredSecrets = append(s.StoredSecrets, inventory.StoredSecret{Namespace: "team", Name: "prod-w1", Absent: true})
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseBootstrapData,
		object: "Secret/prod-w1", says: "there is no Secret prod-w1", command: "mgmt -n team get secrets", alone: true},
	// CAPMOX found no Secret, and takes the machine for ready since (vmservice: reconcileBootstrapData).
	{name: "the bootstrap Secret was never there", stages: "worker worker-host worker-up",
		tune: func(s *inventory.Snapshot) {
			workerVM(func(v *inventory.VM) { v.Status = "stopped" })(s)
			s.StoredSecrets = append(s.StoredSecrets, inventory.StoredSecret{Namespace: "team", Name: "prod-w1", Absent: true})
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseBootstrapData,
		object: "Secret/prod-w1", says: "there is no Secret prod-w1", command: "mgmt -n team get secrets", alone: true},
	{name: "nothing to bootstrap from", stages: "worker", patch: `{kind: Machine, metadata: {name: prod-w1}, spec: {bootstrap: {configRef: null}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseBootstrapData,
		object: "Machine/prod-w1", says: "neither a Secret", command: aboutMachine + "prod-w1", alone: true},
}
