package adopt_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

type optionsType = adopt.Options

var setOptionsVersions = setOptions(func(o *adopt.Options) { o.CAPIVersion, o.CAPMOXVersion = "v1.14.2", "v0.9.0" })

// disorder shuffles every list of a Snapshot whose order says nothing.
func disorder(r *rand.Rand, s *inventory.Snapshot) {
	shuffled(r, s.Sites)
	shuffled(r, s.VMs)
	shuffled(r, s.Clusters)
	shuffled(r, s.Machines)
	shuffled(r, s.ProxmoxMachines)
	shuffled(r, s.Nodes)
	shuffled(r, s.Groups)
	shuffled(r, s.Providers)
	shuffled(r, s.Coverage)
	shuffled(r, s.Objects)
	shuffled(r, s.Probes)
	for i := range s.Sites {
		shuffled(r, s.Sites[i].Nodes)
	}
	for i := range s.Clusters {
		shuffled(r, s.Clusters[i].StaticPods)
	}
	for i := range s.VMs {
		if c := s.VMs[i].Config; c != nil {
			shuffled(r, c.Disks)
			shuffled(r, c.NICs)
			shuffled(r, c.IPConfigs)
		}
	}
	for i := range s.Nodes {
		shuffled(r, s.Nodes[i].Taints)
	}
}

// TestNoOrderShows: of no fleet, adoptable or not, the order of any list shows in the plan, the manifests or the commands.
func TestNoOrderShows(t *testing.T) {
	changes := fleets()
	for id, cases := range ruleCases() {
		for _, c := range cases {
			changes[id+" "+c.name] = c.do
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if name == "7+200" {
			continue
		}
		s, o := spoiled(changes[name])
		want := planText(t, s, o)
		for seed := range uint64(3) {
			s, o := spoiled(changes[name])
			disorder(rand.New(rand.NewPCG(seed, 7)), s)
			if got := planText(t, s, o); got != want {
				t.Errorf("%s: order %d shows", name, seed)
				break
			}
		}
	}
}

// TestEveryMoveIsOneLine: whichever VM moves, one line changes; a second run says the same as the first.
func TestEveryMoveIsOneLine(t *testing.T) {
	before := inventorytest.ScriptBuilt("prod", 3, 6)
	was := string(ready(t, plan(t, before, options())).Manifests())
	moved := 0
	for i := range before.VMs {
		if before.VMs[i].IsTemplate() {
			continue
		}
		s := inventorytest.ScriptBuilt("prod", 3, 6)
		s.VMs[i].Node = "pve9"
		is := string(ready(t, plan(t, s, options())).Manifests())
		var out []string
		a, b := lines(was), lines(is)
		for j := range a {
			if len(a) != len(b) || a[j] != b[j] {
				out = append(out, b[min(j, len(b)-1)])
			}
		}
		if len(out) != 1 || out[0] != "  sourceNode: pve9" {
			t.Errorf("%s moved, and this changed: %q", s.VMs[i].Name, out)
		}
		moved++
	}
	if moved != 9 {
		t.Fatalf("%d VMs moved", moved)
	}
}
