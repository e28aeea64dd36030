package history_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit/history"
)

func night(n int) time.Time { return time.Date(2026, 5, n, 2, 0, 0, 0, time.UTC) }

func finding(id string) history.Finding {
	return history.Finding{Fingerprint: id, Rule: "PXA101", Severity: "critical", Class: "orphan-vm", Subject: "vm/dc1/" + id, Key: "key-" + id, Title: "orphan"}
}

// one night: what is there, and what could not be looked at.
type looked struct {
	there, blind []string
}

func (l looked) run(n int) history.Run {
	r := history.Run{At: night(n), ID: night(n).String()}
	for _, id := range l.there {
		r.Findings = append(r.Findings, finding(id))
	}
	r.Settled = func(f history.Record) (bool, string) {
		for _, id := range l.blind {
			if f.Fingerprint == id {
				return false, "its site did not answer"
			}
		}
		return true, "it is gone"
	}
	return r
}

// TestAdvance is the life of one finding over some nights, and what each night says of it.
func TestAdvance(t *testing.T) {
	there, gone, blind := looked{there: []string{"1"}}, looked{}, looked{blind: []string{"1"}}
	for name, tt := range map[string]struct {
		nights  []looked
		changes []history.Change
		want    history.Record
	}{
		"seen once": {[]looked{there}, []history.Change{history.New},
			history.Record{State: history.Open, FirstSeen: night(1), LastSeen: night(1), Runs: 1}},
		"still there": {[]looked{there, there, there}, []history.Change{history.New, "", ""},
			history.Record{State: history.Open, FirstSeen: night(1), LastSeen: night(3), Runs: 3}},
		"resolved": {[]looked{there, there, gone}, []history.Change{history.New, "", history.Gone},
			history.Record{State: history.Resolved, FirstSeen: night(1), LastSeen: night(2), Runs: 2, ResolvedAt: at(3), Why: "it is gone"}},
		"resolved is said once": {[]looked{there, gone, gone}, []history.Change{history.New, history.Gone, ""},
			history.Record{State: history.Resolved, FirstSeen: night(1), LastSeen: night(1), Runs: 1, ResolvedAt: at(2), Why: "it is gone"}},
		"a source that does not answer resolves nothing": {[]looked{there, blind}, []history.Change{history.New, history.Unseen},
			history.Record{State: history.Unverified, FirstSeen: night(1), LastSeen: night(1), Runs: 1, UnverifiedSince: at(2), Why: "its site did not answer"}},
		"unverified since the first such night": {[]looked{there, blind, blind}, []history.Change{history.New, history.Unseen, ""},
			history.Record{State: history.Unverified, FirstSeen: night(1), LastSeen: night(1), Runs: 1, UnverifiedSince: at(2), Why: "its site did not answer"}},
		"verified again": {[]looked{there, blind, there}, []history.Change{history.New, history.Unseen, history.Seen},
			history.Record{State: history.Open, FirstSeen: night(1), LastSeen: night(3), Runs: 2}},
		"resolved after it was unverified": {[]looked{there, blind, gone}, []history.Change{history.New, history.Unseen, history.Gone},
			history.Record{State: history.Resolved, FirstSeen: night(1), LastSeen: night(1), Runs: 1, ResolvedAt: at(3), Why: "it is gone"}},
		"what is resolved stays so whatever answers": {[]looked{there, gone, blind}, []history.Change{history.New, history.Gone, ""},
			history.Record{State: history.Resolved, FirstSeen: night(1), LastSeen: night(1), Runs: 1, ResolvedAt: at(2), Why: "it is gone"}},
		"reopened": {[]looked{there, gone, there, gone, there}, []history.Change{history.New, history.Gone, history.Reopened, history.Gone, history.Reopened},
			history.Record{State: history.Open, FirstSeen: night(1), LastSeen: night(5), Runs: 3, Reopened: 2, ReopenedAt: at(5)}},
	} {
		t.Run(name, func(t *testing.T) {
			var records []history.Record
			for i, n := range tt.nights {
				var changes []history.Changed
				records, changes = history.Advance(records, n.run(i+1))
				var got history.Change
				if len(changes) > 0 {
					got = changes[0].Change
				}
				if len(changes) > 1 || got != tt.changes[i] {
					t.Errorf("night %d says %v, want %q", i+1, changes, tt.changes[i])
				}
			}
			tt.want.Finding = finding("1")
			if diff := cmp.Diff([]history.Record{tt.want}, records); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func at(n int) *time.Time { t := night(n); return &t }

// TestOrderNeverMatters: findings and records in any order, and twice, are the same run.
func TestOrderNeverMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	first := looked{there: []string{"1", "2", "3", "4", "5"}}
	second := looked{there: []string{"5", "6", "1", "7"}, blind: []string{"2", "3"}}
	records, _ := history.Advance(nil, first.run(1))
	want, wantChanges := history.Advance(records, second.run(2))
	if len(wantChanges) != 5 {
		t.Fatalf("the second night says %d things, want 5: %v", len(wantChanges), wantChanges)
	}
	for range 50 {
		run := second.run(2)
		run.Findings = append(run.Findings, run.Findings[rng.IntN(len(run.Findings))])
		rng.Shuffle(len(run.Findings), func(i, j int) { run.Findings[i], run.Findings[j] = run.Findings[j], run.Findings[i] })
		rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		got, changes := history.Advance(records, run)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("records: %s", diff)
		}
		if diff := cmp.Diff(wantChanges, changes); diff != "" {
			t.Fatalf("changes: %s", diff)
		}
	}
}

// TestNothingIsLost: whatever the nights bring, each finding that was ever seen has one record.
func TestNothingIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ids := []string{"1", "2", "3", "4", "5", "6"}
	var records []history.Record
	ever := map[string]int{}
	for n := range 200 {
		var l looked
		for _, id := range ids {
			switch rng.IntN(3) {
			case 0:
				l.there = append(l.there, id)
				ever[id]++
			case 1:
				l.blind = append(l.blind, id)
			}
		}
		run := l.run(1)
		run.At = night(1).Add(time.Duration(n) * time.Hour)
		records, _ = history.Advance(records, run)
		if len(records) != len(ever) {
			t.Fatalf("night %d: %d records of %d findings", n, len(records), len(ever))
		}
		for _, r := range records {
			if r.Runs != ever[r.Fingerprint] || (r.State == history.Resolved) != (r.ResolvedAt != nil) || (r.State == history.Unverified) != (r.UnverifiedSince != nil) {
				t.Fatalf("night %d: %+v, seen %d times", n, r, ever[r.Fingerprint])
			}
		}
	}
}
