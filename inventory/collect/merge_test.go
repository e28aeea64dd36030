package collect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func clone(t *testing.T, s *inventory.Snapshot) *inventory.Snapshot {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again := &inventory.Snapshot{}
	if err := json.Unmarshal(b, again); err != nil {
		t.Fatal(err)
	}
	return again
}

// scansOf are copies of Snapshots, under the names that are given.
func scansOf(t *testing.T, split []*inventory.Snapshot, names []string) []collect.Scanned {
	t.Helper()
	out := make([]collect.Scanned, 0, len(split))
	for i, s := range split {
		out = append(out, collect.Scanned{Name: names[i], Snapshot: clone(t, s)})
	}
	return out
}

func text(t *testing.T, s *inventory.Snapshot) string {
	t.Helper()
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

func merge(t *testing.T, scans []collect.Scanned) *inventory.Snapshot {
	t.Helper()
	got, err := collect.Merge(scans, collect.MergeOptions{MaxAge: collect.DefaultMaxAge})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestMergeIsTheWhole: the Snapshot of all parts is that of one scan, byte for byte, whichever of them has the first name.
// It differs in two things: it says of what it is made, and a part can only probe the VMIDs that it knows of itself.
func TestMergeIsTheWhole(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		whole := clone(t, inventorytest.Random(rng))
		whole.Sort()
		split := inventorytest.Split(whole, rng)
		for _, backwards := range []bool{false, true} {
			called := names(len(split), "part-%d.json")
			if backwards {
				slices.Reverse(called)
			}
			got := merge(t, scansOf(t, split, called))
			if len(got.Parts) != len(split) {
				t.Fatalf("seed %d: made of %d parts, want %d", seed, len(got.Parts), len(split))
			}
			for _, p := range got.Probes {
				if want := whole.ProbeOf(inventory.Key{Site: p.Site, VMID: p.VMID}); want == nil || *want != p {
					t.Fatalf("seed %d: probe %v, and the one scan has %v", seed, p, want)
				}
			}
			got.Parts, got.Probes = nil, whole.Probes
			if diff := cmp.Diff(text(t, whole), text(t, got)); diff != "" {
				t.Fatalf("seed %d (-whole +parts):\n%.3000s", seed, diff)
			}
		}
	}
}

// permutations calls f with every order of n numbers.
func permutations(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var place func(int)
	place = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			place(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	place(0)
}

// TestMergeInAnyOrder: in which order files are named changes no byte, also with one that cannot be read, one that is too
// old and two that are called the same.
func TestMergeInAnyOrder(t *testing.T) {
	orders := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 17))
		split := inventorytest.Split(inventorytest.Random(rng), rng)
		for i, s := range split {
			s.CollectedAt, s.ToolVersion = s.CollectedAt.Add(time.Duration(rng.IntN(50))*time.Minute), fmt.Sprint("v1.", rng.IntN(2))
			s.Requests = []inventory.Requests{{Source: inventory.SiteSource("a"), Count: i + 1}}
		}
		old := rng.IntN(len(split))
		split[old].CollectedAt = split[old].CollectedAt.Add(-25 * time.Hour)
		called := names(len(split), "part-%d.json")
		called[rng.IntN(len(called))] = called[0]
		lost := collect.Scanned{Name: called[rng.IntN(len(called))], Err: errors.New("it is empty")}
		want := ""
		permutations(len(split)+1, func(order []int) {
			all := append(scansOf(t, split, called), lost)
			scans := make([]collect.Scanned, 0, len(all))
			for _, i := range order {
				scans = append(scans, all[i])
			}
			got := text(t, merge(t, scans))
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("seed %d, order %v (-first +this):\n%.3000s", seed, order, cmp.Diff(want, got))
			}
			orders++
		})
	}
	if orders < 60*6 {
		t.Errorf("only %d orders were tried", orders)
	}
}

// siteScan is the scan of a site that has nothing but one VM.
func siteScan(name string, at time.Time) *inventory.Snapshot {
	return &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: at,
		Sites: []inventory.Site{{Name: name, URL: "https://" + name + ":8006",
			Visibility: inventory.Visibility{Complete: true}}},
		VMs:      []inventory.VM{{Site: name, VMID: 101, Type: "qemu", Name: name + "-101"}},
		Coverage: []inventory.Coverage{{Source: inventory.SiteSource(name), Scope: inventory.ScopeGuests, State: inventory.Complete, Asked: 1, Got: 1}}}
}

// TestMergeRefuses: what cannot be parts of one fleet is refused, with the names of the files.
func TestMergeRefuses(t *testing.T) {
	at := time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC)
	management := func() *inventory.Snapshot {
		return &inventory.Snapshot{CollectedAt: at, Management: &inventory.Management{Context: "mgmt"},
			Coverage: []inventory.Coverage{{Source: inventory.ManagementSource, Scope: inventory.ScopeClusters, State: inventory.Complete}}}
	}
	cluster := func() *inventory.Snapshot {
		return &inventory.Snapshot{CollectedAt: at, Clusters: []inventory.Cluster{{Key: "prod", Access: "context prod"}},
			Nodes: []inventory.Node{{Cluster: "prod", Name: "n"}}}
	}
	twice := siteScan("dc1", at)
	twice.Sites = append(twice.Sites, twice.Sites[0])
	for name, c := range map[string]struct {
		scans []collect.Scanned
		words []string
	}{
		"a site in two files":               {[]collect.Scanned{{Name: "b.json", Snapshot: siteScan("dc1", at)}, {Name: "a.json", Snapshot: siteScan("dc1", at)}}, []string{"site dc1 is in a.json and in b.json", "--site"}},
		"a cluster in two files":            {[]collect.Scanned{{Name: "b.json", Snapshot: cluster()}, {Name: "a.json", Snapshot: cluster()}}, []string{"cluster prod is in a.json and in b.json"}},
		"a management cluster in two files": {[]collect.Scanned{{Name: "a.json", Snapshot: management()}, {Name: "b.json", Snapshot: management()}}, []string{"a management cluster is in a.json and in b.json", "--rest"}},
		"a site twice in one file":          {[]collect.Scanned{{Name: "a.json", Snapshot: twice}, {Name: "b.json", Snapshot: siteScan("dc2", at)}}, []string{"site dc1 occurs twice in a.json"}},
		"nothing that can be read":          {[]collect.Scanned{{Name: "a.json", Err: errors.New("it is empty")}, {Name: "b.json", Err: errors.New("no JSON")}}, []string{"none of the 2", "snapshot a.json: it is empty", "snapshot b.json: no JSON"}},
	} {
		s, err := collect.Merge(c.scans, collect.MergeOptions{MaxAge: collect.DefaultMaxAge})
		if err == nil || s != nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", name, err, w)
			}
		}
	}
}

// TestStalePart: of a scan that did not run again nothing counts, its site has not answered, and its old file beside a new
// one of the same site does no harm.
func TestStalePart(t *testing.T) {
	at := time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC)
	yesterday := at.Add(-24 * time.Hour)
	fresh, stale := collect.Scanned{Name: "dc1.json", Snapshot: siteScan("dc1", at)}, collect.Scanned{Name: "edge.json", Snapshot: siteScan("edge", yesterday)}
	got := merge(t, []collect.Scanned{fresh, stale})
	if len(got.VMs) != 1 || got.VMs[0].Site != "dc1" || !got.CollectedAt.Equal(at) {
		t.Errorf("collected at %v: %+v", got.CollectedAt, got.VMs)
	}
	c := got.CoverageOf(inventory.SiteSource("edge"), inventory.ScopeGuests)
	if c == nil || c.State != inventory.Failed || !strings.Contains(c.Reason, "edge.json was collected 24h0m before the newest") {
		t.Errorf("coverage of edge: %+v", c)
	}
	if p := got.Parts; len(p) != 2 || p[0].Stale || !p[1].Stale {
		t.Errorf("parts: %+v", p)
	}
	again := collect.Scanned{Name: "new-edge.json", Snapshot: siteScan("edge", at)}
	got = merge(t, []collect.Scanned{fresh, stale, again})
	if c := got.CoverageOf(inventory.SiteSource("edge"), inventory.ScopeGuests); len(got.VMs) != 2 || len(got.Incomplete()) > 0 || c == nil || c.State != inventory.Complete {
		t.Errorf("%d VMs, coverage %+v", len(got.VMs), got.Coverage)
	}
	// Any age, if somebody says so; then it is the same site twice.
	if _, err := collect.Merge([]collect.Scanned{fresh, stale, again}, collect.MergeOptions{}); err == nil {
		t.Error("a site was taken from two files")
	}
}

// TestExpect: what the configuration names and no file has did not answer. What a file knows, read or not, is left as it is.
func TestExpect(t *testing.T) {
	at := time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC)
	s := siteScan("dc1", at)
	before := len(s.Coverage)
	collect.Expect(s, []collect.LeftOutSite{{Name: "dc1"}, {Name: "edge"}}, []collect.Workload{{Key: "prod", Site: "edge"}}, true)
	if s.CoverageOf(inventory.SiteSource("dc1"), inventory.ScopeGuests).State != inventory.Complete {
		t.Error("the site that was read counts no more")
	}
	for _, want := range []struct{ source, scope string }{{inventory.SiteSource("edge"), inventory.ScopeGuests}, {inventory.ClusterSource("prod"), inventory.ScopeNodes},
		{inventory.ManagementSource, inventory.ScopeMachines}, {inventory.ManagementSource, inventory.ScopeProxmoxMachines}, {inventory.ManagementSource, inventory.ScopeClusters}} {
		if c := s.CoverageOf(want.source, want.scope); c == nil || !c.Missing() || !strings.Contains(c.Reason, "no file of --from has it") {
			t.Errorf("%s %s: %+v", want.source, want.scope, c)
		}
	}
	if s.Management == nil || len(s.Coverage) != before+5 {
		t.Errorf("%d entries, management %v", len(s.Coverage), s.Management)
	}
	once := text(t, s)
	collect.Expect(s, []collect.LeftOutSite{{Name: "dc1"}, {Name: "edge"}}, []collect.Workload{{Key: "prod"}}, true)
	if text(t, s) != once {
		t.Error("a second time adds to it")
	}
}
