package audit_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

// parts are copies under the names of files, in an order that means nothing.
func parts(t *testing.T, split []*inventory.Snapshot, rng *rand.Rand) []collect.Scanned {
	t.Helper()
	var out []collect.Scanned
	for i, s := range split {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again := &inventory.Snapshot{}
		if err := json.Unmarshal(b, again); err != nil {
			t.Fatal(err)
		}
		out = append(out, collect.Scanned{Name: fmt.Sprintf("part-%d.json", i), Snapshot: again})
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func merged(t *testing.T, scans []collect.Scanned) *inventory.Snapshot {
	t.Helper()
	s, err := collect.Merge(scans, collect.MergeOptions{MaxAge: collect.DefaultMaxAge})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// judged is a report as JSON, without what says how it came to be.
func judged(t *testing.T, s *inventory.Snapshot) string {
	t.Helper()
	r, i := audit.NewReport(s, audit.Options{}), audit.Orphans(s, audit.Options{All: true})
	r.Parts, r.Coverage, r.Requests = nil, nil, nil
	i.Parts, i.Coverage, i.Requests = nil, nil, nil
	b, err := json.MarshalIndent([]any{r, i}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPartsAreTheWhole: the scans of parts, put together, give the very report of one scan of all, where the same questions
// were asked.
func TestPartsAreTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	same := func(name string, whole *inventory.Snapshot) {
		t.Helper()
		got := merged(t, parts(t, inventorytest.Split(whole, rng), rng))
		got.Probes = whole.Probes
		if diff := cmp.Diff(judged(t, whole), judged(t, got)); diff != "" {
			t.Fatalf("%s (-whole +parts):\n%.4000s", name, diff)
		}
	}
	for seed := range uint64(2000) {
		same(fmt.Sprint("seed ", seed), inventorytest.Random(rand.New(rand.NewPCG(seed, 7))))
	}
	same("a fleet of 500", inventorytest.Fleet(500))
	for _, example := range []string{"prod", "homelab", "messy", "stuck"} {
		f, err := os.Open("../examples/" + example + "/snapshot.json")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := snapfile.Read(f)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		same(example, whole)
	}
}

// TestPartsNeverAccuse: what parts do not know to ask, a part that cannot be read, one that is too old and a part alone: a
// verdict may become unknown, and never one that says that something is not there.
func TestPartsNeverAccuse(t *testing.T) {
	const fleets = 1000
	compared := 0
	for seed := range uint64(fleets) {
		rng := rand.New(rand.NewPCG(seed, 11))
		whole := inventorytest.Random(rng)
		full := resolve(whole)
		split := inventorytest.Split(whole, rng)
		look := func(fault string, s *inventory.Snapshot) {
			compare(t, seed, full, inventorytest.View{Fault: fault, Snapshot: s})
			compared += len(resolve(s).Entities)
		}
		look("all parts", merged(t, parts(t, split, rng)))
		for i := range split {
			name := fmt.Sprintf("part-%d.json", i)
			lost, old := parts(t, split, rng), parts(t, split, rng)
			for k := range lost {
				if lost[k].Name == name {
					lost[k].Snapshot, lost[k].Err = nil, errors.New("it is empty")
				}
				if old[k].Name == name {
					old[k].Snapshot.CollectedAt = old[k].Snapshot.CollectedAt.Add(-25 * time.Hour)
				}
			}
			look(name+" cannot be read", merged(t, lost))
			look(name+" is too old", merged(t, old))
			look(name+" alone", merged(t, []collect.Scanned{{Name: name, Snapshot: split[i]}}))
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	if compared < 10*fleets {
		t.Errorf("only %d entities were compared", compared)
	}
}

// TestNightWithoutAPart: a night in which one scan did not run, whose file is there no more, is empty or is yesterday's,
// resolves nothing of what was found the night before: it is unverified, or still seen.
func TestNightWithoutAPart(t *testing.T) {
	unverified, nights := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 23))
		whole := inventorytest.Random(rng)
		split := inventorytest.Split(whole, rng)
		first := merged(t, parts(t, split, rng))
		records, _ := history.Advance(nil, audit.NewReport(first, audit.Options{}).Run())
		for i := range split {
			for _, fault := range []string{"gone", "unreadable", "stale"} {
				name := fmt.Sprintf("part-%d.json", i)
				tonight := parts(t, split, rng)
				for k := range tonight {
					if p := &tonight[k]; p.Name != name || fault != "stale" {
						p.Snapshot.CollectedAt = p.Snapshot.CollectedAt.Add(24 * time.Hour)
					}
				}
				at := slices.IndexFunc(tonight, func(s collect.Scanned) bool { return s.Name == name })
				switch fault {
				case "gone":
					tonight = slices.Delete(tonight, at, at+1)
				case "unreadable":
					tonight[at].Snapshot, tonight[at].Err = nil, errors.New("it is empty")
				}
				s := merged(t, tonight)
				expect(s, whole)
				if had := first.Parts[slices.IndexFunc(first.Parts, func(p inventory.Part) bool { return p.File == name })]; len(s.Incomplete()) == 0 && len(had.Sources) > 0 {
					t.Fatalf("seed %d, %s %s: nothing says that something is missing", seed, name, fault)
				}
				nights++
				r := audit.NewReport(s, audit.Options{})
				r.Compare(records, audit.Since{At: first.CollectedAt})
				for _, rec := range r.Resolved {
					if rec.Why == "it is managed now" && rec.Class != "conflict" {
						// A machine of which VM, Machine and Node were seen.
						continue
					}
					t.Errorf("seed %d, %s %s: %s (%s) is resolved: %s", seed, name, fault, rec.Subject, rec.Class, rec.Why)
				}
				unverified += len(r.Unverified)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d findings unverified in %d nights", unverified, nights)
	if unverified == 0 || nights < 900 {
		t.Errorf("%d findings unverified in %d nights: the test says nothing", unverified, nights)
	}
}

// expect puts in what the fleet's configuration names.
func expect(s, whole *inventory.Snapshot) {
	var sites []collect.LeftOutSite
	for i := range whole.Sites {
		sites = append(sites, collect.LeftOutSite{Name: whole.Sites[i].Name})
	}
	var clusters []collect.Workload
	for i := range whole.Clusters {
		if c := &whole.Clusters[i]; c.Declared == nil && (whole.Management == nil || whole.Management.ClusterName != c.Key) {
			clusters = append(clusters, collect.Workload{Key: c.Key, Selector: c.Selector, Site: c.Site})
		}
	}
	collect.Expect(s, sites, clusters, whole.Management != nil)
}

// TestPartsHaveKeysOfTheirOwn: each scan hashes credentials with a key that it throws away, so that one credential is two
// hashes in two files. Nothing is said of it: the merge changes no hash, and no verdict compares one with another file's.
func TestPartsHaveKeysOfTheirOwn(t *testing.T) {
	hash := regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	plant := func(s *inventory.Snapshot, key string) int {
		n := 0
		for i := range s.Objects {
			spec, ok := s.Objects[i].Content["spec"].(map[string]any)
			if !ok {
				continue
			}
			spec["credential"] = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(key)))
			n++
		}
		return n
	}
	rng := rand.New(rand.NewPCG(1, 2))
	whole := inventorytest.ScriptBuilt("prod", 3, 3)
	whole.Objects = append(whole.Objects, inventory.Object{APIVersion: "v1", Kind: "ConfigMap", Name: "planted", Content: map[string]any{"spec": map[string]any{}}},
		inventory.Object{APIVersion: "v1", Kind: "ConfigMap", Name: "planted", Cluster: "prod", Content: map[string]any{"spec": map[string]any{}}})
	for i := range whole.Clusters {
		if c := &whole.Clusters[i]; c.Key == "prod" {
			// The scan of its site reads it, and not that of the management cluster.
			c.Site = whole.Sites[0].Name
		}
	}
	scans := parts(t, inventorytest.Split(whole, rng), rng)
	planted := plant(whole, "one key for all")
	hashes := map[string]bool{}
	for _, sc := range scans {
		planted -= plant(sc.Snapshot, "the key of "+sc.Name)
	}
	got := merged(t, scans)
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hash.FindAllString(string(b), -1) {
		hashes[h] = true
	}
	if planted != 0 || len(hashes) != 2 {
		t.Fatalf("%d hashes were lost on the way, and the merged Snapshot has %d: the test says nothing", planted, len(hashes))
	}
	got.Probes = whole.Probes
	if diff := cmp.Diff(judged(t, whole), judged(t, got)); diff != "" {
		t.Errorf("(-one key +two):\n%.3000s", diff)
	}
}
