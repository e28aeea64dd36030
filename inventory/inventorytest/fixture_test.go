package inventorytest_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestParseRefuses: a fixture with a mistake in it must not become a test that cannot fail.
func TestParseRefuses(t *testing.T) {
	const want = "\nwant: {vm/lab/101: orphan-vm}"
	const vms = "vms: [{id: 101}]"
	for fixture, says := range map[string]string{
		vms:                               "nothing is expected",
		vms + "\nwant: {}":                "nothing is expected",
		vms + "\nwant: {vm/lab/102: x}":   "there is no vm/lab/102",
		vms + "\nwant: {vm/lab/101: {}}":  "has no class",
		vms + "\nvmz: []" + want:          "vmz",
		"vms: [{id: 101, uid: x}]" + want: "uid",
		vms + "\nwant: {vm/lab/101: {class: x, reasen: y}}":                             "reasen",
		vms + "\nwant: {vm/lab/101: {class: x, with: [node/a/b]}}":                      "there is no node/a/b",
		vms + "\nwant: {vm/lab/101: {class: x, rivals: [vm/lab/9]}}":                    "there is no vm/lab/9",
		"vms: [{id: abc}]" + want:                                                       "no VMID",
		"sites: [a, b]\nvms: [{id: 101}]" + want:                                        "in which site",
		"sites: [{name: lab, nods: []}]\n" + vms + want:                                 "nods",
		"sites: [{name: lab, nodes: [{name: x, state: y}]}]\n" + vms + want:             "state",
		"vms: [{id: 101, age: 3x}]" + want:                                              "age",
		"vms: [{id: 101, age: xd}]" + want:                                              "age",
		"vms: [{id: 101, uptime: 3x}]" + want:                                           "uptime",
		"now: yesterday\n" + vms + want:                                                 "now",
		"grace: long\n" + vms + want:                                                    "grace",
		vms + "\nprobes: [{id: 101, answer: maybe}]" + want:                             "no answer",
		vms + "\nprobes: [{id: x, answer: free}]" + want:                                "no VMID",
		vms + "\nclusters: [{name: a}, {name: b}]\nnodes: [{name: q}]" + want:           "in which cluster",
		vms + "\nclusters: [{name: a}, {name: b}]\nmachines: [{name: q}]" + want:        "in which cluster",
		vms + "\nclusters: [{name: a}, {name: b}]\nproxmoxMachines: [{name: q}]" + want: "in which cluster",
		vms + "\nnodes: [{name: q, uuid: junk}]" + want:                                 "no usable UUID",
		vms + "\nnodes: [{name: q, age: x}]" + want:                                     "age",
		vms + "\nmachines: [{name: q, age: x}]" + want:                                  "age",
		vms + "\nmachines: [{name: q, deleted: x}]" + want:                              "age",
		vms + "\nproxmoxMachines: [{name: q, age: x}]" + want:                           "age",
		"vms: [{id: 101, uuid: $u99999}]" + want:                                        "too large",
		"vms: [" + want:                                                                 "",
	} {
		_, err := inventorytest.Parse([]byte(fixture))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got the error %v, want one with %q", fixture, err, says)
		}
	}
}

func TestDefaults(t *testing.T) {
	f, err := inventorytest.Parse([]byte(`
vms:
- {id: 101, name: w-1, uuid: $U1, macs: ["BC:24:11:00:00:01"], agentIPs: [10.0.0.1/24], disk: -1}
- {id: 102, nameless: true}
- {id: 103, unread: true}
machines: [{name: m-1, deleted: 5m}, {name: ns/m-2, infra: other}]
proxmoxMachines: [{name: m-1, vmid: 101, uuid: $u1}]
nodes: [{name: w-1, uuid: $s1, providerID: uuid}]
probes: [{id: 104, answer: free}]
providers: [{label: p, desired: 1, available: 1}]
coverage: [{source: site/lab, scope: version, remove: true}]
incomplete: false
want: {vm/lab/101: {class: managed, with: [node/prod/w-1]}, machine/ns/m-2: x}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Snapshot
	if !s.CollectedAt.Equal(inventorytest.Now) || f.Incomplete == nil || *f.Incomplete || f.Want["vm/lab/101"].Class != "managed" {
		t.Errorf("clock %v, incomplete %v, want %+v", s.CollectedAt, f.Incomplete, f.Want)
	}
	v := s.VMs[0]
	if v.Status != "running" || v.Node != "pve1" || v.Type != inventory.GuestQEMU || v.IsTemplate() || v.Config.NICs[0].MAC != "bc:24:11:00:00:01" ||
		v.Config.CreatedAt.After(inventorytest.Now.Add(-89*24*time.Hour)) || v.Config.Disks[0].SizeBytes != nil {
		t.Errorf("the guest is %+v with %+v", v, v.Config)
	}
	if n := s.VMs[1]; n.Config != nil || n.Template != nil || n.Status != inventory.StatusUnknown {
		t.Errorf("the nameless guest is %+v", n)
	}
	if got, want := s.Nodes[0].SystemUUID, inventory.SwapUUID(inventorytest.UUID(1)); got != want || s.Nodes[0].ProviderID != "proxmox://"+want || s.Nodes[0].Ready != "True" {
		t.Errorf("the Node is %+v", s.Nodes[0])
	}
	if s.Machines[0].InfrastructureRef == nil || s.Machines[0].DeletedAt == nil || s.Machines[1].InfrastructureRef.Name != "other" || s.ProxmoxMachines[0].Owner(inventory.GroupCluster, "Machine") == nil {
		t.Errorf("the declared pair is %+v and %+v", s.Machines, s.ProxmoxMachines)
	}
	if s.Management == nil || !s.Known(inventory.ManagementSource, inventory.ScopeMachines) || !s.Known("cluster/prod", inventory.ScopeNodes) || !s.Known("site/lab", inventory.ScopeGuests) {
		t.Error("what the fixture does not take away was answered")
	}
	if s.Known("site/lab", inventory.ConfigScope("pve1")) || s.CoverageOf("site/lab", inventory.ScopeVersion) != nil {
		t.Error("what it takes away was not")
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	if _, err := inventorytest.Read(path); err == nil {
		t.Error("a file that is not there was read")
	}
	if err := os.WriteFile(path, []byte("vms: [{id: 101}]\nwant: {vm/lab/101: unrelated}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := inventorytest.Read(path)
	if err != nil || f.Name != path {
		t.Errorf("got %+v, %v", f, err)
	}
	if err := os.WriteFile(path, []byte("x: 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := inventorytest.Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("the error does not name the file: %v", err)
	}
}

// TestGeneratorsRepeat: a seed is a fleet, or no failure could be looked at again.
func TestGeneratorsRepeat(t *testing.T) {
	for seed := range uint64(20) {
		a, b := inventorytest.Random(rand.New(rand.NewPCG(seed, 1))), inventorytest.Random(rand.New(rand.NewPCG(seed, 1)))
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d makes two fleets", seed)
		}
		va, vb := inventorytest.Degrade(a, rand.New(rand.NewPCG(seed, 2))), inventorytest.Degrade(b, rand.New(rand.NewPCG(seed, 2)))
		if !reflect.DeepEqual(va, vb) {
			t.Fatalf("seed %d makes two sets of views", seed)
		}
	}
	if !reflect.DeepEqual(inventorytest.Fleet(300), inventorytest.Fleet(300)) {
		t.Error("two fleets of the same size differ")
	}
	if s := inventorytest.Fleet(1000); len(s.VMs) < 950 || len(s.Clusters) != inventorytest.FleetClusters || len(s.Sites[0].Nodes) != inventorytest.FleetHosts {
		t.Errorf("%d guests, %d clusters", len(s.VMs), len(s.Clusters))
	}
}

// TestDegradeTakesAway: every view lacks something, adds nothing but probes, and leaves the whole alone.
func TestDegradeTakesAway(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		whole := inventorytest.Random(rng)
		before := whole.Sorted()
		for _, v := range inventorytest.Degrade(whole, rng) {
			s := v.Snapshot
			if len(s.VMs) > len(whole.VMs) || len(s.Nodes) > len(whole.Nodes) || len(s.Machines) > len(whole.Machines) {
				t.Fatalf("%s added something", v.Fault)
			}
			if !v.Silent && !v.Default && len(s.Incomplete()) == 0 && len(s.Management.Namespaces) == 0 {
				t.Fatalf("%s shows nowhere in the coverage", v.Fault)
			}
		}
		if !reflect.DeepEqual(whole.Sorted(), before) {
			t.Fatalf("seed %d: the whole was changed", seed)
		}
	}
}
