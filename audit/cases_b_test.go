package audit_test

import (
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// Identity: VMID, name, UUID and MAC, each taken for more than it is.

func TestCase_T11_SameVMIDOnTwoSites(t *testing.T) {
	g := check(t, `
sites: [a, b]
vms:
- {id: a/100, name: w-1, uuid: $u1}
- {id: b/100, name: w-2, uuid: $u2}
nodes: [{name: w-2, uuid: $u2}]
want:
  vm/a/100: unrelated
  vm/b/100: {class: adoptable, with: [node/prod/w-2]}
`)
	if len(g.Entities) != 2 {
		t.Errorf("%d entities, want 2", len(g.Entities))
	}
}

func TestCase_T12_FreeOnOneSiteUsedOnTheOther(t *testing.T) {
	check(t, `
sites: [a, b]
clusters: [{name: prod, declared: true, site: b}]
vms: [{id: a/105, name: m-1, uuid: $u9}]
machines: [{name: m-1, uuid: $u1}]
proxmoxMachines: [{name: m-1, vmid: 105, uuid: $u1}]
probes: [{id: b/105, answer: free}]
want:
  machine/default/m-1: {class: ghost-machine, reason: vm-gone}
  vm/a/105: unrelated
`)
}

func TestCase_T13_ContainerAndGuestOfOneName(t *testing.T) {
	g := check(t, `
vms:
- {id: 100, name: web}
- {id: 200, name: web, type: lxc}
nodes: [{name: web}]
want:
  vm/lab/100: {class: adoptable, confidence: low, with: [node/prod/web]}
  vm/lab/200: {class: unrelated, reason: container}
`)
	if len(g.Entities) != 2 {
		t.Errorf("%d entities, want 2 records", len(g.Entities))
	}
}

func TestCase_T14_FiveGuestsOfOneName(t *testing.T) {
	g := check(t, `
clusters: [{name: ci, selector: {names: runner}}]
vms:
- {id: 123, name: runner, uuid: $u1}
- {id: 124, name: runner, uuid: $u2}
- {id: 125, name: runner, uuid: $u3}
- {id: 126, name: runner, uuid: $u4}
- {id: 127, name: runner, uuid: $u5}
nodes: [{name: runner}]
want:
  node/ci/runner: {class: unknown, reason: ambiguous}
  vm/lab/123: {class: unknown, reason: ambiguous}
  vm/lab/124: {class: unknown, reason: ambiguous}
  vm/lab/125: {class: unknown, reason: ambiguous}
  vm/lab/126: {class: unknown, reason: ambiguous}
  vm/lab/127: {class: unknown, reason: ambiguous}
`)
	if len(g.Entities) != 6 {
		t.Errorf("%d entities, want all six listed", len(g.Entities))
	}
}

func TestCase_T16_StaleVirtualMachineIDOfAnotherMachine(t *testing.T) {
	check(t, `
vms: [{id: 117, name: m-b, uuid: $u2}]
machines:
- {name: m-a, uuid: $u1}
- {name: m-b, uuid: $u2, nodeRef: m-b}
proxmoxMachines:
- {name: m-a, vmid: 117, uuid: $u1}
- {name: m-b, vmid: 117, uuid: $u2}
nodes: [{name: m-b, uuid: $u2, providerID: uuid}]
want:
  machine/default/m-a: {class: conflict, reason: recycled-vmid, rivals: [vm/lab/117], confidence: high}
  proxmoxmachine/default/m-a: conflict
  vm/lab/117: {class: managed, with: [machine/default/m-b, node/prod/m-b]}
`)
}

func TestCase_T16_StaleVirtualMachineIDAndNothingElse(t *testing.T) {
	check(t, `
vms: [{id: 117, name: m-b, uuid: $u2}]
machines: [{name: m-a}, {name: m-b}]
proxmoxMachines:
- {name: m-a, vmid: 117}
- {name: m-b, vmid: 117}
want:
  machine/default/m-a: {class: conflict, rivals: [vm/lab/117]}
  vm/lab/117: {class: non-node, with: [machine/default/m-b]}
`)
}

func TestCase_T17_TwoOwnersAcrossClusters(t *testing.T) {
	check(t, `
clusters: [{name: old, declared: true}, {name: new, declared: true}]
vms: [{id: 117, name: new-1, uuid: $u2}]
machines:
- {name: old/old-1, cluster: old, uuid: $u1, deleted: 2h}
- {name: new/new-1, cluster: new, uuid: $u2, nodeRef: new-1}
proxmoxMachines:
- {name: old/old-1, cluster: old, vmid: 117, uuid: $u1, deleted: 2h}
- {name: new/new-1, cluster: new, vmid: 117, uuid: $u2}
nodes: [{name: new/new-1, uuid: $u2, providerID: uuid}]
want:
  machine/old/old-1: {class: conflict, reason: recycled-vmid, rivals: [vm/lab/117]}
  vm/lab/117: {class: managed, with: [machine/new/new-1]}
`)
}

func TestCase_T19_ThreeProxmoxMachinesShareOneProviderID(t *testing.T) {
	check(t, `
vms: [{id: 110, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, nodeRef: m-1}, {name: m-2, uuid: $u1}, {name: m-3, uuid: $u1}]
proxmoxMachines:
- {name: m-1, vmid: 110, uuid: $u1}
- {name: m-2, vmid: 110, uuid: $u1}
- {name: m-3, vmid: 110, uuid: $u1}
nodes: [{name: m-1, uuid: $u1, providerID: uuid}]
want:
  vm/lab/110: {class: managed, with: [machine/default/m-1, node/prod/m-1]}
  machine/default/m-2: {class: conflict, reason: duplicate-claim, rivals: [vm/lab/110, proxmoxmachine/default/m-1]}
  machine/default/m-3: {class: conflict, reason: duplicate-claim, rivals: [vm/lab/110, proxmoxmachine/default/m-1]}
`)
}

func TestCase_T20_ForeignProviderIDIsNoMismatch(t *testing.T) {
	check(t, `
vms: [{id: 101, name: n1, uuid: $u1}]
nodes: [{name: n1, uuid: $u1, providerID: "rke2://n1"}]
want: {vm/lab/101: {class: adoptable, confidence: high, with: [node/prod/n1]}}
`)
}

func TestCase_T21_VMNameIsNotTheHostname(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: prod-n1, uuid: $u1}
- {id: 102, name: n1, uuid: $u2}
nodes: [{name: n1, uuid: $u1}]
want:
  vm/lab/101: {class: adoptable, confidence: high, with: [node/prod/n1]}
  vm/lab/102: unrelated
`)
}

func TestCase_T23_CloudControllerAndCAPMOXDisagree(t *testing.T) {
	g := check(t, `
sites: [{name: lab, regions: [region-1]}]
vms: [{id: 100, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1}]
proxmoxMachines: [{name: m-1, vmid: 100, uuid: $u1}]
nodes: [{name: m-1, uuid: $u1, providerID: "proxmox://region-1/100"}]
want:
  vm/lab/100: {class: mismatched, reason: provider-ids-differ, with: [machine/default/m-1, node/prod/m-1]}
`)
	if len(g.Entities) != 1 {
		t.Errorf("%d entities, want one finding and not two", len(g.Entities))
	}
}

func TestCase_T24_ByteSwappedUUID(t *testing.T) {
	g := check(t, `
vms: [{id: 101, name: a, uuid: $u1}]
nodes: [{name: b, uuid: $s1}]
want: {vm/lab/101: {class: adoptable, confidence: high, with: [node/prod/b]}}
`)
	if ev := g.Entities[0].Evidence()[0]; ev.Kind != "byte-swapped-uuid" || ev.Note == "" {
		t.Errorf("the first evidence is %+v, want the swapped UUID, named as such", ev)
	}
}

func TestCase_T24_SwappedOnlyIfTheStraightFormHasNoMatch(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: a, uuid: $u1}
- {id: 102, name: c, uuid: $s1}
nodes: [{name: b, uuid: $s1}]
want:
  vm/lab/101: unrelated
  vm/lab/102: {class: adoptable, with: [node/prod/b]}
`)
}

func TestCase_T25_CaseOfUUIDs(t *testing.T) {
	check(t, `
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, providerID: "proxmox://$U1", nodeRef: m-1}]
proxmoxMachines: [{name: m-1, vmid: 101, providerID: "proxmox://$U1"}]
nodes: [{name: m-1, uuid: $U1, providerID: "proxmox://$U1"}]
want: {vm/lab/101: {class: managed, with: [machine/default/m-1, node/prod/m-1]}}
`)
}

func TestCase_T25_ProviderIDsThatDifferInCaseOnly(t *testing.T) {
	check(t, `
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: m-1, uuid: $u1, providerID: "proxmox://$U1"}]
want: {vm/lab/101: {class: mismatched, with: [node/prod/m-1]}}
`)
}

func TestCase_T26_AllFAndNilUUIDsAreNone(t *testing.T) {
	for name, junk := range map[string]string{"all F": "ffffffff-ffff-ffff-ffff-ffffffffffff", "nil": "00000000-0000-0000-0000-000000000000"} {
		t.Run(name, func(t *testing.T) {
			check(t, `
vms:
- {id: 101, name: w-1, rawUUID: `+junk+`, ips: [10.0.0.1/24]}
- {id: 102, name: w-2, rawUUID: `+junk+`, ips: [10.0.0.2/24]}
nodes:
- {name: w-1, rawUUID: `+junk+`, ips: [10.0.0.1]}
- {name: w-2, rawUUID: `+junk+`, ips: [10.0.0.2]}
want:
  vm/lab/101: {class: adoptable, confidence: medium, with: [node/prod/w-1]}
  vm/lab/102: {class: adoptable, confidence: medium, with: [node/prod/w-2]}
`)
		})
	}
}

func TestCase_T28_SMBIOSWithoutUUID(t *testing.T) {
	check(t, `
vms: [{id: 101, name: m-1}]
machines: [{name: m-1, age: 10d, providerID: "proxmox://"}]
proxmoxMachines: [{name: m-1, vmid: 101, providerID: "proxmox://"}]
want: {machine/default/m-1: {class: non-node, with: [vm/lab/101], notes: [no SMBIOS UUID]}}
`)
}

func TestCase_T30_OneGuestInTheListTwice(t *testing.T) {
	f, err := inventorytest.Parse([]byte(`
vms:
- {id: 101, node: pve1, name: w-1, uuid: $u1}
- {id: 101, node: pve2, name: w-1, uuid: $u1}
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/101: adoptable}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Orphans(f.Snapshot, audit.Options{All: true})
	if len(r.Findings) != 1 || r.Findings[0].Class != "adoptable" {
		t.Errorf("got %+v, want one adoptable: a guest that moves is one guest", r.Findings)
	}
}

func TestCase_T31_MachineIDIsNoIdentity(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: w-1, uuid: $u1}
- {id: 102, name: w-2, uuid: $u2}
nodes:
- {name: w-1, uuid: $u1, machineID: 0123456789abcdef0123456789abcdef}
- {name: w-2, uuid: $u2, machineID: 0123456789abcdef0123456789abcdef}
want:
  vm/lab/101: {class: adoptable, with: [node/prod/w-1], notes: [machine-id]}
  vm/lab/102: {class: adoptable, with: [node/prod/w-2], notes: [machine-id]}
`)
}
