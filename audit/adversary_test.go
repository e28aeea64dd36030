package audit_test

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// Ways to a false orphan, a false ghost, a false conflict or a false "managed", and what must come out instead.

// A run that knows one of two clusters on a site: what both have in common says nothing.
func TestAdversary_OtherClusterOnTheSiteIsNotScanned(t *testing.T) {
	check(t, `
clusters: [{name: a}]
vms:
- {id: 101, name: k8s-node-1, uuid: $u1, tags: [k8s], pool: k8s}
- {id: 102, name: k8s-node-2, uuid: $u2, tags: [k8s], pool: k8s}
- {id: 103, name: k8s-node-3, uuid: $u3, tags: [k8s], pool: k8s}
- {id: 111, name: k8s-node-11, uuid: $u11, tags: [k8s], pool: k8s}
- {id: 112, name: k8s-node-12, uuid: $u12, tags: [k8s], pool: k8s}
- {id: 113, name: k8s-node-13, uuid: $u13, tags: [k8s], pool: k8s}
nodes: [{name: k8s-node-1, uuid: $u1}, {name: k8s-node-2, uuid: $u2}, {name: k8s-node-3, uuid: $u3}]
want:
  vm/lab/111: {class: unknown, reason: looks-like-a-cluster-member}
  vm/lab/112: {class: unknown, reason: looks-like-a-cluster-member}
  vm/lab/113: {class: unknown, reason: looks-like-a-cluster-member}
`)
}

// Traits of a cluster on one site say nothing about the guests of another.
func TestAdversary_SameNamesTagsAndPoolsOnAnotherSite(t *testing.T) {
	check(t, `
sites: [dc1, dc2]
vms:
- {id: dc1/101, name: prod-w-1, uuid: $u1, tags: [prod], pool: prod}
- {id: dc1/102, name: prod-w-2, uuid: $u2, tags: [prod], pool: prod}
- {id: dc1/103, name: prod-w-3, uuid: $u3, tags: [prod], pool: prod}
- {id: dc2/104, name: prod-w-4, uuid: $u4, tags: [prod], pool: prod}
nodes: [{name: prod-w-1, uuid: $u1}, {name: prod-w-2, uuid: $u2}, {name: prod-w-3, uuid: $u3}]
want: {vm/dc2/104: unrelated, vm/dc1/101: adoptable}
`)
}

func TestAdversary_SelectorDoesNotReachOverSites(t *testing.T) {
	check(t, `
management: {}
sites: [dc1, dc2]
clusters: [{name: prod, site: dc1, selector: {tags: [prod]}}]
vms:
- {id: home/990, name: member, uuid: $u99}
- {id: dc1/101, name: w-1, uuid: $u1, tags: [prod]}
- {id: dc2/101, name: w-1, uuid: $u2, tags: [prod]}
nodes: [{name: member, uuid: $u99}]
want: {vm/dc1/101: {class: orphan-vm, confidence: high}, vm/dc2/101: unrelated}
`)
}

// An unread cluster may own any VM that nobody's selector claims.
func TestAdversary_AnyUnreadClusterMayOwnASibling(t *testing.T) {
	check(t, `
clusters: [{name: a}, {name: b, unread: true}]
vms:
- {id: 101, name: prod-w-1, uuid: $u1}
- {id: 102, name: prod-w-2, uuid: $u2}
- {id: 103, name: prod-w-3, uuid: $u3}
nodes: [{name: a/prod-w-1, uuid: $u1}, {name: a/prod-w-2, uuid: $u2}]
incomplete: true
want: {vm/lab/103: {class: unknown, missing: [cluster/b nodes]}}
`)
}

func TestAdversary_ClusterThatOnlyItsMachinesSpeakOf(t *testing.T) {
	check(t, `
clusters: [{name: a}]
vms:
- {id: 101, name: prod-w-1, uuid: $u1}
- {id: 102, name: prod-w-2, uuid: $u2}
- {id: 103, name: prod-w-3, uuid: $u3}
machines: [{name: m-1, cluster: a, infra: none}]
nodes: [{name: a/prod-w-1, uuid: $u1}, {name: a/prod-w-2, uuid: $u2}]
proxmoxMachines: [{name: pm-9, cluster: a, owner: none}]
coverage: [{source: management, scope: clusters.cluster.x-k8s.io, state: refused}]
incomplete: true
want: {vm/lab/103: {class: unknown, missing: [management clusters.cluster.x-k8s.io]}}
`)
}

// A VM restored from a backup without --unique has the UUID and the MAC of the one that runs.
func TestAdversary_RestoredVMWithTheSameUUID(t *testing.T) {
	g := check(t, `
vms:
- {id: 101, name: prod-w-1, uuid: $u1, macs: ["bc:24:11:00:00:01"]}
- {id: 201, name: restore-test, uuid: $u1, macs: ["bc:24:11:00:00:01"], status: stopped}
nodes: [{name: prod-w-1, uuid: $u1}]
want:
  vm/lab/101: {class: conflict, reason: shared-uuid, with: [vm/lab/201, node/prod/prod-w-1]}
`)
	if len(g.Entities) != 1 {
		t.Errorf("%d entities, want one conflict", len(g.Entities))
	}
}

// A template that kept the UUID of the VM that it was made of is no second machine.
func TestAdversary_TemplateWithTheUUIDOfAVM(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: w-1, uuid: $u1}
- {id: 9000, name: w-tpl, uuid: $u1, template: true}
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/101: {class: adoptable, confidence: high}, vm/lab/9000: template}
`)
}

// Clones copy tags, description and ipconfig from the template: none of them is an identity.
func TestAdversary_ClonesThatShareEverythingButTheUUID(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, name: Copy-of-VM-w, uuid: $u1, tags: [prod], ips: [10.0.0.9/24]}
- {id: 102, name: Copy-of-VM-w, uuid: $u2, tags: [prod], ips: [10.0.0.9/24]}
nodes: [{name: w, uuid: $u1, ips: [10.0.0.9]}]
want: {vm/lab/101: {class: adoptable, confidence: high}, vm/lab/102: orphan-vm}
`)
}

// kube-vip's address moves between the control-plane machines.
func TestAdversary_VirtualIPOfTheControlPlane(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: cp-a, macs: ["bc:24:11:00:00:01"], agentIPs: [10.0.0.11/24]}
- {id: 102, name: cp-b, macs: ["bc:24:11:00:00:02"], agentIPs: [10.0.0.12/24, 10.0.0.10/32]}
nodes:
- {name: cp-1, ips: [10.0.0.11, 10.0.0.10]}
- {name: cp-2, ips: [10.0.0.12]}
want:
  vm/lab/101: {class: adoptable, confidence: medium, with: [node/prod/cp-1]}
  vm/lab/102: {class: adoptable, confidence: medium, with: [node/prod/cp-2]}
`)
}

func TestAdversary_VirtualIPWithAWidePrefix(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: cp-a, macs: ["bc:24:11:00:00:01"], agentIPs: [10.0.0.11/24]}
- {id: 102, name: cp-b, macs: ["bc:24:11:00:00:02"], agentIPs: [10.0.0.12/24, 10.0.0.10/24]}
nodes: [{name: cp-1, ips: [10.0.0.11, 10.0.0.10]}]
want: {node/prod/cp-1: {class: unknown, reason: ambiguous}}
`)
}

// Private addresses repeat over sites.
func TestAdversary_OverlappingPrivateAddressesAcrossSites(t *testing.T) {
	check(t, `
sites: [dc1, dc2]
vms:
- {id: dc2/101, name: w-1, uuid: $u1}
- {id: dc2/102, name: w-2, uuid: $u2}
- {id: dc1/300, name: db, ips: [10.0.0.13/24]}
nodes:
- {name: w-1, uuid: $u1, ips: [10.0.0.11]}
- {name: w-2, uuid: $u2, ips: [10.0.0.12]}
- {name: w-3, ips: [10.0.0.13]}
want:
  node/prod/w-3: {class: unknown, reason: ambiguous}
  vm/dc1/300: {class: unknown, reason: ambiguous}
`)
}

func TestAdversary_AddressOnASiteThatTheConfigurationRulesOut(t *testing.T) {
	check(t, `
sites: [dc1, dc2]
clusters: [{name: prod, site: dc2}]
vms: [{id: dc1/300, name: db, uuid: $u9, ips: [10.0.0.13/24]}]
nodes: [{name: w-3, uuid: $u3, ips: [10.0.0.13]}]
want: {node/prod/w-3: foreign-node, vm/dc1/300: unrelated}
`)
}

// Two sites with the same names: a UUID that differs ends it.
func TestAdversary_SameNamesOnTwoSites(t *testing.T) {
	check(t, `
sites: [dc1, dc2]
vms:
- {id: dc1/101, name: w-1, uuid: $u1}
- {id: dc2/101, name: w-1, uuid: $u2}
nodes: [{name: a/w-1, uuid: $u1}, {name: b/w-1, uuid: $u2}]
want:
  vm/dc1/101: {class: adoptable, confidence: high, with: [node/a/w-1]}
  vm/dc2/101: {class: adoptable, confidence: high, with: [node/b/w-1]}
`)
}

// The machines of a site that was not scanned: their VMIDs are free or other guests' here, and that says nothing.
func TestAdversary_VMIDsOfASiteThatWasNotScanned(t *testing.T) {
	check(t, `
clusters: [{name: far, declared: true}]
vms: [{id: 106, name: nas, uuid: $u9}]
machines: [{name: far-1, uuid: $u1}, {name: far-2, uuid: $u2}]
proxmoxMachines:
- {name: far-1, vmid: 105, uuid: $u1, node: dc2-pve1, sourceNode: dc2-pve1}
- {name: far-2, vmid: 106, uuid: $u2, node: dc2-pve1, sourceNode: dc2-pve1}
probes: [{id: 105, answer: free}]
want:
  machine/default/far-1: {class: unknown, reason: site-may-not-be-scanned, missing: [cluster/far site]}
  machine/default/far-2: unknown
  vm/lab/106: unrelated
`)
}

func TestAdversary_UnscannedSiteWithTheSameHostNames(t *testing.T) {
	check(t, `
clusters: [{name: far, declared: true}]
machines: [{name: far-1, uuid: $u1}, {name: far-2, uuid: $u2, nodeRef: far-2}]
proxmoxMachines:
- {name: far-1, vmid: 105, uuid: $u1}
- {name: far-2, vmid: 106, uuid: $u2}
nodes: [{name: far/far-2, uuid: $u2, providerID: uuid}]
probes: [{id: 105, answer: free}, {id: 106, answer: free}]
want:
  machine/default/far-1: {class: unknown, reason: site-may-not-be-scanned}
  machine/default/far-2: {class: unknown, reason: node-alive-without-vm}
`)
}

// Two sites built alike: the same VMID and the same name, and another UUID.
func TestAdversary_TwinSiteIsNoConflict(t *testing.T) {
	check(t, `
clusters: [{name: far, declared: true}]
vms: [{id: 105, name: cp-1, uuid: $u9}]
machines: [{name: cp-1, uuid: $u1, nodeRef: cp-1}]
proxmoxMachines: [{name: cp-1, vmid: 105, uuid: $u1, node: dc2-pve1, sourceNode: dc2-pve1}]
nodes: [{name: far/cp-1, uuid: $u1, providerID: uuid}]
want: {machine/default/cp-1: {class: unknown}, vm/lab/105: {class: unknown}}
`)
}

// A VMID that another guest got since: the Node that names it has no UUID to tell them apart.
func TestAdversary_RecycledVMIDAndANodeWithoutUUID(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
vms: [{id: 105, name: db, uuid: $u9}]
nodes: [{name: w-5, providerID: "proxmox://r1/105", ready: Unknown}]
want:
  node/prod/w-5: {class: unknown, reason: ambiguous}
  vm/lab/105: {class: unknown, reason: ambiguous}
`)
}

func TestAdversary_RecycledVMIDOfANode(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
vms: [{id: 105, name: db, uuid: $u9}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://r1/105", ready: Unknown}]
want:
  node/prod/w-5: {class: conflict, reason: recycled-vmid, rivals: [vm/lab/105]}
  vm/lab/105: unrelated
`)
	r := orphans(t, `
sites: [{name: lab, regions: [r1]}]
vms: [{id: 105, name: db, uuid: $u9}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://r1/105", ready: Unknown}]
want: {vm/lab/105: unrelated}
`)
	for _, f := range r.Findings {
		if said := f.Title + f.Remedy; strings.Contains(said, "destroy") || strings.Contains(said, "ProxmoxMachine") {
			t.Errorf("a Node alone destroys nothing, and this says: %s", said)
		}
	}
	if len(r.Findings) != 1 {
		t.Errorf("%d findings", len(r.Findings))
	}
}

// A guest without a UUID stands at the VMID that is named, with the MAC that is named: it may be the machine under another
// name, and is not said to be another guest's.
func TestAdversary_ProvenElsewhereWithTheMACOfAnother(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: w-1, uuid: $u1}
- {id: 105, name: other, macs: ["bc:24:11:00:00:05"]}
machines: [{name: w-1, uuid: $u1, nodeRef: w-1}]
proxmoxMachines: [{name: w-1, vmid: 105, uuid: $u1, macs: ["bc:24:11:00:00:05"]}]
nodes: [{name: w-1, uuid: $u1, providerID: uuid}]
want: {vm/lab/101: managed}
`)
}

// One UUID on a whole fleet, a constant in its template: evidence must grow with the fleet and not with its square.
func TestAdversary_OneUUIDForAll(t *testing.T) {
	evidence := func(n int) (facts int) {
		s := inventorytest.Fleet(n)
		shared := s.VMs[0].Config.UUID
		for i := range s.VMs {
			if s.VMs[i].Config != nil {
				s.VMs[i].Config.UUID = shared
			}
		}
		for i := range s.Nodes {
			s.Nodes[i].SystemUUID = shared
		}
		for _, f := range audit.Orphans(s, audit.Options{}).Findings {
			facts += len(f.Evidence)
		}
		return facts
	}
	if small, large := evidence(200), evidence(800); large > 6*small || small == 0 {
		t.Errorf("%d facts for 200 VMs and %d for 800", small, large)
	}
}

func orphans(t *testing.T, spec string) *audit.OrphanReport {
	t.Helper()
	f, err := inventorytest.Parse([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	return audit.Orphans(f.Snapshot, audit.Options{})
}

func TestAdversary_ReadyNodeWhoseRegionNameFitsByChance(t *testing.T) {
	check(t, `
sites: [{name: s1, clusterName: pve}]
vms: [{id: 105, name: db, uuid: $u9}]
nodes: [{name: w-5, uuid: $u5, providerID: "proxmox://pve/105"}]
want: {node/prod/w-5: {class: unknown, reason: node-alive-without-vm}, vm/s1/105: unrelated}
`)
}

func TestAdversary_RegionThatNoSiteHas(t *testing.T) {
	check(t, `
nodes:
- {name: w-5, uuid: $u5, providerID: "proxmox://nowhere/105", ready: Unknown}
- {name: w-6, uuid: $u6, providerID: "k3s://w-6", ready: Unknown, annotations: {proxmox.sinextra.dev/instance-id: "106"}, labels: {topology.kubernetes.io/region: nowhere}}
want:
  node/prod/w-5: {class: unknown, reason: region-not-mapped}
  node/prod/w-6: {class: unknown, reason: region-not-mapped}
`)
}

// The same Node under another name: two objects claim one VM, and a person has to say which is stale.
func TestAdversary_NodeRegisteredAgainUnderAnotherName(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w-1, uuid: $u1}]
nodes: [{name: w-1, uuid: $u1, ready: Unknown}, {name: w-1.example.com, uuid: $u1}]
want: {vm/lab/101: {class: conflict, reason: two-nodes-one-vm}}
`)
}

// One cluster read through two contexts: the same Node objects, and no conflict.
func TestAdversary_OneClusterThroughTwoContexts(t *testing.T) {
	check(t, `
clusters: [{name: a}, {name: b}]
vms: [{id: 101, name: w-1, uuid: $u1}]
nodes: [{name: a/w-1, uid: same, uuid: $u1}, {name: b/w-1, uid: same, uuid: $u1}]
want: {vm/lab/101: {class: adoptable, with: [node/a/w-1, node/b/w-1]}}
`)
}

// A declared cluster without access whose Nodes were read under the name of a context.
func TestAdversary_NodesUnderAnotherKey(t *testing.T) {
	check(t, `
clusters: [{name: prod, declared: true, unread: true}, {name: admin@prod}]
coverage: [{source: cluster/prod, scope: nodes, state: not-asked}]
vms: [{id: 101, name: m-1, uuid: $u1}, {id: 102, name: m-2, uuid: $u2}]
machines: [{name: m-1, cluster: prod, uuid: $u1, nodeRef: m-1}, {name: m-2, cluster: prod, uuid: $u2}]
proxmoxMachines: [{name: m-1, cluster: prod, vmid: 101, uuid: $u1}, {name: m-2, cluster: prod, vmid: 102, uuid: $u2}]
nodes: [{name: admin@prod/m-1, uuid: $u1, providerID: uuid}]
want:
  machine/default/m-1: {class: managed, with: [node/admin@prod/m-1]}
  machine/default/m-2: non-node
`)
}

func TestAdversary_AliasIsNeverADeclaredCluster(t *testing.T) {
	check(t, `
clusters: [{name: a, declared: true, unread: true}, {name: b, declared: true}]
vms: [{id: 101, name: m-1, uuid: $u1}, {id: 102, name: m-2, uuid: $u2}]
machines: [{name: m-1, cluster: a, uuid: $u1, nodeRef: m-1}, {name: m-2, cluster: a, uuid: $u2}]
proxmoxMachines: [{name: m-1, cluster: a, vmid: 101, uuid: $u1}, {name: m-2, cluster: a, vmid: 102, uuid: $u2}]
nodes: [{name: b/m-1, uuid: $u1, providerID: uuid}]
incomplete: true
want: {machine/default/m-2: {class: unknown, missing: [cluster/a nodes]}}
`)
}

func TestAdversary_MachineOfOneClusterNodeOfAnother(t *testing.T) {
	check(t, `
clusters: [{name: a}, {name: b}]
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, cluster: a, uuid: $u1}]
proxmoxMachines: [{name: m-1, cluster: a, vmid: 101, uuid: $u1}]
nodes: [{name: b/m-1, uuid: $u1, providerID: uuid}]
want: {vm/lab/101: {class: conflict, reason: node-of-another-cluster}}
`)
}

// A name that fits does not join what clusters keep apart.
func TestAdversary_NameOfAMachineInAnotherCluster(t *testing.T) {
	check(t, `
clusters: [{name: a}, {name: b}]
vms: [{id: 101, name: worker-1, uuid: $u1}]
machines: [{name: worker-1, cluster: a, uuid: $u1}]
proxmoxMachines: [{name: worker-1, cluster: a, vmid: 101, uuid: $u1}]
nodes: [{name: b/worker-1, rawUUID: 03000200-0400-0500-0006-000700080009}]
want:
  vm/lab/101: {class: non-node, with: [machine/default/worker-1]}
  node/b/worker-1: foreign-node
`)
}

func TestAdversary_MachineOfAnotherProviderWithTheNameOfAVM(t *testing.T) {
	check(t, `
vms: [{id: 101, name: worker-1, uuid: $u1}]
machines: [{name: worker-1, infra: AWSMachine/worker-1, providerID: "aws:///eu-1/i-1"}]
want: {machine/default/worker-1: {class: unrelated, reason: other-infrastructure-provider}, vm/lab/101: unrelated}
`)
}

// The declared pair keeps its VM, whatever else has the Machine's name.
func TestAdversary_HintNeverMakesASecondVM(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: renamed, uuid: $u1}
- {id: 205, name: m-1, rawUUID: 00000000-0000-0000-0000-000000000000}
machines: [{name: m-1}]
proxmoxMachines: [{name: m-1, uuid: $u1}]
nodes: [{name: other, uuid: $u7}]
want: {machine/default/m-1: {class: non-node, with: [vm/lab/101]}}
`)
}

// args can override the UUID: the collector says what the guest sees, and that is what counts.
func TestAdversary_UUIDFromArgs(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w-1, uuid: $u2, rawUUID: $u2}]
nodes: [{name: w-1, uuid: $u2}]
want: {vm/lab/101: {class: adoptable, confidence: high}}
`)
}

// A VM without a UUID whose Node has one (a vGPU gives it one): neither yes nor no.
func TestAdversary_VMWithoutUUIDAndANodeWithOne(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {names: "w-.*"}}]
vms: [{id: 105, name: w-1, ips: [10.0.0.5/24]}]
nodes: [{name: w-1, uuid: 00000000-0000-0000-0000-000000000105, ips: [10.0.0.5]}]
want: {node/prod/w-1: {class: unknown, reason: ambiguous}, vm/lab/105: {class: unknown, reason: ambiguous}}
`)
}

func TestAdversary_VMWithoutUUIDAtTheAddressThatTheNodeNames(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
vms: [{id: 105, name: w-1}]
nodes: [{name: w-1, uuid: 00000000-0000-0000-0000-000000000105, providerID: "proxmox://r1/105"}]
want: {vm/lab/105: {class: adoptable, with: [node/prod/w-1], notes: [no SMBIOS UUID]}}
`)
}

func TestAdversary_RaspberryPiRaisesNoDoubt(t *testing.T) {
	check(t, `
clusters: [{name: home, selector: {names: "home-.*"}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: home-1, uuid: $u1}]
nodes: [{name: member, uuid: $u99}, {name: home-pi, labels: {kubernetes.io/arch: arm64}}]
want: {vm/lab/101: orphan-vm, node/home/home-pi: foreign-node}
`)
}

func TestAdversary_KubeletThatCouldNotReadItsUUID(t *testing.T) {
	check(t, `
clusters: [{name: home, selector: {names: "home-.*"}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: home-1, uuid: $u1}]
nodes: [{name: member, uuid: $u99}, {name: rootless}]
want: {vm/lab/101: {class: unknown, reason: ambiguous}, node/home/rootless: {class: unknown, reason: ambiguous}}
`)
}

// -n: what stands in other namespaces was not seen.
func TestAdversary_RestrictedNamespaces(t *testing.T) {
	check(t, `
management: {namespaces: [prod]}
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, name: w-1, uuid: $u1, tags: [prod]}
- {id: 102, name: w-2, uuid: $u2, tags: [prod]}
nodes: [{name: w-1, uuid: $u1}, {name: metal, uuid: $u9}]
incomplete: true
want:
  vm/lab/101: {class: unknown, missing: [management other namespaces]}
  vm/lab/102: {class: unknown, missing: [management other namespaces]}
  node/prod/metal: {class: unknown, missing: [management other namespaces]}
`)
}

func TestAdversary_MachineSetIsBeingDeleted(t *testing.T) {
	check(t, `
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, deleted: 10m}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1, deleted: 10m}]
nodes: [{name: other, uuid: $u2}]
want: {machine/default/m-1: {class: converging, reason: being-deleted}}
`)
}

func TestAdversary_PausedClusterMakesNoProgress(t *testing.T) {
	check(t, `
clusters: [{name: prod, declared: true, paused: true}]
vms: [{id: 101, name: m-1, uuid: $u1}]
machines: [{name: m-1, uuid: $u1, age: 5m}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1, age: 5m}]
want: {machine/default/m-1: non-node}
`)
}

func TestAdversary_ControllerThatIsDownMakesNoProgress(t *testing.T) {
	check(t, `
machines: [{name: m-1, age: 5m}]
proxmoxMachines: [{name: m-1, age: 5m}]
providers: [{label: infrastructure-proxmox, desired: 1, available: 0}]
want: {machine/default/m-1: {class: non-node, reason: never-provisioned}}
`)
}

func TestAdversary_NodeReadyOnAStoppedVM(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w-1, uuid: $u1, status: stopped}]
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/101: {class: adoptable, notes: [the VM is stopped]}}
`)
}

func TestAdversary_ContainersAreNeverMachines(t *testing.T) {
	check(t, `
vms: [{id: 101, name: m-1, type: lxc}]
machines: [{name: m-1, uuid: $u1}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
clusters: [{name: prod, declared: true, site: lab, selector: {names: ".*"}}]
want:
  machine/default/m-1: {class: conflict, reason: recycled-vmid, rivals: [vm/lab/101]}
  vm/lab/101: {class: unrelated, reason: container}
`)
}

func TestAdversary_CloneLockOfADeadClone(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 990, name: member, uuid: $u99}
- {id: 101, name: w-1, uuid: $u1, tags: [prod], lock: clone, age: 20d, status: stopped}
- {id: 102, name: w-2, uuid: $u2, tags: [prod], lock: clone, age: 3h, status: stopped}
- {id: 103, name: w-3, uuid: $u3, tags: [prod], lock: clone, age: none, status: stopped}
- {id: 104, name: w-4, uuid: $u4, tags: [prod], lock: backup, age: 3h}
nodes: [{name: member, uuid: $u99}]
want: {vm/lab/101: orphan-vm, vm/lab/102: converging, vm/lab/103: converging, vm/lab/104: orphan-vm}
`)
}

// The grace period is open at its end, and what a clock that runs ahead has made is younger than anything.
func TestAdversary_GraceBoundariesAndClockSkew(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 990, name: member, uuid: $u99}
- {id: 101, name: a, uuid: $u1, tags: [prod], age: 29m59s}
- {id: 102, name: b, uuid: $u2, tags: [prod], age: 30m}
- {id: 103, name: c, uuid: $u3, tags: [prod], age: "-10m"}
- {id: 104, name: d, uuid: $u4, tags: [prod], age: "-31m"}
- {id: 105, name: e, uuid: $u5, tags: [prod], age: 20000d}
- {id: 106, name: f, uuid: $u6, tags: [prod], age: none}
- {id: 107, name: g, uuid: $u7, tags: [prod], uptime: 10m}
- {id: 108, name: h, uuid: $u8, tags: [prod], uptime: 30m}
nodes: [{name: member, uuid: $u99}]
want:
  vm/lab/101: converging
  vm/lab/102: orphan-vm
  vm/lab/103: converging
  vm/lab/104: {class: converging, notes: [the clocks differ]}
  vm/lab/105: orphan-vm
  vm/lab/106: orphan-vm
  vm/lab/107: converging
  vm/lab/108: orphan-vm
`)
}

func TestAdversary_TwoSelectorsThatBothMatch(t *testing.T) {
	check(t, `
clusters: [{name: a, selector: {tags: [k8s]}}, {name: b, unread: true, selector: {names: "w-.*"}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: w-1, uuid: $u1, tags: [k8s]}, {id: 102, name: x-1, uuid: $u2, tags: [k8s]}]
incomplete: true
nodes: [{name: a/member, uuid: $u99}]
want: {vm/lab/101: {class: unknown, missing: [cluster/b nodes]}, vm/lab/102: {class: orphan-vm, cluster: a}}
`)
}

func TestAdversary_IntegrationMarkAlone(t *testing.T) {
	check(t, `
vms:
- {id: 101, name: x, uuid: $u1, tags: [go-proxmox+cloud-init]}
- {id: 102, name: y, uuid: $u2, tags: [machine-request.pool-1]}
want:
  vm/lab/101: {class: unknown, reason: looks-like-a-cluster-member}
  vm/lab/102: {class: unknown, reason: looks-like-a-cluster-member}
`)
}

// A copy with the UUID of a VM that cannot be read right now must not pass for the original.
func TestAdversary_CopyWhileTheOriginalIsNotReadable(t *testing.T) {
	check(t, `
sites: [{name: lab, nodes: [pve1, {name: pve2, status: offline}]}]
vms:
- {id: 118, node: pve2}
- {id: 119, node: pve1, name: restore-test, uuid: $u1, status: stopped}
machines: [{name: m-1, uuid: $u1, nodeRef: m-1}]
proxmoxMachines: [{name: m-1, vmid: 118, uuid: $u1, node: pve2}]
nodes: [{name: m-1, uuid: $u1, providerID: uuid, ready: Unknown}]
incomplete: true
want:
  machine/default/m-1: {class: unknown, reason: unverifiable, missing: [site/lab node/pve2]}
  vm/lab/119: unknown
  vm/lab/118: unknown
`)
}

func TestAdversary_StoppedCopyOfAReadyNode(t *testing.T) {
	check(t, `
sites: [{name: lab, nodes: [pve1, {name: pve2, status: offline}]}]
vms:
- {id: 118, node: pve2}
- {id: 119, node: pve1, name: restore-test, uuid: $u1, status: stopped}
nodes: [{name: w-1, uuid: $u1}]
want: {node/prod/w-1: {class: unknown, missing: [site/lab node/pve2]}}
`)
}

// The other site's guest with the same VMID is nobody's original.
func TestAdversary_SameVMIDOnASiteThatIsNotReadable(t *testing.T) {
	check(t, `
sites: [{name: a, nodes: [pve1]}, {name: b, nodes: [{name: pve1, status: offline}]}]
vms: [{id: a/101, name: m-1, uuid: $u1}, {id: b/101}]
machines: [{name: m-1, uuid: $u1, nodeRef: m-1}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: m-1, uuid: $u1, providerID: uuid}]
incomplete: true
want: {machine/default/m-1: {class: managed, with: [vm/a/101]}, vm/b/101: unknown}
`)
}
