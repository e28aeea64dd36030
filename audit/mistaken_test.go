package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// What could have a live machine taken for a superfluous one, one kind of mistake each.

func TestMistaken_SelectorThatCouldNotBeAsked(t *testing.T) {
	check(t, `
clusters:
- {name: prod, selector: {names: ".*worker.*"}}
- {name: stg, unread: true, selector: {subnets: [10.0.20.0/24]}}
vms:
- {id: 101, name: prod-worker-1, uuid: $u1}
- {id: 201, name: stg-worker-1, uuid: $u2, ips: [dhcp]}
- {id: 202, name: other-worker-1, uuid: $u3, ips: [10.0.10.5/24]}
nodes: [{name: prod/prod-worker-1, uuid: $u1}]
want:
  vm/lab/201: {class: unknown, missing: [cluster/stg nodes]}
  vm/lab/202: orphan-vm
`)
}

// The address of a stopped VM is out of date, and a name that another VM has too is no more than that: the Node's own VM is
// then the one that is left.
func TestMistaken_WeakTieToAnother(t *testing.T) {
	for name, vms := range map[string]string{
		"address of a stopped VM": `
- {id: 102, name: w1, tags: [k8s]}
- {id: 300, name: old, status: stopped, ips: [10.0.0.7/24]}
`, "address of a VM that the selector does not take": `
- {id: 102, name: w1, tags: [k8s]}
- {id: 300, name: old, ips: [10.0.0.7/24]}
`, "address of another of the cluster": `
- {id: 102, name: w1, tags: [k8s]}
- {id: 300, name: old, tags: [k8s], ips: [10.0.0.7/24]}
`, "all with UUIDs, and a Node that states none": `
- {id: 102, name: w1, uuid: $u2, tags: [k8s]}
- {id: 300, name: old, uuid: $u3, status: stopped, ips: [10.0.0.7/24]}
`, "name of a VM that the selector does not take": `
- {id: 102, name: k8s-prod-w1, tags: [k8s]}
- {id: 300, name: w1}
`, "name of a VM in another domain": `
- {id: 102, name: k8s-prod-w1, tags: [k8s]}
- {id: 300, name: w1.office.lan}
`,
	} {
		t.Run(name, func(t *testing.T) {
			check(t, `
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms:
- {id: 101, name: prod-1, uuid: $u1, tags: [k8s]}`+vms+`
nodes:
- {name: prod-1, uuid: $u1}
- {name: w1, ips: [10.0.0.7], ready: "True"}
want: {vm/lab/102: {class: unknown, reason: ambiguous}}
`)
		})
	}
}

// The same fleet with nothing that speaks for another: the orphan is one.
func TestFirmTies(t *testing.T) {
	for name, fleet := range map[string]string{
		"name and the selector": `
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms: [{id: 101, name: w1, tags: [k8s]}, {id: 102, name: w2, tags: [k8s]}]
nodes: [{name: w1, ips: [10.0.0.7], ready: "True"}]
`, "name and address": `
clusters: [{name: prod}]
vms: [{id: 101, name: w1, tags: [k8s], ips: [10.0.0.7/24]}, {id: 102, name: w2, tags: [k8s]}, {id: 103, name: w3, tags: [k8s], ips: [10.0.0.8/24]}]
nodes: [{name: w1, ips: [10.0.0.7], ready: "True"}, {name: w3, ips: [10.0.0.8], ready: "True"}]
`,
	} {
		t.Run(name, func(t *testing.T) {
			check(t, fleet+`
want: {vm/lab/102: orphan-vm}
`)
		})
	}
}

// prod-2-backup begins with prod-2, which is how the cloud controller manager compares names; without a UUID that is next to
// nothing.
func TestMistaken_RecycledVMIDWithALongerName(t *testing.T) {
	const fleet = `
sites: [{name: lab, regions: [r1]}]
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms:
- {id: 101, name: prod-1, uuid: $u1, tags: [k8s]}
- {id: 102, name: %s, tags: [k8s]%s}
- {id: 105, name: prod-2-backup-nfs}
nodes:
- {name: prod-1, uuid: $u1}
- {name: prod-2, providerID: "proxmox://r1/105", ips: [10.0.0.2], ready: "True"}
`
	check(t, fmt.Sprintf(fleet, "prod-2", ", ips: [10.0.0.2/24]")+`
want: {vm/lab/102: {class: adoptable, with: [node/prod/prod-2]}, vm/lab/105: unrelated}
`)
	check(t, fmt.Sprintf(fleet, "k8s-w-2", "")+`
want: {vm/lab/102: {class: unknown, reason: ambiguous}}
`)
}

func TestMistaken_TwoDomainsAreTwoNames(t *testing.T) {
	check(t, `
vms: [{id: 105, name: w1.office.lan, uuid: $u5}, {id: 106, name: w2, uuid: $u6}, {id: 107, name: w3.prod.lan, uuid: $u7}]
machines: [{name: w1.prod.lan}, {name: w2.prod.lan}, {name: w3}]
proxmoxMachines: [{name: w1.prod.lan, vmid: 105}, {name: w2.prod.lan, vmid: 106}, {name: w3, vmid: 107}, {name: w1.else.lan, vmid: 105, owner: none}]
want:
  machine/default/w1.prod.lan: {class: conflict, reason: recycled-vmid, rivals: [vm/lab/105]}
  proxmoxmachine/default/w1.else.lan: {class: conflict, reason: recycled-vmid, rivals: [vm/lab/105]}
  machine/default/w2.prod.lan: {class: non-node, with: [vm/lab/106]}
  machine/default/w3: {class: non-node, with: [vm/lab/107]}
`)
}

// A Node that runs and is no VM here shows that the cluster has machines elsewhere: a VMID that is free here is no grave.
func TestMistaken_ClusterBeyondTheScannedSites(t *testing.T) {
	const fleet = `
clusters: [{name: prod%s}]
vms: [{id: 101, name: prod-1, uuid: $u1}]
machines: [{name: prod-1, uuid: $u1}, {name: prod-3, uuid: $u3}]
proxmoxMachines: [{name: prod-1, vmid: 101, uuid: $u1}, {name: prod-3, vmid: 113, uuid: $u3, node: %s}]
nodes: [{name: prod-1, uuid: $u1, providerID: uuid}, {name: prod-2, uuid: $u2%s}]
probes: [{id: 113, answer: free}]
`
	for name, tc := range map[string]struct{ site, host, two, want string }{
		"a Node elsewhere":        {"", "pve1", "", "{class: unknown, reason: site-may-not-be-scanned, missing: [cluster/prod site]}"},
		"one that k3s named":      {"", "pve1", `, providerID: "k3s://prod-2"`, "{class: unknown, reason: site-may-not-be-scanned}"},
		"one that RKE2 named":     {"", "pve1", `, providerID: "rke2://prod-2"`, "{class: unknown, reason: site-may-not-be-scanned}"},
		"one that Talos named":    {"", "pve1", `, providerID: "talos://prod-2"`, "{class: unknown, reason: site-may-not-be-scanned}"},
		"one of another cloud":    {"", "pve1", `, providerID: "aws:///eu-1/i-1"`, "ghost-machine"},
		"a Raspberry Pi":          {"", "pve1", `, labels: {kubernetes.io/arch: arm64}`, "{class: ghost-machine, confidence: high}"},
		"one that does not run":   {"", "pve1", `, ready: Unknown`, "{class: ghost-machine, confidence: medium, notes: [all of them may be]}"},
		"a host elsewhere":        {"", "pve77", `, labels: {kubernetes.io/arch: arm64}`, "{class: unknown, reason: site-may-not-be-scanned}"},
		"the configuration knows": {", site: lab", "pve77", "", "ghost-machine"},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, fmt.Sprintf(fleet, tc.site, tc.host, tc.two)+"want: {machine/default/prod-3: "+tc.want+"}\n")
		})
	}
}

func TestMistaken_GhostNodeBesideOneElsewhere(t *testing.T) {
	check(t, `
management: null
clusters: [{name: prod}]
vms: [{id: 101, name: prod-1, uuid: $u1}]
nodes:
- {name: prod-1, uuid: $u1}
- {name: prod-2, uuid: $u2, providerID: "proxmox:///112", ready: "True"}
- {name: prod-3, uuid: $u3, providerID: "proxmox:///113", ready: Unknown}
probes: [{id: 112, answer: free}, {id: 113, answer: free}]
want:
  node/prod/prod-2: {class: unknown, reason: node-alive-without-vm}
  node/prod/prod-3: {class: unknown, reason: site-may-not-be-scanned}
`)
}

// A region that names a scanned site says where the Node's VM would be, wherever the others are.
func TestGhostNodeOfAScannedRegion(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
clusters: [{name: prod}]
vms: [{id: 101, name: prod-1, uuid: $u1}]
nodes:
- {name: prod-1, uuid: $u1}
- {name: prod-2, uuid: $u2, ready: "True"}
- {name: prod-3, uuid: $u3, providerID: "proxmox://r1/113", ready: Unknown}
probes: [{id: 113, answer: free}]
want: {node/prod/prod-3: {class: ghost-node, confidence: high}}
`)
}

// Whether a Node has its VM for good decides about the VM that nobody has.
func TestMistaken_HowANodeIsTied(t *testing.T) {
	for name, tc := range map[string]struct{ fleet, want string }{
		"a Ready Node on a stopped VM": {`
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms: [{id: 100, name: cp, uuid: $u9, tags: [k8s]}, {id: 101, name: w1, tags: [k8s], status: stopped, ips: [10.0.0.7/24]}, {id: 102, name: left, tags: [k8s]}]
nodes: [{name: cp, uuid: $u9}, {name: w1, ips: [10.0.0.7], ready: "True"}]
`, "unknown"},
		"one that is not Ready": {`
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms: [{id: 100, name: cp, uuid: $u9, tags: [k8s]}, {id: 101, name: w1, tags: [k8s], status: stopped, ips: [10.0.0.7/24]}, {id: 102, name: left, tags: [k8s]}]
nodes: [{name: cp, uuid: $u9}, {name: w1, ips: [10.0.0.7], ready: Unknown}]
`, "orphan-vm"},
		"by its Machine": {`
clusters: [{name: prod}]
vms: [{id: 101, name: a, uuid: $u1, tags: [k8s], pool: p}, {id: 103, name: cp, uuid: $u3, tags: [k8s], pool: p}, {id: 102, name: left, tags: [k8s], pool: p}]
machines: [{name: m, uuid: $u1, nodeRef: w1}]
proxmoxMachines: [{name: m, vmid: 101, uuid: $u1}]
nodes: [{name: w1, ready: "True", providerID: "proxmox://x"}, {name: cp, uuid: $u3}]
`, "orphan-vm"},
		"by its name beside a Machine": {`
clusters: [{name: prod}]
vms:
- {id: 101, name: w1, uuid: $u1, tags: [k8s], pool: p}
- {id: 103, name: cp, uuid: $u3, tags: [k8s], pool: p}
- {id: 102, name: left, tags: [k8s], pool: p}
machines: [{name: m, uuid: $u1}]
proxmoxMachines: [{name: m, vmid: 101, uuid: $u1}]
nodes: [{name: w1, ready: "True"}, {name: cp, uuid: $u3}]
`, "unknown"},
		"by its name alone": {`
clusters: [{name: prod}]
vms:
- {id: 101, name: w1, tags: [k8s], pool: p}
- {id: 103, name: cp, uuid: $u3, tags: [k8s], pool: p}
- {id: 102, name: left, tags: [k8s], pool: p}
nodes: [{name: w1, ready: "True"}, {name: cp, uuid: $u3}]
`, "unknown"},
		"by name and address": {`
clusters: [{name: prod}]
vms:
- {id: 101, name: w1, tags: [k8s], pool: p, ips: [10.0.0.7/24]}
- {id: 103, name: cp, uuid: $u3, tags: [k8s], pool: p}
- {id: 102, name: left, tags: [k8s], pool: p}
nodes: [{name: w1, ready: "True", ips: [10.0.0.7]}, {name: cp, uuid: $u3}]
`, "orphan-vm"},
		"it looks like the VM, and its Machine has another": {`
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms: [{id: 105, name: x, uuid: $u5, tags: [k8s]}, {id: 102, name: w1, uuid: $u2, tags: [k8s], ips: [10.0.0.7/24]}]
machines: [{name: m, uuid: $u5, nodeRef: w1}]
proxmoxMachines: [{name: m, vmid: 105, uuid: $u5}]
nodes: [{name: w1, uuid: $u8, ips: [10.0.0.7]}]
`, "orphan-vm"},
	} {
		t.Run(name, func(t *testing.T) { check(t, tc.fleet+"want: {vm/lab/102: "+tc.want+"}\n") })
	}
	// A Node that only looks like a VM which has its own is no doubt of it.
	check(t, `
clusters: [{name: prod}, {name: copy}]
vms: [{id: 101, name: w1, uuid: $u1, ips: [10.0.0.7/24]}]
nodes: [{name: prod/w1, uuid: $u1, ips: [10.0.0.7]}, {name: copy/w1, uuid: $u2, ips: [10.0.0.7]}]
want: {node/copy/w1: foreign-node, vm/lab/101: {class: adoptable, with: [node/prod/w1]}}
`)
}

func TestMistaken_ClocksThatRunAhead(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 102, name: prod-2, uuid: $u2, tags: [k8s], status: stopped, age: "-1h"}]
machines: [{name: w9, age: "-45m"}]
nodes: [{name: member, uuid: $u99}]
want:
  vm/lab/102: {class: converging, notes: [the clocks differ]}
  machine/default/w9: {class: converging, notes: [the clocks differ]}
`)
}

// Tags that the same VMs carry are one trait, and a tag with a pool are two.
func TestMistaken_TagsAreOneTrait(t *testing.T) {
	check(t, `
management: {}
clusters: [{name: prod}]
vms:
- {id: 101, name: ka, uuid: $u1, tags: [backup, debian], pool: p}
- {id: 102, name: kb, uuid: $u2, tags: [backup, debian], pool: p}
- {id: 103, name: kc, uuid: $u3, tags: [backup, debian], pool: p}
- {id: 150, name: nas, uuid: $u5, tags: [backup, debian]}
- {id: 151, name: left, uuid: $u6, tags: [debian], pool: p}
nodes: [{name: ka, uuid: $u1}, {name: kb, uuid: $u2}, {name: kc, uuid: $u3}]
want:
  vm/lab/150: {class: orphan-vm, confidence: low}
  vm/lab/151: {class: orphan-vm, confidence: medium}
`)
}

// What a cluster rests on is no orphan of it.
func TestMistaken_LoadBalancerAndEtcd(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms:
- {id: 101, name: w-1, uuid: $u1, tags: [k8s]}
- {id: 150, name: lb, uuid: $u2, tags: [k8s], ips: [10.0.0.9/24]}
- {id: 151, name: etcd-1, uuid: $u3, tags: [k8s], ips: [10.0.0.8/24]}
- {id: 152, name: standby, uuid: $u4, tags: [k8s], status: stopped, ips: [10.0.0.7/24]}
- {id: 153, name: api, uuid: $u5, tags: [k8s]}
- {id: 154, name: api.other.lan, uuid: $u6, tags: [k8s]}
- {id: 155, name: etcd-2.prod.lan, uuid: $u7, tags: [k8s]}
- {id: 157, name: api, uuid: $u10}
- {id: 158, name: other, uuid: $u11, status: stopped, ips: [10.0.0.7/24]}
- {id: 156, name: left, uuid: $u8, tags: [k8s], ips: [10.0.0.6/24]}
nodes: [{name: w-1, uuid: $u1}]
want:
  vm/lab/150: {class: unrelated, reason: serves-a-cluster, cluster: prod}
  vm/lab/151: {class: unrelated, reason: serves-a-cluster, cluster: prod}
  vm/lab/152: {class: unknown, reason: ambiguous}
  vm/lab/153: {class: unknown, reason: ambiguous}
  vm/lab/154: orphan-vm
  vm/lab/155: {class: unknown, reason: ambiguous}
  vm/lab/156: orphan-vm
  vm/lab/157: unrelated
  vm/lab/158: unrelated
`)
	c := &f.Snapshot.Clusters[0]
	c.Server = "https://10.0.0.9:6443"
	c.Declared = &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "default", Name: "prod"}, ControlPlaneEndpoint: "10.0.0.7:6443",
		Infrastructure: &inventory.ProxmoxCluster{ControlPlaneEndpoint: "127.0.0.1:6443"}}
	c.Kubeadm = &inventory.KubeadmCluster{ControlPlaneEndpoint: "api.prod.lan:6443", ClusterConfiguration: `
etcd: {external: {endpoints: ["https://10.0.0.8:2379", "https://etcd-2:2379"]}}
`}
	audittest.Check(t, f)
	// A document that somebody broke says nothing, and breaks nothing.
	c.Kubeadm.ClusterConfiguration = "external: ["
	if e := audittest.Resolve(f).Of(inventory.VMSubject(inventory.Key{Site: "lab", VMID: 151})); e.Class != identity.OrphanVM {
		t.Errorf("etcd-1 is %s", e.Class)
	}
}

// The UUID in a configuration may have been changed under a guest that runs with the old one.
func TestMistaken_SameNameAndAddressAnotherUUID(t *testing.T) {
	const fleet = `
management: {}
clusters: [{name: prod, selector: {tags: [k8s]}}]
vms: [{id: 990, name: member, uuid: $u99}, {id: 101, name: prod-1, uuid: $u1, tags: [k8s]%s}]
nodes: [{name: member, uuid: $u99}, {name: prod-1, uuid: $u9, ips: [10.0.0.1], ready: "True"}]
`
	check(t, fmt.Sprintf(fleet, ", ips: [10.0.0.1/24]")+`
want: {vm/lab/101: {class: unknown, reason: ambiguous}, node/prod/prod-1: {class: unknown, reason: ambiguous}}
`)
	// The name alone does not settle it either while that Node runs.
	check(t, fmt.Sprintf(fleet, "")+`
want: {vm/lab/101: {class: unknown, reason: ambiguous}, node/prod/prod-1: foreign-node}
`)
	f := fixture(t, strings.Replace(fmt.Sprintf(fleet, ""), "True", "Unknown", 1)+`
want: {vm/lab/101: {class: orphan-vm, confidence: medium}, node/prod/prod-1: foreign-node}
`)
	audittest.Check(t, f)
	if x := explain(t, f, "vm/lab/101"); len(x.Against) != 1 || x.Against[0].From.String() != "node/prod/prod-1" {
		t.Errorf("against it argues %+v, want the Node", x.Against)
	}
}

// One machine that was joined to another cluster does not make that cluster the declared one.
func TestMistaken_AliasOfOneMachine(t *testing.T) {
	const fleet = `
clusters: [{name: prod, declared: true, unread: true, selector: {tags: [prod]}}, {name: lab2}]
vms:
- {id: 101, name: w1, uuid: $u1, tags: [prod]}
- {id: 102, name: w2, uuid: $u2, tags: [prod]}
- {id: 103, name: w3, uuid: $u3, tags: [prod]}
- {id: 104, name: byhand, uuid: $u4, tags: [prod]}
machines:
- {name: w1, cluster: prod, uuid: $u1, nodeRef: w1}
- {name: w2, cluster: prod, uuid: $u2, nodeRef: w2}
- {name: w3, cluster: prod, uuid: $u3, nodeRef: w3}
proxmoxMachines: [{name: w1, cluster: prod, vmid: 101, uuid: $u1}, {name: w2, cluster: prod, vmid: 102, uuid: $u2}, {name: w3, cluster: prod, vmid: 103, uuid: $u3}]
nodes: [{name: lab2/w1, uuid: $u1, providerID: uuid}%s]
coverage: [{source: cluster/prod, scope: nodes, state: not-asked}]
`
	check(t, fmt.Sprintf(fleet, "")+`
want:
  machine/default/w2: {class: unknown, missing: [cluster/prod nodes]}
  machine/default/w3: {class: unknown, missing: [cluster/prod nodes]}
  vm/lab/104: {class: unknown, missing: [cluster/prod nodes]}
`)
	check(t, fmt.Sprintf(fleet, ", {name: lab2/w2, uuid: $u2, providerID: uuid}")+`
want: {machine/default/w1: managed, machine/default/w2: managed, machine/default/w3: non-node}
`)
}

// An API server that knows none of the VMs that its selector names is another cluster's, or was rebuilt.
func TestMistaken_ClusterThatKnowsNoneOfItsOwn(t *testing.T) {
	for name, nodes := range map[string]string{
		"no Node at all": "", "Nodes elsewhere": `
nodes: [{name: kind-control-plane, uuid: $u9, ready: "True"}]
`,
	} {
		t.Run(name, func(t *testing.T) {
			check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 101, name: w1, uuid: $u1, tags: [prod]}, {id: 102, name: w2, uuid: $u2, tags: [prod]}, {id: 103, name: w3, uuid: $u3, tags: [prod], age: 5m}]
`+nodes+`
want:
  vm/lab/101: {class: unknown, reason: no-node-of-the-cluster-is-here}
  vm/lab/102: {class: unknown, reason: no-node-of-the-cluster-is-here}
  vm/lab/103: converging
`)
		})
	}
}

// A left-over with the Node's name and another address is not the Node's VM, although the selector takes both.
func TestMistaken_NamesakeWithAnotherAddress(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 100, name: cp, uuid: $u9, tags: [prod]}
- {id: 101, name: worker-1, tags: [prod], ips: [10.0.0.99/24], macs: ["bc:24:11:00:00:01"]}
- {id: 102, name: w1-rebuilt, tags: [prod], macs: ["bc:24:11:00:00:02"]}
nodes: [{name: cp, uuid: $u9}, {name: worker-1, ips: [10.0.0.12], ready: "True"}]
want: {vm/lab/102: {class: unknown, reason: ambiguous}}
`)
}

// Of two answers to one question the worse counts, in whatever order they stand.
func TestMistaken_TwoEntriesForOneQuestion(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 100, name: cp, uuid: $u9, tags: [prod]}, {id: 101, name: w1, uuid: $u1, tags: [prod]}]
nodes: [{name: cp, uuid: $u9}]
want: {vm/lab/101: orphan-vm}
`)
	audittest.Check(t, f)
	key := inventory.ClusterSource("prod")
	for _, at := range []int{0, len(f.Snapshot.Coverage)} {
		s := *f.Snapshot
		s.Coverage = slices.Insert(slices.Clone(s.Coverage), at, inventory.Coverage{Source: key, Scope: inventory.ScopeNodes, State: inventory.Failed, Asked: 1, Failed: 1})
		for _, fd := range audit.Orphans(&s, audit.Options{}).Findings {
			if fd.Class != identity.Unknown {
				t.Errorf("at %d: %s is %s", at, fd.Subject.ID, fd.Class)
			}
		}
	}
}

// A load balancer holds its virtual address as a host prefix, or on an interface that the configuration does not know.
func TestMistaken_LoadBalancerWithAVirtualAddress(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 100, name: cp, uuid: $u9, tags: [prod]}
- {id: 101, name: lb-1, uuid: $u1, tags: [prod], macs: ["bc:24:11:00:00:01"], agentIPs: [10.0.0.100/32]}
- {id: 102, name: lb-2, uuid: $u2, tags: [prod], macs: ["bc:24:11:00:00:02"]}
nodes: [{name: cp, uuid: $u9}]
want: {vm/lab/101: {class: unrelated, reason: serves-a-cluster}, vm/lab/102: {class: unrelated, reason: serves-a-cluster}}
`)
	f.Snapshot.Clusters[0].Server = "https://10.0.0.100:6443"
	f.Snapshot.VMs[2].Agent = &inventory.Agent{Interfaces: []inventory.AgentInterface{{Name: "bond0", MAC: "02:00:00:00:00:01", Addresses: []string{"10.0.0.100/24"}}}}
	audittest.Check(t, f)
}

// A Machine of another provider may have been given the VM of its name.
func TestMistaken_MachineOfAnotherProvider(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 100, name: cp, uuid: $u9, tags: [prod]}, {id: 101, name: prod-1, uuid: $u1, tags: [prod]}, {id: 102, name: prod-2, uuid: $u2, tags: [prod]}]
machines: [{name: prod-1, infra: ByoMachine/prod-1}]
nodes: [{name: cp, uuid: $u9}]
want: {vm/lab/101: {class: unknown, reason: ambiguous, notes: [ByoMachine]}, vm/lab/102: orphan-vm}
`)
}

// Whoever deletes a ProxmoxMachine without a Machine destroys its VM, and here that is a Node which runs.
func TestMistaken_DetachedAndAlive(t *testing.T) {
	f := fixture(t, `
vms: [{id: 101, name: w1, uuid: $u1}]
proxmoxMachines: [{name: w1, vmid: 101, uuid: $u1, owner: gone, paused: true}]
nodes: [{name: w1, uuid: $u1, ready: "True"}]
want: {proxmoxmachine/default/w1: {class: detached-infra, reason: no-machine-owns-a-live-node, notes: [clusterctl move]}}
`)
	audittest.Check(t, f)
	x := explain(t, f, "proxmoxmachine/default/w1")
	if !strings.Contains(x.Remedy, "Do not delete it") || len(x.Against) == 0 {
		t.Errorf("%q, against %+v", x.Remedy, x.Against)
	}
}

// The Node of a Machine that is being deleted goes first.
func TestMistaken_DeletingWithItsNodeGone(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w1, uuid: $u1}, {id: 102, name: w2, uuid: $u2}]
machines: [{name: w1, uuid: $u1, nodeRef: w1, deleted: 2m}, {name: w2, uuid: $u2, nodeRef: w2, deleted: 2h}]
proxmoxMachines: [{name: w1, vmid: 101, uuid: $u1}, {name: w2, vmid: 102, uuid: $u2}]
want: {machine/default/w1: {class: converging, reason: being-deleted}, machine/default/w2: non-node}
`)
}

// A region that no scanned site has is one more word for elsewhere, also where a ProxmoxMachine gives the VMID.
func TestMistaken_RegionThatIsNotScanned(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1]}]
clusters: [{name: prod}]
vms: [{id: 101, name: prod-1, uuid: $u1}]
machines: [{name: prod-3, uuid: $u3, nodeRef: prod-3}, {name: prod-4, uuid: $u4, nodeRef: prod-4}]
proxmoxMachines: [{name: prod-3, vmid: 113, uuid: $u3}, {name: prod-4, vmid: 114, uuid: $u4}]
nodes:
- {name: prod-1, uuid: $u1}
- {name: prod-3, uuid: $u3, providerID: "proxmox://far/113", ready: Unknown}
- {name: prod-4, uuid: $u4, providerID: "proxmox://r1/114", ready: Unknown}
probes: [{id: 113, answer: free}, {id: 114, answer: free}]
want:
  machine/default/prod-3: {class: unknown, reason: site-may-not-be-scanned}
  machine/default/prod-4: {class: ghost-machine, confidence: high}
`)
}

// An address that a Node has is the Node's machine's: whoever was cloned with it is an orphan like any other. And a private
// address in another site is another one.
func TestServiceAddressesOfNodesAndOtherSites(t *testing.T) {
	f := fixture(t, `
sites: [lab, edge]
clusters: [{name: prod, site: lab, selector: {tags: [prod]}}, {name: far, site: edge, selector: {tags: [far]}}]
vms:
- {id: lab/101, name: cp-1, uuid: $u1, tags: [prod], ips: [10.0.0.9/24]}
- {id: lab/102, name: cp-2, uuid: $u2, tags: [prod], ips: [10.0.0.9/24]}
- {id: edge/201, name: e-1, uuid: $u3, tags: [far]}
- {id: edge/202, name: e-2, uuid: $u4, tags: [far], ips: [10.0.0.50/24]}
- {id: lab/150, name: lb, uuid: $u5, tags: [prod], ips: [10.0.0.50/24]}
nodes: [{name: prod/cp-1, uuid: $u1, ips: [10.0.0.9]}, {name: far/e-1, uuid: $u3}]
want:
  vm/lab/102: orphan-vm
  vm/edge/202: orphan-vm
  vm/lab/150: {class: unrelated, reason: serves-a-cluster}
`)
	for i := range f.Snapshot.Clusters {
		if c := &f.Snapshot.Clusters[i]; c.Key == "prod" {
			c.Server, c.Kubeadm = "https://10.0.0.9:6443", &inventory.KubeadmCluster{ControlPlaneEndpoint: "10.0.0.50:6443"}
		}
	}
	audittest.Check(t, f)
}

// A worker that was made anew under its name and address is no changed UUID: its Node is older than the VM, or does not run.
func TestRebuiltWorkerIsAnOrphan(t *testing.T) {
	for name, tc := range map[string]struct{ vm, node, want string }{
		"the VM is younger":       {"age: 2d", `ready: "True", age: 300d`, "orphan-vm"},
		"the Node does not run":   {"age: 300d", "ready: Unknown, age: 300d", "orphan-vm"},
		"the VM does not run":     {"age: 300d, status: stopped", `ready: "True", age: 300d`, "orphan-vm"},
		"it may be the same":      {"age: 301d", `ready: "True", age: 300d`, "unknown"},
		"the address fits alone":  {"age: 301d, name: other", `ready: "True", age: 300d`, "unknown"},
		"so, and the VM is young": {"age: 2d, name: other", `ready: "True", age: 300d`, "orphan-vm"},
	} {
		vm := "name: w1, " + tc.vm
		if strings.Contains(tc.vm, "name:") {
			vm = tc.vm
		}
		t.Run(name, func(t *testing.T) {
			check(t, fmt.Sprintf(`
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 100, name: cp, uuid: $u9, tags: [prod]}, {id: 101, uuid: $u1, tags: [prod], ips: [10.0.0.7/24], %s}]
nodes: [{name: cp, uuid: $u9}, {name: w1, uuid: $u2, ips: [10.0.0.7], %s}]
want: {vm/lab/101: %s}
`, vm, tc.node, tc.want))
		})
	}
}

// A clock that is years ahead makes nothing young for years.
func TestClockThatIsWrong(t *testing.T) {
	check(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 100, name: cp, uuid: $u9, tags: [prod]}
- {id: 101, name: a, uuid: $u1, tags: [prod], age: "-3650d"}
- {id: 102, name: b, uuid: $u2, tags: [prod], age: "-23h"}
- {id: 103, name: c, uuid: $u3, tags: [prod], age: "-3650d", lock: clone, status: stopped}
nodes: [{name: cp, uuid: $u9}]
want: {vm/lab/101: orphan-vm, vm/lab/102: converging, vm/lab/103: orphan-vm}
`)
}

// Two Machines that refer to one ProxmoxMachine are in conflict, whatever its VM says.
func TestTwoMachinesOneReference(t *testing.T) {
	check(t, `
vms: [{id: 101, name: w1, unread: true}]
machines: [{name: a, infra: w1}, {name: b, infra: w1}]
proxmoxMachines: [{name: w1, vmid: 101, owner: a}]
want: {machine/default/a: {class: conflict, reason: two-machines-one-vm}}
`)
}

// The Node of a Machine states a UUID that is no VM's, and has the Machine's name: its machine is there.
func TestMistaken_MachineWhoseNodeStatesAnotherUUID(t *testing.T) {
	const fleet = `
vms: [{id: 101, name: prod-1, uuid: $u1}]
machines: [{name: prod-1, uuid: $u1}]
proxmoxMachines: [{name: prod-1, vmid: 101, uuid: $u1}]
nodes: [{name: prod-1, uuid: $u2, ready: %s}]
want: {machine/default/prod-1: %s}
`
	check(t, fmt.Sprintf(fleet, `"True"`, "{class: unknown, reason: ambiguous, notes: [states another UUID]}"))
	check(t, fmt.Sprintf(fleet, "Unknown", "non-node"))
}

// A family of names of which nobody is the cluster's may be another cluster's, whatever tag and pool both use.
func TestMistaken_FamilyOfStrangers(t *testing.T) {
	const fleet = `
management: {}
clusters: [{name: prod}]
vms:
- {id: 101, name: prod-w-1, uuid: $u1, tags: [k8s], pool: k}
- {id: 102, name: prod-w-2, uuid: $u2, tags: [k8s], pool: k}
- {id: 103, name: prod-w-3, uuid: $u3, tags: [k8s], pool: k}
- {id: 104, name: prod-w-4, uuid: $u4, tags: [k8s], pool: k}
- {id: 201, name: stg-cp-1, uuid: $u5, tags: [k8s], pool: k}
%s
nodes: [{name: prod-w-1, uuid: $u1}, {name: prod-w-2, uuid: $u2}, {name: prod-w-3, uuid: $u3}, {name: prod-w-4, uuid: $u4}]
want: {vm/lab/201: {class: orphan-vm, confidence: %s}}
`
	check(t, fmt.Sprintf(fleet, "- {id: 202, name: stg-cp-2, uuid: $u6, tags: [k8s], pool: k}", "low"))
	check(t, fmt.Sprintf(fleet, "", "medium"))
}

// A clone with the name and the addresses of a Node's machine is an orphan, also where the API endpoint is one of those.
func TestCloneOfTheMachineThatServes(t *testing.T) {
	for name, server := range map[string]string{"second address": "https://192.168.1.10:6443", "name": "https://cp-1:6443", "name with its domain": "https://cp-1.lab.example:6443"} {
		t.Run(name, func(t *testing.T) {
			f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, name: cp-1, uuid: $u1, tags: [prod], ips: [10.0.0.9/24, 192.168.1.10/24], macs: ["bc:24:11:00:00:01", "bc:24:11:00:00:02"]}
- {id: 120, name: cp-1, uuid: $u2, tags: [prod], ips: [10.0.0.9/24, 192.168.1.10/24], macs: ["bc:24:11:00:00:03", "bc:24:11:00:00:04"]}
nodes: [{name: cp-1, uuid: $u1, ips: [10.0.0.9]}]
want: {vm/lab/120: orphan-vm, vm/lab/101: adoptable}
`)
			f.Snapshot.Clusters[0].Server = server
			audittest.Check(t, f)
		})
	}
}

// Private addresses and short names repeat: what a Node of another cluster has is not the endpoint of this one.
func TestMistaken_EndpointThatAnotherClusterHasToo(t *testing.T) {
	f := fixture(t, `
sites: [lab, edge]
clusters: [{name: prod, site: lab, selector: {tags: [prod]}}, {name: far, site: edge}]
vms:
- {id: lab/101, name: w-1, uuid: $u1, tags: [prod]}
- {id: lab/150, name: lb, uuid: $u5, tags: [prod], ips: [10.0.0.50/24]}
- {id: lab/151, name: api, uuid: $u6, tags: [prod]}
- {id: edge/201, name: api, uuid: $u3, ips: [10.0.0.50/24]}
nodes: [{name: prod/w-1, uuid: $u1}, {name: far/api, uuid: $u3, ips: [10.0.0.50]}]
want:
  vm/lab/150: {class: unrelated, reason: serves-a-cluster}
  vm/lab/151: {class: unknown, reason: ambiguous}
`)
	for i := range f.Snapshot.Clusters {
		if c := &f.Snapshot.Clusters[i]; c.Key == "prod" {
			c.Server, c.Kubeadm = "https://10.0.0.50:6443", &inventory.KubeadmCluster{ControlPlaneEndpoint: "api.prod.lan:6443"}
		}
	}
	audittest.Check(t, f)
}

// A Node that cannot be a guest of Proxmox VE raises no doubt about a VM, whatever UUID either lacks.
func TestNodesThatAreNoGuests(t *testing.T) {
	for _, node := range []string{`labels: {kubernetes.io/arch: arm64}`, `providerID: "aws:///eu-1/i-1"`} {
		check(t, fmt.Sprintf(`
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 101, name: w-1, uuid: $u1, tags: [prod]}, {id: 120, name: left, tags: [prod]}, {id: 121, name: right, uuid: $u3, tags: [prod]}]
nodes: [{name: w-1, uuid: $u1}, {name: pi, ready: "True", %s}]
want: {vm/lab/120: orphan-vm, vm/lab/121: orphan-vm}
`, node))
	}
}

// What a cluster's own selector rules out is at most suspected by what it shares with the members.
func TestSelectorThatRulesOut(t *testing.T) {
	check(t, `
management: {}
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, name: a, uuid: $u1, tags: [prod, k8s], pool: k}
- {id: 102, name: b, uuid: $u2, tags: [prod, k8s], pool: k}
- {id: 103, name: c, uuid: $u3, tags: [prod, k8s], pool: k}
- {id: 200, name: bastion, uuid: $u4, tags: [k8s], pool: k}
nodes: [{name: a, uuid: $u1}, {name: b, uuid: $u2}, {name: c, uuid: $u3}]
want: {vm/lab/200: {class: orphan-vm, confidence: low}}
`)
}
