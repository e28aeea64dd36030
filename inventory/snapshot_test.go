package inventory_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestRoundTrip: the file that scan writes says all that the run saw.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(50) {
		s := inventorytest.Random(rand.New(rand.NewPCG(seed, 1)))
		s.Providers = []inventory.Provider{{Label: "infrastructure-proxmox", Desired: 1}}
		s.Requests = []inventory.Requests{{Source: "management", Count: 3, Retries: 1}}
		s.Objects = []inventory.Object{{Kind: "Machine", Name: "m", Content: map[string]any{"spec": "x"}}}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got inventory.Snapshot
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&got)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(data) {
			t.Fatalf("seed %d: it comes back different:\n%s\n%s", seed, data, again)
		}
	}
}

// TestUnreadIsNotEmpty: what was not read keeps its own form in the file.
func TestUnreadIsNotEmpty(t *testing.T) {
	data, err := json.Marshal(inventory.Snapshot{VMs: []inventory.VM{{Site: "lab", VMID: 105, ConfigError: "595"}, {Site: "lab", VMID: 106, Template: new(bool), Config: &inventory.VMConfig{}}}})
	if err != nil {
		t.Fatal(err)
	}
	var s inventory.Snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s.VMs[0].Config != nil || s.VMs[0].Template != nil || s.VMs[0].ConfigError != "595" {
		t.Errorf("the unread guest came back as %+v", s.VMs[0])
	}
	if s.VMs[1].Config == nil || s.VMs[1].Template == nil || s.VMs[1].IsTemplate() {
		t.Errorf("the read guest came back as %+v", s.VMs[1])
	}
}

func TestSortedIsACopyInOneOrder(t *testing.T) {
	s := inventorytest.Fleet(300)
	s.Groups = []inventory.Group{{Kind: "MachineSet", Meta: inventory.Meta{Name: "b"}}, {Kind: "MachineSet", Meta: inventory.Meta{Name: "a"}}, {Kind: "KubeadmControlPlane"}}
	s.Providers = []inventory.Provider{{Namespace: "b"}, {Namespace: "a", Name: "y"}, {Namespace: "a", Name: "x"}}
	s.Requests = []inventory.Requests{{Source: "b"}, {Source: "a"}}
	s.Objects = []inventory.Object{{Kind: "B"}, {Kind: "A", Name: "2"}, {Kind: "A", Name: "1"}}
	want := s.Sorted()
	rng := rand.New(rand.NewPCG(1, 2))
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice {
			rng.Shuffle(f.Len(), reflect.Swapper(f.Interface()))
		}
	}
	before := fmt.Sprintf("%+v", s.VMs[0])
	got := s.Sorted()
	if !reflect.DeepEqual(got, want) {
		t.Error("another order sorts into another Snapshot")
	}
	if read := s.Ordered(); !reflect.DeepEqual(read, want) {
		t.Error("Ordered gives another Snapshot than Sorted")
	}
	if after := fmt.Sprintf("%+v", s.VMs[0]); after != before {
		t.Error("Sorted or Ordered changed what it was given")
	}
	hosts := &inventory.Snapshot{Sites: []inventory.Site{{Name: "a", Nodes: []inventory.ProxmoxNode{{Name: "pve2"}, {Name: "pve1"}}}}}
	if o := hosts.Ordered(); o.Sites[0].Nodes[0].Name != "pve1" || hosts.Sites[0].Nodes[0].Name != "pve2" {
		t.Error("hosts out of order in a site that is in order were sorted in place, or not at all")
	}
	got.VMs[0].Name, got.Sites[0].Nodes[0].Name = "changed", "changed"
	if s.Sorted().VMs[0].Name == "changed" || want.VMs[0].Name == "changed" || want.Sites[0].Nodes[0].Name == "changed" {
		t.Error("a copy that was sorted shares its lists")
	}
	if o := want.Ordered(); &o.VMs[0] != &want.VMs[0] || &o.Nodes[0] != &want.Nodes[0] {
		t.Error("lists that are in order were copied")
	}
}

func TestCompact(t *testing.T) {
	read := inventory.VM{Site: "a", VMID: 101, Node: "pve2", Config: &inventory.VMConfig{}}
	s := &inventory.Snapshot{
		VMs:             []inventory.VM{{Site: "a", VMID: 100}, {Site: "a", VMID: 101, Node: "pve1"}, read, {Site: "a", VMID: 101, Node: "pve3"}, {Site: "b", VMID: 101}},
		Machines:        []inventory.Machine{{Meta: inventory.Meta{Name: "m"}}, {Meta: inventory.Meta{Name: "m"}}, {Meta: inventory.Meta{Namespace: "x", Name: "m"}}},
		ProxmoxMachines: []inventory.ProxmoxMachine{{Meta: inventory.Meta{Name: "m"}}, {Meta: inventory.Meta{Name: "m"}}},
		Nodes:           []inventory.Node{{Cluster: "c", Name: "n"}, {Cluster: "c", Name: "n"}, {Cluster: "d", Name: "n"}},
	}
	s.Sort()
	s.Compact()
	if len(s.VMs) != 3 || len(s.Machines) != 2 || len(s.ProxmoxMachines) != 1 || len(s.Nodes) != 2 {
		t.Fatalf("%d guests, %d Machines, %d ProxmoxMachines, %d Nodes; want 3, 2, 1, 2", len(s.VMs), len(s.Machines), len(s.ProxmoxMachines), len(s.Nodes))
	}
	if s.VMs[1].Config == nil {
		t.Error("of two rows of a guest the one with a configuration has to stay")
	}
}

func TestAppendKeepsEverything(t *testing.T) {
	whole := inventorytest.Fleet(200)
	parts := &inventory.Snapshot{}
	parts.Append(&inventory.Snapshot{Sites: whole.Sites, VMs: whole.VMs, Probes: whole.Probes, Coverage: whole.Coverage[:3]})
	parts.Append(&inventory.Snapshot{Management: whole.Management, Machines: whole.Machines, ProxmoxMachines: whole.ProxmoxMachines, Groups: whole.Groups,
		Providers: whole.Providers, Requests: whole.Requests, Objects: whole.Objects, Coverage: whole.Coverage[3:]})
	parts.Append(&inventory.Snapshot{Clusters: whole.Clusters, Nodes: whole.Nodes})
	parts.FormatVersion, parts.CollectedAt = whole.FormatVersion, whole.CollectedAt
	if !reflect.DeepEqual(parts.Sorted(), whole.Sorted()) {
		t.Error("the parts do not make the whole")
	}
}

func TestCoverage(t *testing.T) {
	s := &inventory.Snapshot{Coverage: []inventory.Coverage{
		{Source: "site/a", Scope: "guests", State: inventory.Complete}, {Source: "site/b", Scope: "guests", State: inventory.Partial},
		{Source: "management", Scope: "machines", State: inventory.Absent}, {Source: "management", Scope: "events", State: inventory.Refused, Optional: true},
		{Source: "cluster/c", Scope: "nodes", State: inventory.NotAsked}, {Source: "cluster/d", Scope: "nodes", State: inventory.Failed}, {Source: "x", Scope: "y", State: "new"}}}
	var missing []string
	for _, c := range s.Incomplete() {
		missing = append(missing, c.Source+" "+c.Scope)
	}
	if want := []string{"site/b guests", "cluster/c nodes", "cluster/d nodes", "x y"}; !slices.Equal(missing, want) {
		t.Errorf("missing %q, want %q", missing, want)
	}
	for q, want := range map[[2]string]bool{{"site/a", "guests"}: true, {"management", "machines"}: true, {"site/b", "guests"}: false, {"cluster/c", "nodes"}: false, {"never", "asked"}: false} {
		if got := s.Known(q[0], q[1]); got != want {
			t.Errorf("Known(%v) = %v, want %v", q, got, want)
		}
	}
	if s.CoverageOf("never", "asked") != nil {
		t.Error("what was never asked has an entry")
	}
	if inventory.SiteSource("a") != "site/a" || inventory.ClusterSource("c") != "cluster/c" || inventory.NodeScope("n") != "node/n" || inventory.ConfigScope("n") != "config/n" {
		t.Error("sources and scopes are part of the file format and must not change")
	}
}

func TestSmallQuestions(t *testing.T) {
	site := inventory.Site{Nodes: []inventory.ProxmoxNode{{Name: "pve1", Status: inventory.NodeOnline}}}
	if site.NodeStatus("pve1") != inventory.NodeOnline || site.NodeStatus("pve9") != inventory.NodeUnknown {
		t.Error("NodeStatus")
	}
	s := &inventory.Snapshot{Probes: []inventory.Probe{{Site: "a", VMID: 105, Existence: inventory.Free}}}
	if p := s.ProbeOf(inventory.Key{Site: "a", VMID: 105}); p == nil || p.Existence != inventory.Free {
		t.Errorf("ProbeOf = %+v", p)
	}
	if s.ProbeOf(inventory.Key{Site: "b", VMID: 105}) != nil {
		t.Error("the probe of another site")
	}
	m := inventory.Meta{Owners: []inventory.Ref{{Group: "g", Kind: "A", Name: "x"}, {Group: inventory.GroupCluster, Kind: "Machine", Name: "m"}}}
	if o := m.Owner(inventory.GroupCluster, "Machine"); o == nil || o.Name != "m" {
		t.Errorf("Owner = %+v", o)
	}
	if m.Owner("other", "Machine") != nil {
		t.Error("an owner of another group")
	}
	for _, sel := range []inventory.Selector{{Tags: []string{"a"}}, {Names: "a"}, {Pools: []string{"a"}}, {VMIDs: []string{"100"}}, {Subnets: []string{"::/0"}}} {
		if sel.IsZero() {
			t.Errorf("%+v selects something", sel)
		}
	}
	if !(inventory.Selector{}).IsZero() {
		t.Error("an empty selector selects nothing")
	}
	vm := inventory.VM{Site: "lab", VMID: 105, Tags: []string{"k8s"}}
	if !vm.HasTag("K8S") || vm.HasTag("k") || vm.UUID() != "" || vm.Key().String() != "lab/105" || vm.IsTemplate() {
		t.Error("VM")
	}
}

func TestDiskBytes(t *testing.T) {
	size := func(n int64) *int64 { return &n }
	c := &inventory.VMConfig{Disks: []inventory.Disk{{SizeBytes: size(10)}, {SizeBytes: size(1), CDROM: true}, {SizeBytes: size(2), CloudInit: true}, {SizeBytes: size(4), Foreign: true}, {SizeBytes: size(20)}}}
	if sum, known := c.DiskBytes(); sum != 30 || !known {
		t.Errorf("DiskBytes = %d, %v; want 30, true", sum, known)
	}
	c.Disks = append(c.Disks, inventory.Disk{})
	if sum, known := c.DiskBytes(); sum != 30 || known {
		t.Errorf("DiskBytes = %d, %v; want 30 and not all known", sum, known)
	}
}

func TestSecretNeverShows(t *testing.T) {
	const value = "hunter2-canary"
	s := inventory.NewSecret(value)
	holder := struct {
		Token inventory.Secret
		Ptr   *inventory.Secret
	}{s, &s}
	data, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out := string(data)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10s"} {
		out += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, holder.Ptr) + fmt.Sprintf(verb, holder)
	}
	if strings.Contains(out, value) || strings.Contains(out, fmt.Sprintf("%x", value)) {
		t.Errorf("the secret shows in %s", out)
	}
	if !strings.Contains(out, "REDACTED") || s.Reveal() != value || !s.IsSet() || s.String() != "REDACTED" {
		t.Error("a secret that is set has to say so")
	}
	var empty inventory.Secret
	if empty.IsSet() || empty.String() != "" {
		t.Error("an empty secret is not set")
	}
	if err := json.Unmarshal([]byte(`{"Token":"`+value+`"}`), &holder); err != nil || holder.Token.Reveal() != value {
		t.Errorf("it cannot be read: %v", err)
	}
}

// TestClockIsPartOfTheFile: ages are measured from it.
func TestClockIsPartOfTheFile(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(inventory.Snapshot{CollectedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), `"collectedAt":"2026-01-02T03:04:05Z"`) {
		t.Errorf("no clock in %s", data)
	}
}
