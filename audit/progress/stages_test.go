package progress_test

// Earlier stages of the healthy worlds, by world: the same objects before their controllers came so far. They are patched in the order in
// which a case names them, each on top of the healthy world.
var stages = map[string]map[string]string{
	"v1beta2": {
		// Just applied: the Cluster owns what it names, and nothing else has happened (core/reconcilers/cluster/cluster_controller_status.go).
		"fresh": `
kind: Cluster
metadata: {name: prod, creationTimestamp: "@50m"}
status:
  phase: Provisioning
  initialization: null
  conditions:
  - {type: Available, status: "False", reason: NotAvailable, lastTransitionTime: "@50m"}
  - {type: RemoteConnectionProbe, status: "False", reason: ProbeFailed, message: Remote connection not established yet, lastTransitionTime: "@50m"}
  - {type: InfrastructureReady, status: "False", reason: NotReady, message: ProxmoxCluster status.initialization.provisioned is false, lastTransitionTime: "@50m"}
  - {type: ControlPlaneInitialized, status: "False", reason: NotInitialized, message: Control plane not yet initialized, lastTransitionTime: "@50m"}
  - {type: ControlPlaneAvailable, status: "False", reason: NotAvailable, message: Control plane not yet initialized, lastTransitionTime: "@50m"}
---
kind: ProxmoxCluster
metadata: {name: prod, creationTimestamp: "@50m"}
status: null
---
kind: KubeadmControlPlane
metadata: {name: prod-cp, creationTimestamp: "@50m"}
status:
  replicas: 0
  initialization: null
  conditions:
  - {type: Available, status: "False", reason: NotAvailable, message: Control plane not yet initialized, lastTransitionTime: "@50m"}
  - {type: CertificatesAvailable}
  - {type: Initialized, status: "False", reason: NotInitialized, lastTransitionTime: "@50m"}
  - {type: EtcdClusterHealthy, status: Unknown, reason: InspectionFailed, message: Waiting for Cluster control plane to be initialized, lastTransitionTime: "@50m"}
  - {type: ControlPlaneComponentsHealthy, status: Unknown, reason: InspectionFailed, message: Waiting for Cluster control plane to be initialized, lastTransitionTime: "@50m"}
  - {type: ScalingUp, status: "True", reason: ScalingUp, message: Scaling up from 0 to 1 replicas, lastTransitionTime: "@50m"}
---
kind: MachineDeployment
metadata: {name: prod-md, creationTimestamp: "@50m"}
---
kind: MachineSet
metadata: {name: prod-md-x, creationTimestamp: "@50m"}
status:
  replicas: 0
  conditions:
  - {type: ScalingUp, status: "True", reason: ScalingUp, message: "Scaling up from 0 to 1 replicas is blocked because:\n* KubeadmControlPlane team/prod-cp is provisioning (\"ControlPlaneIsStable\" preflight check failed)", lastTransitionTime: "@50m"}
---
{kind: Machine, metadata: {name: prod-cp-a}, delete: true}
---
{kind: KubeadmConfig, metadata: {name: prod-cp-a}, delete: true}
---
{kind: ProxmoxMachine, metadata: {name: prod-cp-a}, delete: true}
---
{kind: Node, metadata: {name: prod-cp-a}, delete: true}
---
{kind: Machine, metadata: {name: prod-w1}, delete: true}
---
{kind: KubeadmConfig, metadata: {name: prod-w1}, delete: true}
---
{kind: ProxmoxMachine, metadata: {name: prod-w1}, delete: true}
---
{kind: IPAddressClaim, metadata: {name: prod-w1-net0-00-inet}, delete: true}
---
{kind: Node, metadata: {name: prod-w1}, delete: true}`,
		// The shared infrastructure is there.
		"infrastructure": `
kind: Cluster
metadata: {name: prod}
status:
  phase: Provisioned
  initialization: {infrastructureProvisioned: true}
  conditions: [{type: InfrastructureReady, status: "True", reason: Ready, lastTransitionTime: "@45m"}]
---
kind: ProxmoxCluster
metadata: {name: prod}
status:
  initialization: {provisioned: true}
  conditions:
  - {type: Ready, status: "True", reason: InfoReported, lastTransitionTime: "@45m"}
  - {type: ProxmoxAvailable, status: "True", reason: Provisioned, lastTransitionTime: "@45m"}`,
		// The first control-plane Machine is made, without bootstrap data (bootstrap/kubeadm/reconcilers/kubeadmconfig).
		"plane": `
kind: KubeadmControlPlane
metadata: {name: prod-cp}
status: {replicas: 1, conditions: [{type: ScalingUp, status: "False", reason: NotScalingUp, lastTransitionTime: "@44m"}, {type: CertificatesAvailable, status: "True", reason: Available, lastTransitionTime: "@44m"}]}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: prod-cp-a
  namespace: team
  creationTimestamp: "@44m"
  labels: {cluster.x-k8s.io/cluster-name: prod, cluster.x-k8s.io/control-plane: "", cluster.x-k8s.io/control-plane-name: prod-cp}
  ownerReferences: [{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: prod-cp, uid: u-kcp, controller: true}]
spec:
  clusterName: prod
  version: v1.33.4
  bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfig, name: prod-cp-a}}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ProxmoxMachine, name: prod-cp-a}
status:
  phase: Pending
  conditions:
  - {type: Available, status: "False", reason: NotReady, lastTransitionTime: "@44m"}
  - {type: Ready, status: "False", reason: NotReady, lastTransitionTime: "@44m"}
  - {type: BootstrapConfigReady, status: "False", reason: NotReady, message: KubeadmConfig status.initialization.dataSecretCreated is false, lastTransitionTime: "@44m"}
  - {type: InfrastructureReady, status: "False", reason: NotReady, message: ProxmoxMachine status.initialization.provisioned is false, lastTransitionTime: "@44m"}
  - {type: NodeHealthy, status: Unknown, reason: InspectionFailed, message: Waiting for Cluster control plane to be initialized, lastTransitionTime: "@44m"}
  - {type: NodeReady, status: Unknown, reason: InspectionFailed, message: Waiting for Cluster control plane to be initialized, lastTransitionTime: "@44m"}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata:
  name: prod-cp-a
  namespace: team
  creationTimestamp: "@44m"
  labels: {cluster.x-k8s.io/cluster-name: prod}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: prod-cp-a, uid: u-cp-a, controller: true}]
spec: {initConfiguration: {}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2
kind: ProxmoxMachine
metadata:
  name: prod-cp-a
  namespace: team
  creationTimestamp: "@44m"
  labels: {cluster.x-k8s.io/cluster-name: prod}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: prod-cp-a, uid: u-cp-a, controller: true}]
spec: {sourceNode: pve1, templateID: 9000}
status:
  conditions: [{type: Ready, status: "False", reason: WaitingForBootstrapData, lastTransitionTime: "@44m"}, {type: VirtualMachineProvisioned, status: "False", reason: WaitingForBootstrapData, lastTransitionTime: "@44m"}]`,
		// It has its bootstrap data, and its VM is cloned (internal/service/vmservice).
		"plane-host": `
kind: Machine
metadata: {name: prod-cp-a}
spec: {bootstrap: {dataSecretName: prod-cp-a}}
status: {phase: Provisioning, initialization: {bootstrapDataSecretCreated: true}, conditions: [{type: BootstrapConfigReady, status: "True", reason: Ready, lastTransitionTime: "@43m"}]}
---
kind: ProxmoxMachine
metadata: {name: prod-cp-a, finalizers: [proxmoxmachine.infrastructure.cluster.x-k8s.io]}
status: {conditions: [{type: VirtualMachineProvisioned, status: "False", reason: Cloning, lastTransitionTime: "@43m"}]}`,
		// Its VM is up.
		"plane-up": `
kind: Machine
metadata: {name: prod-cp-a}
spec: {providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000001"}
status: {phase: Provisioned, initialization: {infrastructureProvisioned: true}, conditions: [{type: InfrastructureReady, status: "True", reason: Ready, lastTransitionTime: "@40m"}]}
---
kind: ProxmoxMachine
metadata: {name: prod-cp-a}
spec: {providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000001", virtualMachineID: 101}
status:
  initialization: {provisioned: true}
  conditions: [{type: Ready, status: "True", reason: InfoReported, lastTransitionTime: "@40m"}, {type: VirtualMachineProvisioned, status: "True", reason: Provisioned, lastTransitionTime: "@40m"}]`,
		// A worker that is made anew in the healthy cluster: no bootstrap data, no VM.
		"worker": `
kind: Machine
metadata: {name: prod-w1, creationTimestamp: "@50m"}
spec: {providerID: null, bootstrap: {dataSecretName: null}}
status:
  phase: Pending
  nodeRef: null
  initialization: null
  conditions:
  - {type: Available, status: "False", reason: NotReady, lastTransitionTime: "@50m"}
  - {type: Ready, status: "False", reason: NotReady, lastTransitionTime: "@50m"}
  - {type: BootstrapConfigReady, status: "False", reason: NotReady, message: KubeadmConfig status.initialization.dataSecretCreated is false, lastTransitionTime: "@50m"}
  - {type: InfrastructureReady, status: "False", reason: NotReady, message: ProxmoxMachine status.initialization.provisioned is false, lastTransitionTime: "@50m"}
  - {type: NodeHealthy, status: Unknown, reason: InspectionFailed, message: Waiting for ProxmoxMachine to report spec.providerID, lastTransitionTime: "@50m"}
  - {type: NodeReady, status: Unknown, reason: InspectionFailed, message: Waiting for ProxmoxMachine to report spec.providerID, lastTransitionTime: "@50m"}
---
kind: KubeadmConfig
metadata: {name: prod-w1, creationTimestamp: "@50m"}
status: null
---
kind: ProxmoxMachine
metadata: {name: prod-w1, creationTimestamp: "@50m", finalizers: null}
spec: {providerID: null, virtualMachineID: null}
status:
  initialization: null
  vmStatus: null
  proxmoxNode: null
  conditions: [{type: Ready, status: "False", reason: WaitingForBootstrapData, lastTransitionTime: "@50m"}, {type: VirtualMachineProvisioned, status: "False", reason: WaitingForBootstrapData, lastTransitionTime: "@50m"}]
---
{kind: IPAddressClaim, metadata: {name: prod-w1-net0-00-inet}, delete: true}
---
{kind: Node, metadata: {name: prod-w1}, delete: true}`,
		"worker-host": `
kind: Machine
metadata: {name: prod-w1}
spec: {bootstrap: {dataSecretName: prod-w1}}
status: {phase: Provisioning, initialization: {bootstrapDataSecretCreated: true}, conditions: [{type: BootstrapConfigReady, status: "True", reason: Ready, lastTransitionTime: "@49m"}]}
---
kind: ProxmoxMachine
metadata: {name: prod-w1, finalizers: [proxmoxmachine.infrastructure.cluster.x-k8s.io]}
status: {conditions: [{type: VirtualMachineProvisioned, status: "False", reason: Cloning, lastTransitionTime: "@49m"}]}`,
		"worker-up": `
kind: Machine
metadata: {name: prod-w1}
spec: {providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000002"}
status:
  phase: Provisioned
  initialization: {infrastructureProvisioned: true}
  conditions:
  - {type: InfrastructureReady, status: "True", reason: Ready, lastTransitionTime: "@40m"}
  - {type: NodeHealthy, status: Unknown, reason: InspectionFailed, message: Waiting for a Node with spec.providerID proxmox://1a2b0001-3c4d-4e5f-8000-000000000002 to exist, lastTransitionTime: "@40m"}
---
kind: ProxmoxMachine
metadata: {name: prod-w1}
spec: {providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000002", virtualMachineID: 102}
status:
  initialization: {provisioned: true}
  vmStatus: ready
  proxmoxNode: pve1
  conditions: [{type: Ready, status: "True", reason: InfoReported, lastTransitionTime: "@40m"}, {type: VirtualMachineProvisioned, status: "True", reason: Provisioned, lastTransitionTime: "@40m"}]`,
	},
	"v1beta1": {
		"fresh": `
kind: Cluster
metadata: {name: prod, creationTimestamp: "@50m"}
status:
  phase: Provisioning
  infrastructureReady: false
  controlPlaneReady: false
  conditions:
  - {type: Ready, status: "False", reason: WaitingForInfrastructure, severity: Info, lastTransitionTime: "@50m"}
  - {type: ControlPlaneInitialized, status: "False", reason: WaitingForControlPlaneProviderInitialized, severity: Info, message: Waiting for control plane provider to indicate the control plane has been initialized, lastTransitionTime: "@50m"}
  - {type: ControlPlaneReady, status: "False", reason: WaitingForControlPlane, severity: Info, lastTransitionTime: "@50m"}
  - {type: InfrastructureReady, status: "False", reason: WaitingForInfrastructure, severity: Info, lastTransitionTime: "@50m"}
---
kind: ProxmoxCluster
metadata: {name: prod, creationTimestamp: "@50m"}
status: null
---
kind: KubeadmControlPlane
metadata: {name: prod-cp, creationTimestamp: "@50m"}
status:
  initialized: false
  ready: false
  replicas: 0
  conditions: [{type: Ready}, {type: CertificatesAvailable}, {type: ControlPlaneComponentsHealthy}, {type: EtcdClusterHealthy}, {type: MachinesCreated}, {type: MachinesReady}, {type: Resized},
    {type: Available, status: "False", reason: WaitingForKubeadmInit, severity: Info, lastTransitionTime: "@50m"}]
---
kind: MachineSet
metadata: {name: prod-md-x, creationTimestamp: "@50m"}
status: {replicas: 0, conditions: [{type: MachinesCreated, status: "False", reason: PreflightCheckFailed, severity: Error, message: 'KubeadmControlPlane team/prod-cp is provisioning ("ControlPlaneIsStable" preflight check failed)', lastTransitionTime: "@50m"}]}
---
{kind: Machine, metadata: {name: prod-cp-a}, delete: true}
---
{kind: KubeadmConfig, metadata: {name: prod-cp-a}, delete: true}
---
{kind: ProxmoxMachine, metadata: {name: prod-cp-a}, delete: true}
---
{kind: Node, metadata: {name: prod-cp-a}, delete: true}
---
{kind: Machine, metadata: {name: prod-w1}, delete: true}
---
{kind: KubeadmConfig, metadata: {name: prod-w1}, delete: true}
---
{kind: ProxmoxMachine, metadata: {name: prod-w1}, delete: true}
---
{kind: IPAddressClaim, metadata: {name: prod-w1-net0-inet}, delete: true}
---
{kind: Node, metadata: {name: prod-w1}, delete: true}`,
		"infrastructure": `
kind: Cluster
metadata: {name: prod}
status: {phase: Provisioned, infrastructureReady: true, conditions: [{type: InfrastructureReady, status: "True", lastTransitionTime: "@45m"}]}
---
kind: ProxmoxCluster
metadata: {name: prod}
status: {ready: true, conditions: [{type: Ready, status: "True", lastTransitionTime: "@45m"}, {type: ClusterReady, status: "True", lastTransitionTime: "@45m"}]}`,
		"worker": `
kind: Machine
metadata: {name: prod-w1, creationTimestamp: "@50m"}
spec: {providerID: null, bootstrap: {dataSecretName: null}}
status:
  phase: Pending
  bootstrapReady: false
  infrastructureReady: false
  nodeRef: null
  conditions:
  - {type: Ready, status: "False", reason: WaitingForDataSecret, severity: Info, lastTransitionTime: "@50m"}
  - {type: BootstrapReady, status: "False", reason: WaitingForDataSecret, severity: Info, lastTransitionTime: "@50m"}
  - {type: InfrastructureReady, status: "False", reason: WaitingForInfrastructure, severity: Info, lastTransitionTime: "@50m"}
  - {type: NodeHealthy, status: "False", reason: WaitingForNodeRef, severity: Info, lastTransitionTime: "@50m"}
---
kind: KubeadmConfig
metadata: {name: prod-w1, creationTimestamp: "@50m"}
status: null
---
kind: ProxmoxMachine
metadata: {name: prod-w1, creationTimestamp: "@50m", finalizers: null}
spec: {providerID: null, virtualMachineID: null}
status:
  ready: false
  vmStatus: null
  proxmoxNode: null
  conditions: [{type: Ready, status: "False", reason: WaitingForBootstrapData, severity: Info, lastTransitionTime: "@50m"}, {type: VMProvisioned, status: "False", reason: WaitingForBootstrapData, severity: Info, lastTransitionTime: "@50m"}]
---
{kind: IPAddressClaim, metadata: {name: prod-w1-net0-inet}, delete: true}
---
{kind: Node, metadata: {name: prod-w1}, delete: true}`,
		"worker-host": `
kind: Machine
metadata: {name: prod-w1}
spec: {bootstrap: {dataSecretName: prod-w1}}
status: {phase: Provisioning, bootstrapReady: true, conditions: [{type: BootstrapReady, status: "True", lastTransitionTime: "@49m"}]}
---
kind: ProxmoxMachine
metadata: {name: prod-w1, finalizers: [proxmoxmachine.infrastructure.cluster.x-k8s.io]}
status: {conditions: [{type: VMProvisioned, status: "False", reason: Cloning, severity: Info, lastTransitionTime: "@49m"}]}`,
		"worker-up": `
kind: Machine
metadata: {name: prod-w1}
spec: {providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000002"}
status:
  phase: Provisioned
  infrastructureReady: true
  conditions: [{type: InfrastructureReady, status: "True", lastTransitionTime: "@40m"}, {type: NodeHealthy, status: "False", reason: NodeProvisioning, severity: Warning, message: Waiting for a node with matching ProviderID to exist, lastTransitionTime: "@40m"}]
---
kind: ProxmoxMachine
metadata: {name: prod-w1}
spec: {providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000002", virtualMachineID: 102}
status: {ready: true, conditions: [{type: Ready, status: "True", lastTransitionTime: "@40m"}, {type: VMProvisioned, status: "True", lastTransitionTime: "@40m"}]}`,
	},
	"talos": {
		// The first machine has its VM, and Talos is not bootstrapped there.
		"plane-up": `
kind: Cluster
metadata: {name: prod, creationTimestamp: "@50m"}
status: {controlPlaneReady: false, conditions: [{type: ControlPlaneInitialized, status: "False", reason: WaitingForControlPlaneProviderInitialized, severity: Info, lastTransitionTime: "@50m"}]}
---
kind: TalosControlPlane
metadata: {name: prod-cp, creationTimestamp: "@50m"}
status: {initialized: false, bootstrapped: false, ready: false, conditions: [{type: Available, status: "False", reason: WaitingForTalosBoot, severity: Info, lastTransitionTime: "@44m"}, {type: MachinesBootstrapped, status: "False", reason: WaitingForMachines, severity: Info, lastTransitionTime: "@44m"}]}
---
kind: Machine
metadata: {name: prod-cp-a, creationTimestamp: "@44m"}
status: {phase: Provisioned, nodeRef: null, conditions: [{type: InfrastructureReady, status: "True", lastTransitionTime: "@40m"}, {type: NodeHealthy, status: "False", reason: NodeProvisioning, severity: Warning, lastTransitionTime: "@40m"}]}
---
{kind: Node, metadata: {name: prod-cp-a}, delete: true}`,
	},
}
