package audit_test

import "testing"

// Lifecycle: orphans, Machines and Nodes.

func TestCase_T53_NeverProvisionedIsNoGhostOfMinusOne(t *testing.T) {
	check(t, `
machines: [{name: m-1, age: 5d}]
proxmoxMachines: [{name: m-1, age: 5d}]
nodes: [{name: other, uuid: $u2}]
incomplete: false
want: {machine/default/m-1: {class: non-node, reason: never-provisioned}}
`)
}

func TestCase_T54_StuckDeletingVMAlreadyGone(t *testing.T) {
	check(t, `
machines: [{name: m-1, uuid: $u1, deleted: 3h}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1, deleted: 3h}]
probes: [{id: 101, answer: free}]
want: {machine/default/m-1: {class: ghost-machine, reason: stuck-deleting-vm-gone, notes: [being deleted]}}
`)
}

func TestCase_T54_DeletionWithinTheGracePeriod(t *testing.T) {
	check(t, `
machines: [{name: m-1, uuid: $u1, deleted: 5m}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1, deleted: 5m}]
probes: [{id: 101, answer: free}]
want: {machine/default/m-1: {class: converging, reason: being-deleted}}
`)
}

func TestCase_T57_VMMovedToAnotherHost(t *testing.T) {
	check(t, `
vms: [{id: 101, node: pve2, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, nodeRef: m-1}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1, node: pve1}]
nodes: [{name: m-1, uuid: $u1, providerID: uuid}]
want: {vm/lab/101: {class: managed, with: [machine/default/m-1], notes: ["host pve1"]}}
`)
}

func TestCase_T58_LeakedVM(t *testing.T) {
	check(t, `
management: {}
vms:
- {id: 101, name: prod-w-1, uuid: $u1, tags: [prod], pool: prod}
- {id: 102, name: prod-w-2, uuid: $u2, tags: [prod], pool: prod}
- {id: 103, name: prod-w-3, uuid: $u3, tags: [prod], pool: prod}
nodes:
- {name: prod-w-1, uuid: $u1}
- {name: prod-w-2, uuid: $u2}
want: {vm/lab/103: {class: orphan-vm, cluster: prod, confidence: medium}}
`)
}

func TestCase_T59_TeardownThatNeverEndsByTheOldHost(t *testing.T) {
	check(t, `
vms: [{id: 101, node: pve2, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, deleted: 6h}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1, node: pve1, deleted: 6h}]
nodes: [{name: other, uuid: $u2}]
want: {machine/default/m-1: {class: non-node, with: [vm/lab/101], notes: ["host pve1", being deleted]}}
`)
}

func TestCase_T61_TalosWroteItsProviderIDFirst(t *testing.T) {
	g := check(t, `
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: talos-abc, uuid: $u1, providerID: "talos://nocloud/10.0.0.5"}]
want: {machine/default/m-1: {class: mismatched, reason: provider-ids-differ, with: [vm/lab/101, node/prod/talos-abc]}}
`)
	if len(g.Entities) != 1 {
		t.Errorf("%d entities, want one: a Machine without a Node and a Node without a Machine are one", len(g.Entities))
	}
}

func TestCase_T62_NodeReadyWithoutProviderID(t *testing.T) {
	g := check(t, `
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, phase: Provisioned}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: m-1, uuid: $u1}]
want: {machine/default/m-1: {class: mismatched, reason: node-without-provider-id, with: [vm/lab/101, node/prod/m-1]}}
`)
	if len(g.Entities) != 1 {
		t.Errorf("%d entities, want one", len(g.Entities))
	}
}

func TestCase_T63_NoNodeRefForWantOfAProviderID(t *testing.T) {
	check(t, `
machines: [{name: m-1, uuid: $u1, phase: Provisioned}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: w-1, uuid: $u1}]
vms: [{id: 101, name: m-1, uuid: $u1}]
want: {node/prod/w-1: {class: mismatched, reason: node-without-provider-id, with: [machine/default/m-1]}}
`)
}

func TestCase_T64_TrueGhostNode(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://r1/105", ready: Unknown}]
probes: [{id: 105, answer: free}]
incomplete: false
want: {node/prod/w-5: {class: ghost-node, reason: vm-gone, confidence: high}}
`)
}

func TestCase_T64_NodeThatIsReadyIsNoGhost(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://r1/105"}]
probes: [{id: 105, answer: free}]
want: {node/prod/w-5: {class: unknown, reason: node-alive-without-vm}}
`)
}
