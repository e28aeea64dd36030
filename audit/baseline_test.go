package audit_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestBaseline: what is read back of a report is what a history has after it, and orphans' form gives the same of a first
// run.
func TestBaseline(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		s := inventorytest.Random(rand.New(rand.NewPCG(seed, 41)))
		report := audit.NewReport(s, audit.Options{})
		want, _ := history.Advance(nil, report.Run())
		found += len(want)
		for name, value := range map[string]any{"report": report, "orphans": audit.Orphans(s, audit.Options{}), "orphans --all": audit.Orphans(s, audit.Options{All: true})} {
			data, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			got, since, err := audit.ReadBaseline(data)
			if err != nil || !since.At.Equal(report.GeneratedAt) || since.MachinesOnly == (name == "report") {
				t.Fatalf("seed %d, %s: %v, %+v", seed, name, err, since)
			}
			want := slices.DeleteFunc(slices.Clone(want), func(r history.Record) bool { return since.MachinesOnly && r.Class == string(rules.Stuck) })
			// What tells a source from another of its name is in a report only.
			marks := cmp.FilterPath(func(p cmp.Path) bool { return since.MachinesOnly && p.Last().String() == ".Marks" }, cmp.Ignore())
			if diff := cmp.Diff(want, got, marks, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d, %s (-history +baseline):\n%s", seed, name, diff)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d findings", found)
	}
}

// TestBaselineGoesOn: a report that was compared carries what it knows to the next one.
func TestBaselineGoesOn(t *testing.T) {
	s := strayed(t)
	first := audit.NewReport(s, audit.Options{})
	records, _ := history.Advance(nil, first.Run())
	records[0].FirstSeen, records[0].Runs = night(1), 9
	gone := records[0]
	gone.Fingerprint, gone.Key, gone.Subject, gone.State = "f2", "k2", "vm/elsewhere/200", history.Unverified
	first.Compare(append(records, gone), audit.Since{At: night(2)})
	data, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := audit.ReadBaseline(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Runs != 10 || !got[0].FirstSeen.Equal(night(1)) || got[1].State != history.Unverified || got[1].Fingerprint != "f2" {
		t.Errorf("%+v", got)
	}
}

func TestBaselineRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":   "it is no report in JSON",
		"[]": "it is no report in JSON",
		"{}": "it is no result of proxaudit",
		`{"formatVersion": "proxaudit/v2", "kind": "Report"}`:                                                                          `its format is "proxaudit/v2"`,
		`{"formatVersion": "proxaudit/v1", "kind": "Inventory"}`:                                                                       "it is a result of the kind Inventory",
		`{"formatVersion": "proxaudit/v1", "kind": "OrphanReport", "summary": {"hidden": 3}}`:                                          "a filter was at work",
		`{"formatVersion": "proxaudit/v1", "kind": "Report"}`:                                                                          "it does not say when it was made",
		`{"formatVersion": "proxaudit/v1", "kind": "Report", "generatedAt": "2026-05-01T00:00:00Z", "findings": [{"rule": "PXA101"}]}`: "findings[0] has no fingerprint or subject",
	} {
		if _, _, err := audit.ReadBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
