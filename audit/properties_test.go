package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// reports is every view of an analysis, as JSON.
func reports(t *testing.T, s *inventory.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, r := range []any{audit.Orphans(s, audit.Options{}), audit.Orphans(s, audit.Options{All: true}), audit.Inventory(s, audit.Options{})} {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// fleets are random ones, whole and with one fault each.
func fleets(n uint64, f func(seed uint64, s *inventory.Snapshot)) {
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 11))
		whole := inventorytest.Random(rng)
		f(seed, whole)
		views := inventorytest.Degrade(whole, rng)
		f(seed, views[rng.IntN(len(views))].Snapshot)
	}
}

// TestOrderNeverShows: in which order sources answered does not change a byte.
func TestOrderNeverShows(t *testing.T) {
	fleets(150, func(seed uint64, s *inventory.Snapshot) {
		want := reports(t, s)
		rng := rand.New(rand.NewPCG(seed, 12))
		for range 3 {
			if got := reports(t, shuffled(s, rng)); !bytes.Equal(got, want) {
				t.Fatalf("seed %d: another order gives another report\n%s\n%s", seed, want, got)
			}
		}
	})
}

func shuffled(s *inventory.Snapshot, rng *rand.Rand) *inventory.Snapshot {
	c := s.Sorted()
	shuffle(rng, c.Sites)
	shuffle(rng, c.VMs)
	shuffle(rng, c.Clusters)
	shuffle(rng, c.Machines)
	shuffle(rng, c.ProxmoxMachines)
	shuffle(rng, c.Nodes)
	shuffle(rng, c.Groups)
	shuffle(rng, c.Providers)
	shuffle(rng, c.Probes)
	shuffle(rng, c.Coverage)
	return c
}

func shuffle[T any](rng *rand.Rand, in []T) {
	rng.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
}

// TestAnalysisLeavesTheSnapshotAlone: it is a file that others read too.
func TestAnalysisLeavesTheSnapshotAlone(t *testing.T) {
	fleets(50, func(seed uint64, s *inventory.Snapshot) {
		before, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		first := reports(t, s)
		after, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Fatalf("seed %d: the Snapshot was changed", seed)
		}
		if !bytes.Equal(first, reports(t, s)) {
			t.Fatalf("seed %d: two analyses of one Snapshot differ", seed)
		}
	})
}

// TestEverythingIsInOneEntity: no VM, Machine, ProxmoxMachine or Node is lost or counted twice, and each has a class.
func TestEverythingIsInOneEntity(t *testing.T) {
	fleets(500, func(seed uint64, s *inventory.Snapshot) {
		g := resolve(s)
		seen := map[string]int{}
		for i := range g.Entities {
			e := &g.Entities[i]
			if e.Class == "" || e.Reason == "" || e.Confidence == "" {
				t.Fatalf("seed %d: an entity has class %q, reason %q, confidence %q", seed, e.Class, e.Reason, e.Confidence)
			}
			if e.Class == identity.Unknown && e.Confidence != identity.Low {
				t.Fatalf("seed %d: unknown with confidence %s", seed, e.Confidence)
			}
			for kind, members := range map[string][]int{"vm": e.VMs, "pm": e.ProxmoxMachines, "machine": e.Machines, "node": e.Nodes} {
				for _, m := range members {
					seen[fmt.Sprintf("%s %d", kind, m)]++
				}
			}
		}
		if want := len(g.Snapshot.VMs) + len(g.Snapshot.ProxmoxMachines) + len(g.Snapshot.Machines) + len(g.Snapshot.Nodes); len(seen) != want {
			t.Fatalf("seed %d: %d objects are in entities, want %d", seed, len(seen), want)
		}
		for what, n := range seen {
			if n != 1 {
				t.Fatalf("seed %d: %s is in %d entities", seed, what, n)
			}
		}
	})
}

// TestFingerprintsTellFindingsApart: ignore files and histories go by them.
func TestFingerprintsTellFindingsApart(t *testing.T) {
	fleets(200, func(seed uint64, s *inventory.Snapshot) {
		seen := map[string]string{}
		for _, f := range audit.Orphans(s, audit.Options{All: true}).Findings {
			if other, ok := seen[f.Fingerprint]; ok {
				t.Fatalf("seed %d: %s and %s have the same fingerprint", seed, f.Subject.ID, other)
			}
			seen[f.Fingerprint] = f.Subject.ID
		}
	})
}

// TestNamesAndHostsAreNoIdentity: what is tied by UUID stays tied when a VM is renamed, moved to another host, or the
// list is read from another node.
func TestNamesAndHostsAreNoIdentity(t *testing.T) {
	s := inventorytest.Fleet(500)
	for i := range s.VMs {
		// The fleet's ghosts and conflicts rest on names and VMIDs; what is compared is what rests on proof.
		s.VMs[i].Tags, s.VMs[i].Pool = nil, ""
	}
	before := resolve(s)
	moved := s.Sorted()
	for i := range moved.VMs {
		if moved.VMs[i].Config == nil {
			continue
		}
		moved.VMs[i].Name = fmt.Sprintf("renamed-%d", i)
		moved.VMs[i].Node = "pve00"
	}
	after := resolve(moved)
	compared := 0
	eachSubject(s, func(sub inventory.Subject) {
		was, is := before.Of(sub), after.Of(sub)
		switch was.Class {
		default:
		case identity.Managed, identity.Adoptable, identity.Mismatched, identity.NonNode, identity.Template:
			compared++
			if is.Class != was.Class || fmt.Sprint(is.VMs, is.Machines, is.Nodes) != fmt.Sprint(was.VMs, was.Machines, was.Nodes) {
				t.Errorf("%s was %s and is %s after its VM was renamed and moved", sub, was.Class, is.Class)
			}
		}
	})
	if compared < 300 {
		t.Errorf("only %d machines were compared", compared)
	}
}

// TestHostileInput: a Snapshot is a file that somebody else may have written. Nothing in it makes the analysis panic.
func TestHostileInput(t *testing.T) {
	long := strings.Repeat("ä-\x1b[31m\u202e", 60)
	zero, far := time.Time{}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	negative, huge, ok := -1, math.MaxInt, 105
	var s inventory.Snapshot
	for _, name := range []string{"", ".", "-", "...", long, "a", "a-", "-1", "worker-99999999999999999999"} {
		for _, vmid := range []int{-1, 0, 105, 105, math.MinInt, math.MaxInt} {
			s.VMs = append(s.VMs, inventory.VM{Site: name, VMID: vmid, Name: name, Type: name},
				inventory.VM{VMID: vmid, Name: name, Type: inventory.GuestQEMU, Tags: []string{"", name}, Pool: name, UptimeSeconds: math.MinInt64,
					Config: &inventory.VMConfig{UUID: name, CreatedAt: &far, Disks: []inventory.Disk{{}, {SizeBytes: new(int64)}}, NICs: []inventory.NIC{{MAC: name}},
						IPConfigs: []inventory.IPConfig{{IPv4: name, IPv6: "::1/999"}}}, Agent: &inventory.Agent{Interfaces: []inventory.AgentInterface{{Addresses: []string{name}}}}})
		}
		for _, vmid := range []*int{nil, &negative, &huge, &ok} {
			meta := inventory.Meta{Namespace: name, Name: name, CreatedAt: &zero, DeletedAt: &far,
				Owners: []inventory.Ref{{Group: inventory.GroupCluster, Kind: "Machine", Name: name}, {Kind: "Machine"}, {}}}
			s.Machines = append(s.Machines, inventory.Machine{Meta: meta, ProviderID: "proxmox://" + name, NodeRef: name, SystemUUID: name, Addresses: []string{name, "1.2.3.4"},
				InfrastructureRef: &inventory.Ref{Kind: "ProxmoxMachine", Name: name}}, inventory.Machine{Cluster: name})
			s.ProxmoxMachines = append(s.ProxmoxMachines, inventory.ProxmoxMachine{Meta: meta, VMID: vmid, ProviderID: "proxmox://", MACs: []string{name}}, inventory.ProxmoxMachine{VMID: vmid})
		}
		s.Nodes = append(s.Nodes, inventory.Node{Name: name, ProviderID: name, SystemUUID: name, InternalIPs: []string{name}, CreatedAt: &zero},
			inventory.Node{Cluster: name, ProviderID: "proxmox:///105", Annotations: map[string]string{inventory.AnnotationInstanceID: "-5"}})
		s.Clusters = append(s.Clusters, inventory.Cluster{Key: name, Site: name, Selector: inventory.Selector{Names: "(", VMIDs: []string{name}}},
			inventory.Cluster{Key: name, Selector: inventory.Selector{Tags: []string{""}}, Declared: &inventory.DeclaredCluster{}})
		s.Sites = append(s.Sites, inventory.Site{Name: name, Regions: []string{name}})
		s.Coverage = append(s.Coverage, inventory.Coverage{Source: name, Scope: name, State: inventory.State(name)})
	}
	s.Probes = []inventory.Probe{{}, {VMID: -1, Existence: "?"}}
	s.Management = &inventory.Management{}
	for _, at := range []time.Time{{}, far, inventorytest.Now} {
		s.CollectedAt = at
		if len(reports(t, &s)) == 0 {
			t.Fatal("no report")
		}
	}
	if len(reports(t, &inventory.Snapshot{})) == 0 {
		t.Fatal("no report of an empty Snapshot")
	}
	for _, sub := range []inventory.Subject{{}, {Kind: "vm", Name: "x"}, {Kind: "node", Scope: long, Name: long}, {Kind: "cluster", Name: "prod"}} {
		if _, err := audit.Explain(&s, sub, audit.Options{}); err != nil && err.Error() == "" {
			t.Errorf("%v: an error without a word", sub)
		}
	}
}
