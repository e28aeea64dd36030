package audit_test

import "testing"

// A VMID that is free where the cluster's VMs lie, and another guest's in a site where none of them is: a coincidence.
func TestAdversary_SameVMIDInTheOtherSite(t *testing.T) {
	check(t, `
sites: [home, edge]
vms:
- {id: home/101, name: w-1, uuid: $u1}
- {id: edge/150, name: nas, uuid: $u9}
machines: [{name: w-1, uuid: $u1, nodeRef: w-1}, {name: w-2, uuid: $u2}]
proxmoxMachines: [{name: w-1, vmid: 101, uuid: $u1}, {name: w-2, vmid: 150, uuid: $u2}]
nodes: [{name: w-1, uuid: $u1, providerID: uuid}]
probes: [{id: home/150, answer: free}, {id: edge/101, answer: free}]
want:
  machine/default/w-1: managed
  machine/default/w-2: {class: ghost-machine, reason: vm-gone}
  vm/edge/150: unrelated
`)
}

// The same, and nothing says where the cluster's VMs lie.
func TestAdversary_SameVMIDAndNoHome(t *testing.T) {
	check(t, `
sites: [home, edge]
vms: [{id: edge/150, name: nas, uuid: $u9}]
machines: [{name: w-2, uuid: $u2}]
proxmoxMachines: [{name: w-2, vmid: 150, uuid: $u2}]
probes: [{id: home/150, answer: free}]
want:
  machine/default/w-2: unknown
  vm/edge/150: unrelated
`)
}
