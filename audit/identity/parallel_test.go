package identity

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// verdicts is all that a graph says.
func verdicts(g *Graph) []string {
	var out []string
	for i := range g.Entities {
		e := &g.Entities[i]
		out = append(out, fmt.Sprint(e.VMs, e.ProxmoxMachines, e.Machines, e.Nodes, e.Class, e.Reason, e.Confidence, e.Cluster,
			e.Rivals, e.Missing, e.WaitingFor, e.Notes, e.Evidence()))
	}
	return out
}

// TestSeveralCoresSayTheSame: the ways of a large fleet, taken by small ones of every shape, whole and with each fault. The
// race detector looks at the same.
func TestSeveralCoresSayTheSame(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	usual := large
	defer func() { large = usual }()
	taken := 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 21))
		whole := inventorytest.Random(rng)
		views := inventorytest.Degrade(whole, rng)
		fleets := []*inventory.Snapshot{whole}
		for i := range views {
			fleets = append(fleets, views[i].Snapshot)
		}
		for _, s := range fleets {
			s.Sort()
			large = usual
			want := verdicts(Resolve(s, Options{}))
			large = 0
			if got := verdicts(Resolve(s, Options{})); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: four cores say\n%q\nand one\n%q", seed, got, want)
			}
			taken++
		}
	}
	if taken < 100 {
		t.Errorf("%d fleets only", taken)
	}
}

// TestVMIDOutOfRange: what is no VMID is nobody's, also where its lower bits are some guest's.
func TestVMIDOutOfRange(t *testing.T) {
	const wrapped = 101 + 1<<32
	s := &inventory.Snapshot{Sites: []inventory.Site{{Name: "lab"}}, VMs: []inventory.VM{{Site: "lab", VMID: 101, Type: inventory.GuestQEMU}}}
	g := Resolve(s, Options{})
	if e := g.Of(inventory.VMSubject(inventory.Key{Site: "lab", VMID: 101})); e == nil {
		t.Fatal("101 is not found")
	}
	for _, id := range []int{wrapped, -101, 0, 99, 1000000000} {
		if e := g.Of(inventory.VMSubject(inventory.Key{Site: "lab", VMID: id})); e != nil {
			t.Errorf("%d is %v", id, e.VMs)
		}
		if got := g.x.at(inventory.Key{Site: "lab", VMID: id}); got != nil {
			t.Errorf("%d is %v", id, got)
		}
	}
}

// TestEvidenceIsRanked: what argues for a verdict stands before what argues against it, the strongest first, whoever
// brought it up.
func TestEvidenceIsRanked(t *testing.T) {
	late := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 22))
		s := inventorytest.Random(rng)
		s.Sort()
		g := Resolve(s, Options{})
		for i := range g.Entities {
			e := &g.Entities[i]
			all := e.Evidence()
			for k := 1; k < len(all); k++ {
				a, b := all[k-1], all[k]
				if a.Against && !b.Against || a.Against == b.Against && a.Strength.rank() < b.Strength.rank() {
					t.Fatalf("seed %d: %+v stands before %+v", seed, a, b)
				}
			}
			if n := len(e.added); n > 0 && len(all) > n && !reflect.DeepEqual(all[len(all)-n:], e.added) {
				late++
			}
		}
	}
	if late == 0 {
		t.Error("no verdict brought up evidence that has its place before others'")
	}
}
