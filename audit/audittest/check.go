// Package audittest compares an analysis with what a fixture expects of it.
package audittest

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// Resolve analyses a fixture's Snapshot as the product does.
func Resolve(f *inventorytest.Fixture) *identity.Graph {
	grace := f.Grace
	if grace == 0 {
		grace = audit.DefaultGrace
	}
	s := f.Snapshot.Sorted()
	s.Compact()
	return identity.Resolve(s, identity.Options{Grace: grace})
}

// Check fails the test wherever a verdict is not the expected one. It returns the analysis.
func Check(t testing.TB, f *inventorytest.Fixture) *identity.Graph {
	t.Helper()
	g := Resolve(f)
	for id, want := range f.Want {
		sub, err := inventory.ParseSubject(id)
		if err != nil {
			t.Errorf("want: %v", err)
			continue
		}
		e := g.Of(sub)
		if e == nil {
			t.Errorf("%s: the analysis has no entity for it", id)
			continue
		}
		checkVerdict(t, id, e, want)
		for _, other := range want.With {
			o, err := inventory.ParseSubject(other)
			if err != nil {
				t.Errorf("want: with: %v", err)
				continue
			}
			if g.Of(o) != e {
				t.Errorf("%s and %s are two entities, want one", id, other)
			}
		}
	}
	checkReport(t, f)
	return g
}

func checkVerdict(t testing.TB, id string, e *identity.Entity, want inventorytest.Verdict) {
	t.Helper()
	if string(e.Class) != want.Class {
		t.Errorf("%s is %s (%s), want %s; missing %q; evidence:\n%s", id, e.Class, e.Reason, want.Class, e.Missing, List(e.Evidence()))
		return
	}
	if want.Reason != "" && string(e.Reason) != want.Reason {
		t.Errorf("%s is %s for the reason %s, want %s", id, e.Class, e.Reason, want.Reason)
	}
	if want.Confidence != "" && string(e.Confidence) != want.Confidence {
		t.Errorf("%s is %s with confidence %s, want %s", id, e.Class, e.Confidence, want.Confidence)
	}
	if want.Cluster != "" && e.Cluster != want.Cluster {
		t.Errorf("%s belongs to %q, want %q", id, e.Cluster, want.Cluster)
	}
	for _, m := range want.Missing {
		if !slices.ContainsFunc(e.Missing, func(n inventory.Need) bool { return n.String() == m }) {
			t.Errorf("%s names %q as missing, want %q among them", id, e.Missing, m)
		}
	}
	for _, n := range want.Notes {
		if !slices.ContainsFunc(e.Notes, func(s string) bool { return strings.Contains(s, n) }) {
			t.Errorf("%s has the notes %q, want one with %q", id, e.Notes, n)
		}
	}
	for _, r := range want.Rivals {
		if !slices.ContainsFunc(e.Rivals, func(s inventory.Subject) bool { return s.String() == r }) {
			t.Errorf("%s names %v as the other side, want %s among them", id, e.Rivals, r)
		}
	}
}

// checkReport looks at what holds for every report, whatever is in it.
func checkReport(t testing.TB, f *inventorytest.Fixture) {
	t.Helper()
	r := audit.Orphans(f.Snapshot, audit.Options{Grace: f.Grace, All: true})
	if f.Incomplete != nil && r.Summary.Incomplete != *f.Incomplete {
		t.Errorf("the run calls itself incomplete=%v, want %v", r.Summary.Incomplete, *f.Incomplete)
	}
	for i := range r.Findings {
		fd := &r.Findings[i]
		if fd.Title == "" || fd.Remedy == "" || fd.Fingerprint == "" || fd.Confidence == "" {
			t.Errorf("%s %s lacks a title, remedy, fingerprint or confidence: %+v", fd.Rule, fd.Subject.ID, fd)
		}
		if fd.Class == identity.Unknown && len(fd.Missing) > 0 != (fd.Severity == audit.Info) {
			t.Errorf("%s is unknown, lacks %q and is %s: want a warning where nothing is missing", fd.Subject.ID, fd.Missing, fd.Severity)
		}
		if fd.Class == identity.Unknown && len(fd.Missing) > 0 && !r.Summary.Incomplete {
			t.Errorf("%s is unknown and the run calls itself complete", fd.Subject.ID)
		}
	}
}

// List prints evidence, one a line.
func List(evidence []identity.Evidence) string {
	var b strings.Builder
	for _, e := range evidence {
		sign := "+"
		if e.Against {
			sign = "-"
		}
		b.WriteString("  " + sign + " " + string(e.Kind) + " " + string(e.Strength) + " " + e.From.String() + " " + e.To.String() +
			" " + e.Left + " | " + e.Right + " " + e.Note + "\n")
	}
	return b.String()
}
