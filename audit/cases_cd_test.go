package audit_test

import (
	"fmt"
	"testing"
)

// Types and formats: the collector's own tests hold the parsing. Here stands what a verdict makes of them.

func TestCase_T39_MoreThanTenNICs(t *testing.T) {
	macs := ""
	for i := range 32 {
		macs += fmt.Sprintf("%q, ", fmt.Sprintf("bc:24:11:00:00:%02x", i))
	}
	check(t, `
vms: [{id: 101, name: renamed, macs: [`+macs+`]}]
machines: [{name: m-1}]
proxmoxMachines: [{name: m-1, macs: ["bc:24:11:00:00:1f"]}]
want: {machine/default/m-1: {class: non-node, with: [vm/lab/101]}}
`)
}

func TestCase_T40_TagsAreASet(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [b]}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: w-1, uuid: $u1, tags: [b, a]}, {id: 102, name: w-2, uuid: $u2, tags: [a, b]}]
nodes: [{name: member, uuid: $u99}, {name: x, uuid: $u3}]
want: {vm/lab/101: orphan-vm, vm/lab/102: orphan-vm}
`)
}

func TestCase_T41_TagsFoldCase(t *testing.T) {
	check(t, `
management: {}
clusters: [{name: prod, selector: {tags: [K8S]}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: w-1, uuid: $u1, tags: [k8s]}]
nodes: [{name: member, uuid: $u99}, {name: x, uuid: $u3}]
want: {vm/lab/101: {class: orphan-vm, confidence: high}}
`)
}

func TestCase_T43_TemplateKeyAbsentIsNoTemplate(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {names: "w-.*"}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: w-1, uuid: $u1}, {id: 9000, name: w-tpl, uuid: $u2, template: true}]
nodes: [{name: member, uuid: $u99}]
want: {vm/lab/101: orphan-vm, vm/lab/9000: template}
`)
}

func TestCase_T44_AgentUnavailableAndMACOptional(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {names: "w-.*"}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: w-1, agentIPs: [10.0.0.1/24]}]
nodes: [{name: member, uuid: $u99}, {name: n-1, ips: [10.0.0.1], rawUUID: ffffffff-ffff-ffff-ffff-ffffffffffff}]
want:
  vm/lab/101: {class: unknown, reason: ambiguous}
  node/prod/n-1: {class: unknown}
`)
}

func TestCase_T46_AgentFailsSoftly(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w-1, uuid: $u1}]
nodes: [{name: w-1, uuid: $u1}]
coverage: [{source: site/lab, scope: guest-agent, state: partial, reason: QEMU guest agent is not running, optional: true}]
incomplete: false
want: {vm/lab/101: adoptable}
`)
}

// Permission: a short list that looks like a whole one.

func TestCase_T47_TokenSeesNothing(t *testing.T) {
	check(t, `
sites: [{name: lab, hidden: "VM.Audit on /vms is missing"}]
machines: [{name: m-1, uuid: $u1, nodeRef: m-1}, {name: m-2}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}, {name: m-2}]
nodes:
- {name: m-1, uuid: $u1, providerID: uuid}
- {name: m-3, uuid: $u3, ready: Unknown}
probes: [{id: 101, answer: exists}]
incomplete: true
want:
  machine/default/m-1: {class: unknown, reason: exists-but-hidden, missing: [site/lab guests]}
  machine/default/m-2: {class: unknown, missing: [site/lab guests]}
  node/prod/m-3: {class: unknown, missing: [site/lab guests]}
`)
}

func TestCase_T48_PrivilegeSeparatedTokenWithoutACL(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1], hidden: "the token has no privileges at all"}]
machines: [{name: m-1, uuid: $u1}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://r1/105", ready: "False"}]
probes: [{id: 101, answer: free}, {id: 105, answer: free}]
incomplete: true
want:
  machine/default/m-1: {class: unknown, missing: [site/lab guests]}
  node/prod/w-5: {class: unknown, missing: [site/lab guests]}
`)
}

func TestCase_T50_ExistsButHiddenIsNoGhost(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [region-1]}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://region-1/105", ready: Unknown}]
probes: [{id: 105, answer: exists}]
incomplete: true
want: {node/prod/w-5: {class: unknown, reason: exists-but-hidden, missing: [site/lab guests]}}
`)
}

func TestCase_T51_MissingPrivilegeOfTheAgentCostsNoVerdict(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w-1, uuid: $u1}]
nodes: [{name: w-1, uuid: $u1}]
coverage: [{source: site/lab, scope: guest-agent, state: refused, reason: "403 Permission check failed (/vms/101, VM.GuestAgent.Audit|VM.GuestAgent.Unrestricted)", optional: true}]
incomplete: false
want: {node/prod/w-1: adoptable}
`)
}
