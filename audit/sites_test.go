package audit_test

import (
	"fmt"
	"testing"
)

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

// A Node whose UUID fits a VM of another site once its bytes are swapped, while the configuration that may have the very
// UUID was not read: the guest at the VMID that its providerID names may be a stranger, and is no conflict yet.
func TestAdversary_SwappedElsewhereAndAStrangerHere(t *testing.T) {
	const fleet = `
sites: [{name: lab, regions: [r1]}, far]
vms:
- {id: lab/101, name: p, uuid: $u2}
- {id: lab/108, name: nn, uuid: $u9}
- {id: far/301, name: a, uuid: $u1}
- {id: lab/109, name: c, uuid: $u8%s}
nodes:
- {name: p, uuid: $u2}
- {name: nn, uuid: $s1, providerID: "proxmox://r1/108"}
`
	check(t, fmt.Sprintf(fleet, "")+`
want: {node/prod/nn: {class: adoptable, with: [vm/far/301]}}
`)
	check(t, fmt.Sprintf(fleet, ", unread: true")+`
want: {node/prod/nn: unknown, vm/lab/108: unknown, vm/far/301: unknown}
`)
}
