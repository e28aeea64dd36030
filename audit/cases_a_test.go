package audit_test

import "testing"

// Guests of a host that is off, or that sends no status. The numbers are those of the collected public reports; each
// test holds the kind of fault, not one tool's input.

func TestCase_T1_RowWithoutNameOfHostThatIsOff(t *testing.T) {
	check(t, `
sites: [{name: lab, nodes: [pve1, {name: pve2, status: offline}]}]
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 1001, name: prod-1, uuid: $u1, tags: [prod]}
- {id: 1002, node: pve2, tags: [prod]}
nodes:
- {name: prod-1, uuid: $u1}
- {name: prod-2, uuid: $u2, ready: Unknown}
incomplete: true
want:
  vm/lab/1002: {class: unknown, missing: [site/lab node/pve2]}
  node/prod/prod-2: {class: unknown, missing: [site/lab node/pve2]}
  vm/lab/1001: adoptable
`)
}

func TestCase_T2_RowWithoutNameTemplateAndSizes(t *testing.T) {
	check(t, `
vms: [{id: 105, nameless: true}]
incomplete: true
want:
  vm/lab/105: {class: unknown, reason: not-seen}
`)
}

func TestCase_T3_OneHostDoesNotAnswerTheOthersStand(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, node: pve1, name: prod-1, uuid: $u1, tags: [prod]}
- {id: 102, node: pve2, name: prod-2, uuid: $u2, tags: [prod]}
- {id: 103, node: pve3, name: prod-3, tags: [prod], unread: true}
nodes: [{name: prod-1, uuid: $u1}]
coverage:
- {source: site/lab, scope: node/pve3, state: failed, reason: "595 Connection refused"}
incomplete: true
want:
  vm/lab/101: adoptable
  vm/lab/102: orphan-vm
  vm/lab/103: {class: unknown, missing: [site/lab config/pve3]}
`)
}

func TestCase_T4_OfflineHostKeepsItsRows(t *testing.T) {
	check(t, `
sites: [{name: lab, nodes: [pve1, {name: pve3, status: offline}]}]
vms:
- {id: 101, name: web}
- {id: 103, node: pve3}
incomplete: true
want:
  vm/lab/101: unrelated
  vm/lab/103: {class: unknown, missing: [site/lab node/pve3]}
`)
}

func TestCase_T6_HostInMaintenanceDegradesAndDoesNotAbort(t *testing.T) {
	check(t, `
sites: [{name: lab, nodes: [pve1, {name: pve3, status: unknown}]}]
vms:
- {id: 101, name: w-1, uuid: $u1}
- {id: 103, node: pve3}
nodes:
- {name: w-1, uuid: $u1, providerID: uuid}
- {name: w-3, uuid: $u3, providerID: uuid}
incomplete: true
want:
  node/prod/w-1: adoptable
  node/prod/w-3: {class: unknown, reason: unverifiable, missing: [site/lab node/pve3]}
`)
}

func TestCase_T7_QuorateClusterWithOneOfThreeOff(t *testing.T) {
	check(t, `
management: {}
sites: [{name: lab, nodes: [pve1, pve2, {name: pve3, status: offline}]}]
clusters: [{name: prod, selector: {vmids: ["100-199"]}}]
vms:
- {id: 101, node: pve1, name: w-1, uuid: $u1}
- {id: 102, node: pve2, name: w-2, uuid: $u2}
- {id: 103, node: pve3}
nodes: [{name: w-1, uuid: $u1}]
incomplete: true
want:
  vm/lab/101: adoptable
  vm/lab/102: {class: orphan-vm, cluster: prod, confidence: high}
  vm/lab/103: unknown
`)
}

func TestCase_T8_AnyHostDownLeavesTheOthersCounted(t *testing.T) {
	g := check(t, `
sites: [{name: lab, nodes: [{name: pve1, status: offline}, pve2, pve3]}]
vms:
- {id: 101, node: pve1}
- {id: 102, node: pve2, name: db}
- {id: 103, node: pve3, name: web}
incomplete: true
want: {vm/lab/101: unknown, vm/lab/102: unrelated, vm/lab/103: unrelated}
`)
	if len(g.Entities) != 3 {
		t.Errorf("%d entities, want 3: nobody is left out", len(g.Entities))
	}
}

func TestCase_T10_EmptyAnswerOfAnUnreachableHost(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: m-1, unread: true}
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, nodeRef: m-1}]
nodes: [{name: m-1, uuid: $u1, providerID: uuid}]
coverage:
- {source: site/lab, scope: config/pve1, state: failed, reason: "596, empty body"}
incomplete: true
want:
  machine/default/m-1: {class: managed, with: [vm/lab/101, node/prod/m-1]}
`)
}
