package audit_test

import (
	"fmt"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// lab is a fleet with one machine of each kind, all of it read.
const lab = `
sites: [{name: lab, regions: [r1], nodes: [pve1, pve2]}]
clusters: [{name: prod, declared: true, selector: {names: "prod-.*"}}]
vms:
- {id: 101, node: pve1, name: prod-1, uuid: $u1}
- {id: 102, node: pve2, name: prod-2, uuid: $u2}
- {id: 103, node: pve1, name: prod-3, uuid: $u3}
- {id: 104, node: pve2, name: prod-4, uuid: $u4}
- {id: 110, node: pve1, name: prod-10, uuid: $u10}
machines:
- {name: prod-1, uuid: $u1, nodeRef: prod-1}
- {name: prod-10, uuid: $u10}
- {name: gone, uuid: $u7}
proxmoxMachines:
- {name: prod-1, vmid: 101, uuid: $u1}
- {name: prod-10, vmid: 110, uuid: $u10}
- {name: gone, vmid: 107, uuid: $u7}
- {name: ownerless, owner: none}
nodes:
- {name: prod-1, uuid: $u1, providerID: uuid}
- {name: prod-2, uuid: $u2}
- {name: ghost, uuid: $u8, providerID: "proxmox://r1/108", ready: Unknown}
probes: [{id: 107, answer: free}, {id: 108, answer: free}]
`

// whole is what comes out with every source.
const whole = `
incomplete: false
want:
  machine/default/prod-1: managed
  node/prod/prod-2: adoptable
  vm/lab/103: orphan-vm
  vm/lab/104: orphan-vm
  machine/default/prod-10: non-node
  machine/default/gone: ghost-machine
  node/prod/ghost: ghost-node
  proxmoxmachine/default/ownerless: detached-infra
`

// TestFaults: for each thing that can fail, no false orphan and no false ghost; the verdict is unknown, the coverage names
// the source, and the run says that it is incomplete.
func TestFaults(t *testing.T) {
	check(t, lab+whole)
	for _, f := range []struct{ name, fault, want string }{
		{"a host is off", "", `
  vm/lab/102: {class: unknown, missing: [site/lab node/pve2]}
  node/prod/prod-2: {class: unknown, missing: [site/lab node/pve2]}
  vm/lab/103: orphan-vm
  vm/lab/104: {class: unknown, missing: [site/lab node/pve2]}
  machine/default/gone: {class: unknown, missing: [site/lab node/pve2]}
  node/prod/ghost: {class: unknown, missing: [site/lab node/pve2]}
  proxmoxmachine/default/ownerless: detached-infra
`},
		{"403 on the permissions", `
- {source: site/lab, scope: guests, state: partial, reason: "403 Permission check failed (/, Sys.Audit)"}
`, `
  machine/default/prod-1: managed
  vm/lab/103: orphan-vm
  machine/default/gone: {class: unknown, missing: [site/lab guests]}
  node/prod/ghost: {class: unknown, missing: [site/lab guests]}
`},
		{"the workload API is down", `
- {source: cluster/prod, scope: nodes, state: failed, reason: connection refused}
`, `
  vm/lab/103: {class: unknown, missing: [cluster/prod nodes]}
  vm/lab/104: {class: unknown, missing: [cluster/prod nodes]}
  machine/default/prod-10: {class: unknown, missing: [cluster/prod nodes]}
  machine/default/gone: {class: unknown, missing: [cluster/prod nodes]}
`},
		{"discovery of the infrastructure group fails", `
- {source: management, scope: discovery, state: partial, reason: "discovery of infrastructure.cluster.x-k8s.io failed"}
- {source: management, scope: proxmoxmachines.infrastructure.cluster.x-k8s.io, state: failed, reason: "discovery failed"}
`, `
  vm/lab/103: {class: unknown, missing: [management proxmoxmachines.infrastructure.cluster.x-k8s.io]}
  node/prod/prod-2: {class: unknown}
  machine/default/gone: {class: unknown, missing: [management proxmoxmachines.infrastructure.cluster.x-k8s.io]}
  proxmoxmachine/default/ownerless: unknown
`},
		{"malformed JSON in the list of Machines", `
- {source: management, scope: machines.cluster.x-k8s.io, state: partial, reason: "unusable: prod/broken: invalid character"}
`, `
  vm/lab/103: {class: unknown, missing: [management machines.cluster.x-k8s.io]}
  machine/default/gone: {class: unknown, missing: [management machines.cluster.x-k8s.io]}
  proxmoxmachine/default/ownerless: {class: unknown, missing: [management machines.cluster.x-k8s.io]}
`},
		{"a 595 in the middle of the probes", `
- {source: site/lab, scope: probes, state: partial, reason: "107: 595 Connection refused"}
`, `
  vm/lab/103: orphan-vm
  machine/default/gone: {class: unknown, missing: [site/lab probes]}
  node/prod/ghost: {class: unknown, missing: [site/lab probes]}
`},
	} {
		t.Run(f.name, func(t *testing.T) {
			spec := lab
			if f.fault != "" {
				spec += "coverage:" + f.fault
			}
			fx, err := inventorytest.Parse([]byte(spec + "incomplete: true\nwant:" + f.want))
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, f.name, fx)
			checkFixture(t, fx)
		})
	}
}

// TestTokenWithoutACL: Proxmox gives an empty list and no error.
func TestTokenWithoutACL(t *testing.T) {
	check(t, `
sites: [{name: lab, regions: [r1], hidden: "the token has no privileges (privsep=1 and no ACL of its own)"}]
clusters: [{name: prod, declared: true, selector: {names: "prod-.*"}}]
machines: [{name: prod-1, uuid: $u1, nodeRef: prod-1}, {name: gone, uuid: $u7}]
proxmoxMachines: [{name: prod-1, vmid: 101, uuid: $u1}, {name: gone, vmid: 107, uuid: $u7}]
nodes: [{name: prod-1, uuid: $u1, providerID: uuid}, {name: ghost, uuid: $u8, providerID: "proxmox://r1/108", ready: Unknown}, {name: metal, uuid: $u9}]
probes: [{id: 101, answer: exists}, {id: 107, answer: free}, {id: 108, answer: free}]
incomplete: true
want:
  machine/default/prod-1: {class: unknown, reason: exists-but-hidden}
  machine/default/gone: {class: unknown, missing: [site/lab guests]}
  node/prod/ghost: {class: unknown, missing: [site/lab guests]}
  node/prod/metal: {class: unknown, missing: [site/lab guests]}
`)
}

// TestIncompleteIsSaidByEveryView: the counts and the flag stand in each report.
func TestIncompleteIsSaidByEveryView(t *testing.T) {
	fx, err := inventorytest.Parse([]byte(lab + "coverage:\n- {source: cluster/prod, scope: nodes, state: failed, reason: down}\nwant: {vm/lab/103: unknown}"))
	if err != nil {
		t.Fatal(err)
	}
	o, i := audit.Orphans(fx.Snapshot, audit.Options{}), audit.Inventory(fx.Snapshot, audit.Options{})
	if !o.Summary.Incomplete || !i.Summary.Incomplete {
		t.Errorf("orphans says incomplete=%v, inventory %v, want both", o.Summary.Incomplete, i.Summary.Incomplete)
	}
	if fmt.Sprint(o.Summary.Classes) != fmt.Sprint(i.Summary.Classes) {
		t.Errorf("orphans counts %v, inventory %v", o.Summary.Classes, i.Summary.Classes)
	}
}

// A Node that is Ready, a region that no site answers to, a nodeRef that nobody could follow: with a source missing, what was
// not seen is the reason, and the run waits for it.
func TestSeenToRunWithASourceMissing(t *testing.T) {
	const missing = "coverage:\n- {source: site/lab, scope: guests, state: failed, reason: down}\n"
	for name, spec := range map[string]string{
		"a Machine whose Node is Ready": lab + missing + "want: {machine/default/gone: unknown}",
		"a region of no site that told its names": `
sites: [{name: lab}]
clusters: [{name: prod}]
nodes: [{name: a, uuid: $u1, providerID: "proxmox://elsewhere/101", ready: "True"}]
` + missing + "want: {node/prod/a: unknown}",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := inventorytest.Parse([]byte(spec))
			if err != nil {
				t.Fatal(err)
			}
			r := audit.Orphans(f.Snapshot, audit.Options{})
			for i := range r.Findings {
				if f := &r.Findings[i]; f.Class == "unknown" && (len(f.Missing) == 0 || f.Severity != audit.Info) {
					t.Errorf("%s is %s with missing %q, want information that names what is missing", f.Subject.ID, f.Severity, f.Missing)
				}
			}
			if !r.Summary.Incomplete || r.Summary.NoVerdict == 0 {
				t.Errorf("%+v", r.Summary)
			}
		})
	}
}

// What a ProxmoxMachine without a Machine would destroy with it is part of the evidence.
func TestDetachedTellsWhatIsAtItsVMID(t *testing.T) {
	f, err := inventorytest.Parse([]byte(`
sites: [{name: lab}]
clusters: [{name: prod, declared: true}]
proxmoxMachines: [{name: left, vmid: 115, owner: none}]
probes: [{id: 115, answer: free}]
want: {proxmoxmachine/default/left: detached-infra}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Orphans(f.Snapshot, audit.Options{})
	if len(r.Findings) != 1 {
		t.Fatalf("%+v", r.Findings)
	}
	kinds := map[string]string{}
	for _, e := range r.Findings[0].Evidence {
		kinds[string(e.Kind)] = e.Left + "=" + e.Right + " " + e.Note
	}
	if kinds["probe"] != "115=free " || kinds["owner-ref"] != "= no ownerReference names a Machine" {
		t.Errorf("evidence %q", kinds)
	}
}
