package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
)

func night(n int) time.Time {
	return time.Date(2026, 5, 1, 2, 0, 0, 0, time.UTC).AddDate(0, 0, n-1)
}

// of is a run that has seen these findings, and settles the others but the blind ones.
func of(n int, there string, blind ...string) history.Run {
	r := history.Run{At: night(n), ID: fmt.Sprintf("run-%d", n), Read: []history.Source{{Name: "site/dc1", Scopes: []string{"guests"}, Marks: []string{"host:pve1"}},
		{Name: fmt.Sprintf("site/of-%d", n), Scopes: []string{"guests"}}}}
	for _, id := range strings.Fields(there) {
		r.Findings = append(r.Findings, history.Finding{Fingerprint: id, Rule: "PXA101", Severity: "critical", Subject: "vm/dc1/" + id, Key: "k" + id, Title: "an orphan"})
	}
	r.Settled = func(f history.Record) (bool, string) {
		for _, b := range blind {
			if b == f.Fingerprint {
				return false, "not looked at"
			}
		}
		return true, "it is gone"
	}
	return r
}

func kept(r history.Run) history.Kept {
	return history.Kept{ID: r.ID, At: r.At, Findings: len(r.Findings), Critical: len(r.Findings), Classes: map[string]int{"orphan-vm": len(r.Findings)},
		Coverage: []inventory.Coverage{{Source: "site/dc1", Scope: "guests", State: inventory.Partial, Reason: "no right"}}}
}

func opened(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func record(t *testing.T, s *Store, r history.Run) {
	t.Helper()
	if added, err := s.Record(t.Context(), r, kept(r)); err != nil || !added {
		t.Fatalf("%s: added %v, %v", r.ID, added, err)
	}
}

// TestKeeps: what comes back is what Advance made, over a file that was closed in between.
func TestKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	runs := []history.Run{of(1, "a b c"), of(2, "b", "c"), of(3, "a b d", "c")}
	var want []history.Record
	for _, r := range runs {
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		record(t, s, r)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		want, _ = history.Advance(want, r)
	}
	s := opened(t, path)
	got, newest, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	wantRun := kept(runs[2])
	if diff := cmp.Diff(&wantRun, newest); diff != "" {
		t.Errorf("newest run (-want +got):\n%s", diff)
	}
	rec, events, matches, err := s.Life(t.Context(), "a")
	if err != nil || rec == nil || rec.Reopened != 1 || len(matches) != 1 {
		t.Fatalf("life of a: %+v, %v, %v", rec, matches, err)
	}
	wantEvents := []history.Event{{At: night(1), Change: history.New}, {At: night(2), Change: history.Gone, Why: "it is gone"}, {At: night(3), Change: history.Reopened}}
	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("events of a (-want +got):\n%s", diff)
	}
	if rec, _, matches, err = s.Life(t.Context(), ""); err != nil || rec != nil || len(matches) != 4 {
		t.Errorf("a prefix of all: %v, %v, %v", rec, matches, err)
	}
	if rec, _, matches, err = s.Life(t.Context(), "zz"); err != nil || rec != nil || len(matches) != 0 {
		t.Errorf("a prefix of none: %v, %v, %v", rec, matches, err)
	}
	if all, err := s.Runs(t.Context(), 2); err != nil || len(all) != 2 || all[0].ID != "run-3" {
		t.Errorf("runs: %v, %v", all, err)
	}
}

// TestTheSameRunTwice counts once, and an older one is refused: nothing is changed by either.
func TestTheSameRunTwice(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "history.db"))
	record(t, s, of(1, "a"))
	record(t, s, of(3, "a b"))
	before, _, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []history.Run{of(3, "a b"), of(1, "a")} {
		if added, err := s.Record(t.Context(), r, kept(r)); err != nil || added {
			t.Errorf("%s again: added %v, %v", r.ID, added, err)
		}
	}
	r := of(2, "")
	var older *OlderError
	if added, err := s.Record(t.Context(), r, kept(r)); !errors.As(err, &older) || added {
		t.Errorf("an older run: added %v, %v", added, err)
	}
	after, _, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the records changed:\n%s", diff)
	}
}

// TestTwoAtOnce: stores over one file, each with runs of its own: every run is counted once. The order is that of the
// lock, so that all have the same time.
func TestTwoAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	const writers, each = 4, 10
	var wait sync.WaitGroup
	errs := make(chan error, writers)
	for w := range writers {
		wait.Go(func() {
			s, err := Open(context.Background(), path)
			if err != nil {
				errs <- err
				return
			}
			for i := range each {
				r := of(1, "a b")
				r.ID = fmt.Sprintf("run-%d-%d", w, i)
				// Another one has the same run, too.
				for range 2 {
					if _, err := s.Record(context.Background(), r, kept(r)); err != nil {
						errs <- err
					}
				}
			}
			errs <- s.Close()
		})
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	s := opened(t, path)
	records, _, err := s.Load(t.Context())
	if err != nil || len(records) != 2 || records[0].Runs != writers*each {
		t.Errorf("records %+v, %v; want 2 with %d runs", records, err, writers*each)
	}
	if runs, err := s.Runs(t.Context(), 0); err != nil || len(runs) != writers*each {
		t.Errorf("%d runs, %v, want %d", len(runs), err, writers*each)
	}
}

// TestPrune forgets old runs and what was resolved long ago, and nothing that is open or unverified, however old.
func TestPrune(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "history.db"))
	record(t, s, of(1, "open unseen old recent"))
	record(t, s, of(2, "open recent", "unseen"))
	record(t, s, of(8, "open", "unseen"))
	if err := s.Prune(t.Context(), night(5)); err != nil {
		t.Fatal(err)
	}
	records, newest, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]history.State{}
	for _, r := range records {
		states[r.Fingerprint] = r.State
	}
	if diff := cmp.Diff(map[string]history.State{"open": history.Open, "unseen": history.Unverified, "recent": history.Resolved}, states); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if newest == nil || newest.ID != "run-8" {
		t.Errorf("the newest run is %+v", newest)
	}
	// The newest run stays however old it is.
	if err := s.Prune(t.Context(), night(100)); err != nil {
		t.Fatal(err)
	}
	if runs, err := s.Runs(t.Context(), 0); err != nil || len(runs) != 1 {
		t.Errorf("runs: %v, %v", runs, err)
	}
	if records, _, err = s.Load(t.Context()); err != nil || len(records) != 2 {
		t.Errorf("records: %v, %v", records, err)
	}
}
