package rules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestRules walks testdata/RULE: the rule has to fire in each bad fixture and in no good one; edge fixtures say by their
// expectations what comes out instead.
func TestRules(t *testing.T) {
	for _, rule := range rules.All() {
		t.Run(rule.ID, func(t *testing.T) {
			for _, kind := range []string{"bad", "good", "edge"} {
				files, err := filepath.Glob(filepath.Join("testdata", rule.ID, kind+"-*.yaml"))
				if err != nil {
					t.Fatal(err)
				}
				if len(files) < 2 {
					t.Errorf("%d %s fixtures, want two at least", len(files), kind)
				}
				for _, file := range files {
					t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { fixture(t, rule, kind, file) })
				}
			}
		})
	}
}

func fixture(t *testing.T, rule rules.Rule, kind, file string) {
	f, err := inventorytest.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	audittest.Check(t, f)
	expected := false
	for _, v := range f.Want {
		expected = expected || v.Class == string(rule.Class)
	}
	fired := 0
	for _, finding := range audit.Orphans(f.Snapshot, audit.Options{Grace: f.Grace, All: true}).Findings {
		if finding.Rule == rule.ID {
			fired++
		}
	}
	switch {
	case kind == "bad" && (fired == 0 || !expected):
		t.Errorf("%s fired %d times and the fixture expects it: %v; want both", rule.ID, fired, expected)
	case kind == "good" && (fired > 0 || expected):
		t.Errorf("%s fired %d times and the fixture expects it: %v; want neither", rule.ID, fired, expected)
	}
}

// TestEveryFixtureBelongsToARule finds folders that nothing walks.
func TestEveryFixtureBelongsToARule(t *testing.T) {
	known := map[string]bool{}
	for _, r := range rules.All() {
		known[r.ID] = true
	}
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no fixtures")
	}
	for _, file := range files {
		kind, _, _ := strings.Cut(filepath.Base(file), "-")
		if rule := filepath.Base(filepath.Dir(file)); !known[rule] || filepath.Ext(file) != ".yaml" || (kind != "bad" && kind != "good" && kind != "edge") {
			t.Errorf("%s: no test reads it", file)
		}
	}
}

// TestEveryFindingHasOneWholeRule: every class that needs telling has one rule, and rules are whole.
func TestEveryFindingHasOneWholeRule(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for _, r := range rules.All() {
		if r.ID <= last {
			t.Errorf("%s comes after %s", r.ID, last)
		}
		last = r.ID
		if seen[string(r.Class)] {
			t.Errorf("%s: class %s has a rule already", r.ID, r.Class)
		}
		seen[string(r.Class)] = true
		if r.Title == "" || r.Why == "" || r.Remedy == "" || r.Sources == nil || r.Severity.Rank() > 2 {
			t.Errorf("%s is not whole: %+v", r.ID, r)
		}
		if of, ok := rules.Of(r.Class); !ok || of.ID != r.ID {
			t.Errorf("Of(%s) is %s, want %s", r.Class, of.ID, r.ID)
		}
	}
	for _, c := range identity.Classes() {
		if _, ok := rules.Of(c); !ok && c.IsFinding() {
			t.Errorf("class %s is a finding and has no rule", c)
		}
	}
	if rules.Severity("none").Rank() <= rules.Info.Rank() {
		t.Error("a severity that does not exist ranks before one that does")
	}
}
