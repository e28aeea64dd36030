package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit"
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
