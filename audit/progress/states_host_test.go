package progress_test

import (
	"time"

	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

const cloneTask = "UPID:pve1:0000A1B2:00C3D4E5:69F88A40:qmclone:9000:capmox@pve!capi:"

// task puts a task of Proxmox into the Snapshot.
func task(kind, status string) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		t := inventory.Task{Site: "home", Node: "pve1", UPID: cloneTask, Type: kind, VMID: 9000, User: "capmox@pve!capi", Start: noon.Add(-48 * time.Minute), Status: status}
		if status != "" {
			end := noon.Add(-47 * time.Minute)
			t.End = &end
		}
		s.Tasks = append(s.Tasks, t)
	}
}

// withoutVM takes the worker's VM away, or changes it.
func workerVM(change func(*inventory.VM)) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		for i := range s.VMs {
			if s.VMs[i].Name == "prod-w1" {
				change(&s.VMs[i])
			}
		}
	}
}

func noWorkerVM(s *inventory.Snapshot) { s.VMs = s.VMs[:1] }

const (
	// claim is one that is not met, as CAPMOX makes it.
	claim = `
---
apiVersion: ipam.cluster.x-k8s.io/v1beta2
kind: IPAddressClaim
metadata:
  name: prod-w1-net0-00-inet
  namespace: team
  creationTimestamp: "@47m"
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2, kind: ProxmoxMachine, name: prod-w1, uid: u-pm-w1, controller: true}]
spec: {clusterName: prod, poolRef: {apiGroup: ipam.cluster.x-k8s.io, kind: InClusterIPPool, name: prod-v4-icip}}
`
	located = "\nspec: {virtualMachineID: 102, providerID: \"proxmox://1a2b0001-3c4d-4e5f-8000-000000000002\"}"
)

// hostStates are those of a worker's VM. CAPMOX 0.9.0: internal/controller/proxmoxmachine_controller.go, internal/service/vmservice (vm.go,
// find.go, ip.go, bootstrap.go, power.go: the condition's reason is the step), internal/service/taskservice/task.go,
// internal/service/scheduler, pkg/proxmox/goproxmox/api_client.go (texts); claims and pools: pkg/kubernetes/ipam and
// cluster-api-ipam-provider-in-cluster 1.1.0 internal/controllers; older reasons: api/v1alpha1/conditions_consts.go.
var hostStates = []state{
	{name: "the clone runs", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "Cloning", "", "3m"), tune: noWorkerVM,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "clones the template", command: aboutPM + "prod-w1", alone: true},
	{name: "the clone does not end", stages: "worker worker-host", tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "clones the template", command: aboutPM + "prod-w1", alone: true},
	{name: "the first host's clone does not end", stages: "fresh infrastructure plane plane-host",
		state: progress.Stuck, phase: progress.PhaseHosts, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-cp-a", says: "clones the template", command: aboutPM + "prod-cp-a", alone: true},
	{name: "the template is gone", stages: "worker worker-host", tune: noWorkerVM,
		patch: proxmoxMachine("prod-w1", "CloningFailed", "unable to find vm template: 500 Configuration file 'nodes/pve1/qemu-server/9000.conf' does not exist", "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseTemplateMissing,
		object: "ProxmoxMachine/prod-w1", says: "the template is not there", command: aboutPM + "prod-w1", alone: true},
	{name: "no template has the tags", stages: "worker worker-host", tune: noWorkerVM,
		patch: proxmoxMachine("prod-w1", "VMProvisionFailed", `VM template not found: found 0 VM templates with tags "k8s;v1.33"`, "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseTemplateMissing,
		object: "ProxmoxMachine/prod-w1", says: "no template has the tags", command: aboutPM + "prod-w1", alone: true},
	{name: "no host has room", stages: "worker worker-host", tune: noWorkerVM,
		patch: proxmoxMachine("prod-w1", "VMProvisionFailed", "cannot reserve 8589934592B of memory on node pve1: 0B available memory left", "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseNoRoom,
		object: "ProxmoxMachine/prod-w1", says: "no host has room", command: aboutPM + "prod-w1", alone: true},
	{name: "no VMID is left", stages: "worker worker-host", tune: noWorkerVM, patch: proxmoxMachine("prod-w1", "VMProvisionFailed", "No free vmid found in vmIDRange", "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseFailed,
		object: "ProxmoxMachine/prod-w1", says: "range of VMIDs", command: aboutPM + "prod-w1", alone: true},
	{name: "the token may not clone", stages: "worker worker-host", tune: noWorkerVM,
		patch: proxmoxMachine("prod-w1", "CloningFailed", "unable to create new vm: 403 Permission check failed (/storage/local-lvm, Datastore.AllocateSpace)", "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCredentials,
		object: "ProxmoxMachine/prod-w1", says: "lacks a privilege", command: aboutPM + "prod-w1", alone: true},
	// As go-proxmox says it.
	{name: "the token may not clone, by CAPMOX's word", stages: "worker worker-host", tune: noWorkerVM, patch: proxmoxMachine("prod-w1", "CloningFailed", "unable to create new vm: not authorized to access endpoint", "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCredentials,
		object: "ProxmoxMachine/prod-w1", says: "lacks a privilege", shows: "VM.Clone", command: aboutPM + "prod-w1", alone: true},
	{name: "cloning fails", stages: "worker worker-host", tune: noWorkerVM,
		patch: proxmoxMachine("prod-w1", "CloningFailed", "unable to create new vm: 500 storage 'local-lvm' is not available on node 'pve2'", "49m"),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseCloneFailed,
		object: "ProxmoxMachine/prod-w1", says: "could not be cloned", shows: "is not available", command: aboutPM + "prod-w1", alone: true},
	// Once a task failed, CAPMOX does not go on with the machine (vm.go: proxmoxMachineHasVMProvisionFailedReason).
	{name: "the clone task failed", stages: "worker worker-host",
		patch: proxmoxMachine("prod-w1", "TaskFailed", "qmclone: clone failed: copy failed: disk full", "47m") + "\n  taskRef: \"" + cloneTask + "\"" + "\nspec: {virtualMachineID: 102}",
		tune: func(s *inventory.Snapshot) {
			noWorkerVM(s)
			task("qmclone", "clone failed: copy failed: disk full")(s)
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCloneFailed,
		object: "ProxmoxMachine/prod-w1", says: "disk full", shows: "delete the Machine", command: aboutPM + "prod-w1", alone: true},
	// Proxmox takes away what such a clone made: that its VMID is free says nothing of its own.
	{name: "the clone task failed, and the VMID is free again", stages: "worker worker-host",
		patch: proxmoxMachine("prod-w1", "TaskFailed", "qmclone: clone failed: copy failed: disk full", "47m") + "\n  taskRef: \"" + cloneTask + "\"" + "\nspec: {virtualMachineID: 102}",
		tune: func(s *inventory.Snapshot) {
			noWorkerVM(s)
			task("qmclone", "clone failed: copy failed: disk full")(s)
			s.Probes = append(s.Probes, inventory.Probe{Site: "home", VMID: 102, Existence: inventory.Free})
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCloneFailed,
		object: "ProxmoxMachine/prod-w1", says: "disk full", shows: "Proxmox has no VM 102", command: aboutPM + "prod-w1", alone: true},
	// A minute after it failed CAPMOX takes the task out of the status.
	{name: "a clone failed that is not in the lists, and the VMID is free again", stages: "worker worker-host",
		patch: proxmoxMachine("prod-w1", "TaskFailed", "qmclone: clone failed: copy failed: disk full", "47m") + "\nspec: {virtualMachineID: 102}",
		tune: func(s *inventory.Snapshot) {
			noWorkerVM(s)
			s.Probes = append(s.Probes, inventory.Probe{Site: "home", VMID: 102, Existence: inventory.Free})
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCloneFailed,
		object: "ProxmoxMachine/prod-w1", says: "the task qmclone ended with \"clone failed: copy failed: disk full\"", shows: "disk full", command: aboutPM + "prod-w1", alone: true},
	{name: "a task failed that is not in the lists", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "TaskFailed", "qmconfig: can't lock file '/var/lock/qemu-server/lock-102.conf'", "47m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseTaskFailed,
		object: "ProxmoxMachine/prod-w1", says: "the task qmconfig ended with \"can't lock", shows: "can't lock", command: aboutPM + "prod-w1", alone: true},
	{name: "the clone task runs long", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "Cloning", "", "48m") + "\n  taskRef: \"" + cloneTask + "\"" + "\nspec: {virtualMachineID: 102}",
		tune: func(s *inventory.Snapshot) {
			noWorkerVM(s)
			task("qmclone", "")(s)
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseTaskRunning,
		object: "ProxmoxMachine/prod-w1", says: "the task qmclone on pve1 runs since", command: aboutPM + "prod-w1", alone: true},
	{name: "disks are not resized", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForDiskReconciliation", "", "47m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "resizes its disks", command: aboutPM + "prod-w1", alone: true},
	{name: "the pool is exhausted", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "47m") + located + claim +
		`---
{kind: InClusterIPPool, metadata: {name: prod-v4-icip}, status: {ipAddresses: {total: 10, used: 10, free: 0}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePoolExhausted,
		object: "InClusterIPPool/prod-v4-icip", says: "has none left", command: "mgmt -n team describe inclusterippools.ipam.cluster.x-k8s.io prod-v4-icip", alone: true},
	{name: "there is no pool", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "47m") + located + claim +
		`---
{kind: InClusterIPPool, metadata: {name: prod-v4-icip}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePoolMissing,
		object: "IPAddressClaim/prod-w1-net0-00-inet", says: "there is no InClusterIPPool prod-v4-icip", command: aboutClaim + "prod-w1-net0-00-inet", alone: true},
	{name: "the claim is not met", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "5m") + located + claim,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.IPAM, cause: progress.CauseAddressWait,
		object: "IPAddressClaim/prod-w1-net0-00-inet", says: "has no address yet", command: aboutClaim + "prod-w1-net0-00-inet", alone: true},
	// cluster-api 1.14.2 api/ipam/v1beta2/ipaddressclaim_types.go, as providers of other pools write them.
	{name: "another provider's pool is exhausted", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "47m") + located + claim +
		`---
kind: IPAddressClaim
metadata: {name: prod-w1-net0-00-inet}
spec: {poolRef: {apiGroup: ipam.example.com, kind: NetBoxPool, name: lab}}
status: {conditions: [{type: Ready, status: "False", reason: PoolExhausted, message: no prefix is left, lastTransitionTime: "@47m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePoolExhausted,
		object: "IPAddressClaim/prod-w1-net0-00-inet", says: "no address left", shows: "no prefix is left", command: aboutClaim + "prod-w1-net0-00-inet", alone: true},
	{name: "the claim is paused", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "5m") + located + claim +
		`---
{kind: IPAddressClaim, metadata: {name: prod-w1-net0-00-inet, annotations: {cluster.x-k8s.io/paused: ""}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "IPAddressClaim/prod-w1-net0-00-inet", says: "it is paused", command: aboutClaim + "prod-w1-net0-00-inet", alone: true},
	{name: "there is no claim", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "47m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseAddressWait,
		object: "ProxmoxMachine/prod-w1", says: "no claim", command: aboutPM + "prod-w1", alone: true},
	{name: "a claim is stale", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation",
		`Static IP claim "prod-w1-net0-00-inet" references a missing IPAddress "prod-w1-net0-00-inet"; delete the stale IPAddressClaim to allow recovery.`, "47m") + located + claim +
		`---
{kind: IPAddressClaim, metadata: {name: prod-w1-net0-00-inet}, status: {addressRef: {name: prod-w1-net0-00-inet}}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseAddressWait,
		object: "ProxmoxMachine/prod-w1", says: "claim", shows: "delete the stale", command: aboutPM + "prod-w1", alone: true},
	{name: "the ISO is not made", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForBootstrapDataReconciliation", "", "47m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseProvisioning,
		object: "ProxmoxMachine/prod-w1", says: "into an ISO", command: aboutPM + "prod-w1", alone: true},
	{name: "the VM cannot be started", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "PoweringOnFailed", "unable to start the virtual machine 102: 500 VM is locked (backup)", "47m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseTaskFailed,
		object: "ProxmoxMachine/prod-w1", says: "could not be started", shows: "is locked", command: aboutPM + "prod-w1", alone: true},
	// A start that failed leaves the reason, and says so in the message (task.go: checkAndRetryTask).
	{name: "the start task fails", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForVMPowerUp", "qmstart: start failed: QEMU exited with code 1", "47m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseTaskFailed,
		object: "ProxmoxMachine/prod-w1", says: "qmstart: start failed", command: aboutPM + "prod-w1", alone: true},
	{name: "cloud-init runs", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForCloudInit", "", "4m") + located,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Kubelet, cause: progress.CauseCloudInit,
		object: "ProxmoxMachine/prod-w1", says: "cloud-init", command: aboutPM + "prod-w1", alone: true},
	{name: "cloud-init does not end", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForCloudInit", "", "40m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Kubelet, cause: progress.CauseCloudInit,
		object: "ProxmoxMachine/prod-w1", says: "cloud-init", shows: "qemu-guest-agent has to run", command: aboutPM + "prod-w1", alone: true},
	{name: "there is no guest agent", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForCloudInit", "", "40m") + located,
		tune:  workerVM(func(v *inventory.VM) { v.Config.AgentEnabled = false }),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Kubelet, cause: progress.CauseAgentSilent,
		object: "ProxmoxMachine/prod-w1", says: "no guest agent", command: aboutPM + "prod-w1", alone: true},
	{name: "the VM is stopped", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForCloudInit", "", "10m") + located,
		tune:  workerVM(func(v *inventory.VM) { v.Status = "stopped" }),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseVMStopped,
		object: "ProxmoxMachine/prod-w1", says: "is stopped", command: aboutPM + "prod-w1", alone: true},
	{name: "cloud-init failed", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "VMProvisionFailed", "cloud-init failed execution", "40m") + located,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseCloudInitFailed,
		object: "ProxmoxMachine/prod-w1", says: "cloud-init", command: aboutPM + "prod-w1", alone: true},
	{name: "the VMID is another VM's", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "VMProvisionFailed", `expected VM name to match "prod-w1" but it was "db-7"`, "40m") + "\nspec: {virtualMachineID: 102}",
		tune:  workerVM(func(v *inventory.VM) { v.Name, v.Config.UUID = "db-7", "1a2b0001-3c4d-4e5f-8000-000000000077" }),
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseFailed,
		object: "ProxmoxMachine/prod-w1", says: "gave this machine up", shows: "db-7", command: aboutPM + "prod-w1", alone: true},
	{name: "the VM is gone", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForCloudInit", "", "40m") + located,
		tune: func(s *inventory.Snapshot) {
			noWorkerVM(s)
			s.Probes = append(s.Probes, inventory.Probe{Site: "home", VMID: 102, Existence: inventory.Free})
		},
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseVMGone,
		object: "ProxmoxMachine/prod-w1", says: "no VM 102 any more", command: aboutPM + "prod-w1", alone: true},
	{name: "there is no ProxmoxMachine", stages: "worker worker-host", patch: `{kind: ProxmoxMachine, metadata: {name: prod-w1}, delete: true}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseObjectMissing,
		object: "ProxmoxMachine/prod-w1", says: "there is no ProxmoxMachine prod-w1", command: "mgmt -n team get proxmoxmachines.infrastructure.cluster.x-k8s.io", alone: true},
	{name: "ProxmoxMachine without owner", stages: "worker worker-host", patch: `{kind: ProxmoxMachine, metadata: {name: prod-w1, ownerReferences: null}}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseOwnerMissing,
		object: "ProxmoxMachine/prod-w1", says: "has not made the Machine prod-w1 its owner", command: aboutPM + "prod-w1", alone: true},
	{name: "the ProxmoxMachine is paused", stages: "worker worker-host", patch: `{kind: ProxmoxMachine, metadata: {name: prod-w1, annotations: {cluster.x-k8s.io/paused: ""}}}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePaused,
		object: "ProxmoxMachine/prod-w1", says: "it is paused", command: aboutPM + "prod-w1", alone: true},
	{name: "CAPMOX says nothing about a machine", stages: "worker worker-host", patch: `{kind: ProxmoxMachine, metadata: {name: prod-w1}, status: null}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseNotLooked,
		object: "ProxmoxMachine/prod-w1", says: "has said nothing", shows: "credentials", command: aboutPM + "prod-w1", alone: true},
	{name: "a reason that nobody knows", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForTheMoon", "the moon is not up", "40m"), tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseCondition,
		object: "ProxmoxMachine/prod-w1", says: "VirtualMachineProvisioned is False (WaitingForTheMoon)", shows: "the moon is not up", command: aboutPM + "prod-w1", alone: true},
	{name: "another provider's machine", stages: "worker worker-host", patch: `{kind: Machine, metadata: {name: prod-w1}, spec: {infrastructureRef: {kind: DockerMachine}}}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Other, cause: progress.CauseCondition,
		object: "DockerMachine/prod-w1", says: "another provider's", command: "mgmt -n team describe dockermachines.infrastructure.cluster.x-k8s.io prod-w1", alone: true},
	{name: "the Machine has not taken its VM over", stages: "worker worker-host worker-up", patch: `
kind: Machine
metadata: {name: prod-w1}
spec: {providerID: null}
status: {phase: Provisioning, initialization: {infrastructureProvisioned: null}, conditions: [{type: InfrastructureReady, status: "False", reason: NotReady, lastTransitionTime: "@40m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseNotLooked,
		object: "Machine/prod-w1", says: "does not say so yet", command: aboutMachine + "prod-w1", alone: true},
	{name: "given up, older CAPMOX", world: "v1beta1", stages: "worker worker-host", patch: `
kind: ProxmoxMachine
metadata: {name: prod-w1}
status: {failureReason: CreateError, failureMessage: "unable to find vm template: 500 no such VM ('9000')"}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseTemplateMissing,
		object: "ProxmoxMachine/prod-w1", says: "failed for good", command: aboutPM + "prod-w1", alone: true},
	{name: "a Machine that failed for good", world: "v1beta1", stages: "worker worker-host", patch: `
kind: Machine
metadata: {name: prod-w1}
status: {phase: Failed, failureReason: CreateError, failureMessage: "the disk of the host broke"}`, tune: noWorkerVM,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CauseFailed,
		object: "Machine/prod-w1", says: "the disk of the host broke", command: aboutMachine + "prod-w1", alone: true},
	{name: "no addresses from the guest, older CAPMOX", world: "v1beta1", stages: "worker worker-host", patch: `
kind: ProxmoxMachine
metadata: {name: prod-w1}
spec: {virtualMachineID: 102, providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000002"}
status: {conditions: [{type: VMProvisioned, status: "False", severity: Info, reason: WaitingForNetworkAddresses, lastTransitionTime: "@45m"}]}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseAgentSilent,
		object: "ProxmoxMachine/prod-w1", says: "guest agent", command: aboutPM + "prod-w1", alone: true},
	{name: "no address, older CAPMOX", world: "v1beta1", stages: "worker worker-host", patch: `
kind: ProxmoxMachine
metadata: {name: prod-w1}
spec: {virtualMachineID: 102, providerID: "proxmox://1a2b0001-3c4d-4e5f-8000-000000000002"}
status: {conditions: [{type: VMProvisioned, status: "False", severity: Info, reason: WaitingForStaticIPAllocation, lastTransitionTime: "@45m"}]}
---
apiVersion: ipam.cluster.x-k8s.io/v1beta1
kind: IPAddressClaim
metadata: {name: prod-w1-net0-inet, namespace: team, creationTimestamp: "@47m", ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1, kind: ProxmoxMachine, name: prod-w1, uid: u-pm-w1, controller: true}]}
spec: {poolRef: {apiGroup: ipam.cluster.x-k8s.io, kind: GlobalInClusterIPPool, name: lab}}
status: {addressRef: {name: ""}}
---
apiVersion: ipam.cluster.x-k8s.io/v1alpha2
kind: GlobalInClusterIPPool
metadata: {name: lab, creationTimestamp: "@10d"}
spec: {addresses: [10.1.0.1-10.1.0.9], prefix: 24}
status: {ipAddresses: {total: 9, used: 9, free: 0, outOfRange: 0}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Person, cause: progress.CausePoolExhausted,
		object: "GlobalInClusterIPPool/lab", says: "has none left", command: "mgmt describe globalinclusterippools.ipam.cluster.x-k8s.io lab", alone: true},
}

// controllerStates are those in which a provider's own Deployment is the reason: kubernetes' apps/v1 Deployment and v1 Pod,
// client-go tools/leaderelection for the lease.
var controllerStates = []state{
	{name: "CAPMOX crashes", stages: "worker worker-host", tune: noWorkerVM, patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, status: {availableReplicas: null, unavailableReplicas: 1}}
---
kind: Pod
metadata: {name: capmox-controller-manager-6d5f7c9b8-abcde}
status:
  conditions: [{type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: "@1h"}]
  containerStatuses: [{name: manager, restartCount: 17, state: {waiting: {reason: CrashLoopBackOff, message: back-off 5m0s restarting failed container}}}]`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "CrashLoopBackOff", shows: "what is not done: ProxmoxMachine prod-w1", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "CAPMOX is scaled to nothing", stages: "worker worker-host", tune: noWorkerVM, patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, spec: {replicas: 0}, status: {replicas: 0, availableReplicas: null}}
---
{kind: Pod, metadata: {name: capmox-controller-manager-6d5f7c9b8-abcde}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "scaled to no replicas", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "CAPMOX has no leader", stages: "worker worker-host", tune: noWorkerVM, patch: `{kind: Lease, metadata: {name: controller-leader-election-capmox}, spec: {renewTime: "@40m"}}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "lease controller-leader-election-capmox", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "CAPMOX starts", stages: "worker worker-host", tune: noWorkerVM, patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, status: {availableReplicas: null, unavailableReplicas: 1}}
---
kind: Pod
metadata: {name: capmox-controller-manager-6d5f7c9b8-abcde, creationTimestamp: "@1m"}
status:
  phase: Pending
  conditions: [{type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: "@1m"}]
  containerStatuses: [{name: manager, restartCount: 0, state: {waiting: {reason: ContainerCreating}}}]`,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "none of its replicas is available", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "CAPMOX's image is not there", stages: "worker worker-host", tune: noWorkerVM, patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, status: {availableReplicas: null}}
---
kind: Pod
metadata: {name: capmox-controller-manager-6d5f7c9b8-abcde, creationTimestamp: "@5m"}
status:
  phase: Pending
  conditions: [{type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: "@5m"}]
  containerStatuses: [{name: manager, restartCount: 0, state: {waiting: {reason: ErrImagePull, message: not found}}}]`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "ErrImagePull", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "CAPMOX finds no host", stages: "worker worker-host", tune: noWorkerVM, patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, status: {availableReplicas: null}}
---
kind: Pod
metadata: {name: capmox-controller-manager-6d5f7c9b8-abcde}
status:
  phase: Pending
  conditions: [{type: Ready}, {type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available: 1 Insufficient memory.", lastTransitionTime: "@1h"}]
  containerStatuses: null`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/capmox-controller-manager", says: "Insufficient memory", command: "mgmt -n capmox-system get deployments,pods", alone: true},
	{name: "no bootstrap provider", stages: "fresh infrastructure plane", patch: `{kind: Deployment, metadata: {name: capi-kubeadm-bootstrap-controller-manager}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Bootstrap, cause: progress.CauseControllerMissing,
		object: "KubeadmConfig/prod-cp-a", says: "cluster.x-k8s.io/provider=bootstrap-kubeadm", command: "mgmt get deployments -A -l cluster.x-k8s.io/provider", alone: true},
	{name: "the bootstrap provider is down", stages: "fresh infrastructure plane", patch: `{kind: Deployment, metadata: {name: capi-kubeadm-bootstrap-controller-manager}, status: {availableReplicas: null}}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.Bootstrap, cause: progress.CauseControllerDown,
		object: "Deployment/capi-kubeadm-bootstrap-controller-manager", says: "does not act", command: "mgmt -n capi-kubeadm-bootstrap-system get deployments,pods", alone: true},
	{name: "the control-plane provider is down", stages: "fresh infrastructure", patch: `{kind: Deployment, metadata: {name: capi-kubeadm-control-plane-controller-manager}, status: {availableReplicas: null}}`,
		state: progress.Stuck, phase: progress.PhaseBootstrap, holder: progress.ControlPlane, cause: progress.CauseControllerDown,
		object: "Deployment/capi-kubeadm-control-plane-controller-manager", says: "does not act", command: "mgmt -n capi-kubeadm-control-plane-system get deployments,pods", alone: true},
	{name: "the core provider is down", stages: "fresh", patch: `
{kind: ProxmoxCluster, metadata: {name: prod, ownerReferences: null}}
---
{kind: Deployment, metadata: {name: capi-controller-manager}, status: {availableReplicas: null}}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Core, cause: progress.CauseControllerDown,
		object: "Deployment/capi-controller-manager", says: "does not act", command: "mgmt -n capi-system get deployments,pods", alone: true},
	{name: "no IPAM provider", stages: "worker worker-host", patch: proxmoxMachine("prod-w1", "WaitingForStaticIPAllocation", "", "5m") + located + claim + `---
{kind: Deployment, metadata: {name: capi-ipam-in-cluster-controller-manager}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseWorkers, holder: progress.IPAM, cause: progress.CauseControllerMissing,
		object: "IPAddressClaim/prod-w1-net0-00-inet", says: "provider=ipam-in-cluster", command: "mgmt get deployments -A -l cluster.x-k8s.io/provider", alone: true},
	{name: "no infrastructure provider", stages: "fresh", patch: `{kind: Deployment, metadata: {name: capmox-controller-manager}, delete: true}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseControllerMissing,
		object: "ProxmoxCluster/prod", says: "provider=infrastructure-proxmox", command: "mgmt get deployments -A -l cluster.x-k8s.io/provider", alone: true},
	{name: "a provider elsewhere", stages: "fresh", patch: `
{kind: Deployment, metadata: {name: capmox-controller-manager}, delete: true}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: moxie, namespace: platform, labels: {cluster.x-k8s.io/provider: infrastructure-proxmox}}
spec: {replicas: 2}
status: {replicas: 2}`,
		state: progress.Stuck, phase: progress.PhaseInfrastructure, holder: progress.Infrastructure, cause: progress.CauseControllerDown,
		object: "Deployment/moxie", says: "does not act", command: "mgmt -n platform get deployments,pods", alone: true},
	{name: "Talos' control-plane provider is down", world: "talos", patch: `
{kind: Deployment, metadata: {name: cacppt-controller-manager}, status: {availableReplicas: null}}
---
{kind: TalosControlPlane, metadata: {name: prod-cp}, spec: {replicas: 3}}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseControllerDown,
		object: "Deployment/cacppt-controller-manager", says: "does not act", command: "mgmt -n cacppt-system get deployments,pods", alone: true},
	// A change that nobody has looked at is not a healthy cluster's, though all else is as before.
	{name: "a change that nobody looked at", patch: `
{kind: KubeadmControlPlane, metadata: {name: prod-cp, generation: 2}, spec: {version: v1.34.1}}
---
{kind: Deployment, metadata: {name: capi-kubeadm-control-plane-controller-manager}, status: {availableReplicas: null}}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.ControlPlane, cause: progress.CauseControllerDown,
		object: "Deployment/capi-kubeadm-control-plane-controller-manager", says: "does not act", shows: "last change", command: "mgmt -n capi-kubeadm-control-plane-system get deployments,pods", alone: true},
	{name: "a change that is looked at", patch: `{kind: MachineDeployment, metadata: {name: prod-md, generation: 2}}`,
		state: progress.Converging, phase: progress.PhaseWorkers, holder: progress.Core, cause: progress.CauseNotLooked,
		object: "MachineDeployment/prod-md", says: "last change", command: "mgmt -n team describe machinedeployments.cluster.x-k8s.io prod-md", alone: true},
	{name: "a change in a paused cluster", patch: `
{kind: KubeadmControlPlane, metadata: {name: prod-cp, generation: 2}}
---
{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}`,
		state: progress.Stuck, phase: progress.PhaseControlPlane, holder: progress.Person, cause: progress.CausePaused,
		object: "Cluster/prod", says: "it is paused", command: aboutCluster},
}
