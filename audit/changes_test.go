package audit_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestChangesAreTheCounts: whatever happened between two nights, the items are those that the summary counts, and a report that was
// compared with nothing has none.
func TestChangesAreTheCounts(t *testing.T) {
	seen := map[audit.ChangeKind]int{}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 33))
		whole := inventorytest.Random(rng)
		plain := audit.NewReport(whole, audit.Options{})
		if plain.Changes() != nil {
			t.Fatal("there are changes of a run that was compared with nothing")
		}
		records, _ := history.Advance(nil, plain.Run())
		since := audit.Since{At: whole.CollectedAt, Run: "first"}
		views := inventorytest.Degrade(whole, rng)
		for n, s := range []int{0, 1, 2} {
			view := *views[rng.IntN(len(views))].Snapshot
			if s == 2 {
				view = *whole
			}
			view.CollectedAt = whole.CollectedAt.Add(time.Duration(n+1) * time.Hour)
			r := audit.NewReport(&view, audit.Options{Ignore: setOf(t, randomRules(rng, plain))})
			r.Compare(records, since)
			c := r.Changes()
			got := map[audit.ChangeKind]int{}
			for i := range c.Items {
				got[c.Items[i].Change]++
				seen[c.Items[i].Change]++
			}
			counts := c.Summary.Changes
			want := map[audit.ChangeKind]int{audit.ChangeNew: counts.New, audit.ChangeReopened: counts.Reopened, audit.ChangeResolved: counts.Resolved,
				audit.ChangeUnverified: counts.Unverified, audit.ChangeVerified: counts.Verified, audit.ChangeIgnoreExpired: counts.IgnoreExpired}
			for kind, k := range want {
				if got[kind] != k {
					t.Fatalf("seed %d, night %d: %d are %s, and the summary has %d", seed, n, got[kind], kind, k)
				}
			}
			if (len(c.NotSeen) > 0) && !c.Summary.Incomplete {
				t.Fatalf("seed %d: %+v", seed, c.NotSeen)
			}
			if r.HasNews() != (len(c.Items) > 0 || c.Summary.Incomplete) {
				t.Fatalf("seed %d: news %v with %d items", seed, r.HasNews(), len(c.Items))
			}
			records, _ = history.Advance(records, r.Run())
			since = audit.Since{At: view.CollectedAt, Run: r.Run().ID}
		}
	}
	for _, kind := range []audit.ChangeKind{audit.ChangeNew, audit.ChangeResolved, audit.ChangeUnverified, audit.ChangeVerified} {
		if seen[kind] == 0 {
			t.Errorf("nothing was %s: the test says little", kind)
		}
	}
}
