package adopt_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
)

// ruleCase is one fleet with the findings of one rule that it has to give: none for a good one.
type ruleCase struct {
	name string
	do   change
	want []wanted
	// forced is true if --force renders in spite of the finding; only for what blocks and destroys nothing.
	forced bool
}

// wanted is a finding by the subject's ID and a part of one of its details.
type wanted struct{ subject, detail string }

func find(subject, detail string) []wanted { return []wanted{{subject, detail}} }

// ruleCases are collected from the rules_*_test.go files.
func ruleCases() map[string][]ruleCase {
	out := map[string][]ruleCase{}
	for _, part := range []map[string][]ruleCase{machineCases(), clusterCases(), managementCases(), futureCases(), warningCases()} {
		for id, cases := range part {
			out[id] = append(out[id], cases...)
		}
	}
	return out
}

// TestRules: every rule has two bad cases, two good ones and an edge case at least, and says exactly what they want.
func TestRules(t *testing.T) {
	cases := ruleCases()
	for _, r := range adopt.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			bad, good := 0, 0
			for _, c := range cases[r.ID] {
				if len(c.want) > 0 {
					bad++
				} else {
					good++
				}
				t.Run(c.name, func(t *testing.T) { checkRule(t, r, c) })
			}
			if bad < 2 || good < 2 || bad+good < 5 {
				t.Errorf("%d bad and %d good cases: a rule needs two of each, and an edge case", bad, good)
			}
		})
		delete(cases, r.ID)
	}
	for id := range cases {
		t.Errorf("cases for %s, which is no rule", id)
	}
}

func checkRule(t *testing.T, r adopt.Rule, c ruleCase) {
	s, o := spoiled(c.do)
	p := plan(t, s, o)
	got := ofRule(p, r.ID)
	if len(got) != len(c.want) {
		t.Fatalf("%d findings, want %d: %+v", len(got), len(c.want), got)
	}
	for _, w := range c.want {
		if !slices.ContainsFunc(got, func(f adopt.Finding) bool { return f.Subject.ID == w.subject && detailed(f, w.detail) }) {
			t.Errorf("none is about %s and says %q: %+v", w.subject, w.detail, got)
		}
	}
	for _, f := range got {
		if f.Blocks != r.Blocks || f.Destroys != r.Destroys || f.Title != r.Title || f.Remedy == "" || len(f.Details) == 0 {
			t.Errorf("%+v is not as its rule says", f)
		}
	}
	if len(c.want) > 0 && r.Blocks && p.Ready() {
		t.Error("it blocks, and there is a bundle")
	}
	if !r.Blocks {
		return
	}
	o.Force = true
	forced := plan(t, s, o)
	switch {
	case r.Destroys && c.forced:
		t.Error("the case says that --force overrides what destroys")
	case len(c.want) > 0 && r.Destroys && forced.Ready():
		t.Error("it destroys, and --force renders")
	case len(c.want) > 0 && !r.Destroys && forced.Ready() != c.forced:
		t.Errorf("with --force there is a bundle: %v, want %v (missing %v, blockers %+v)", forced.Ready(), c.forced, forced.Missing, forced.Blockers)
	}
	if forced.Ready() != (forced.Bundle() != nil) || forced.Ready() != forced.Summary.Rendered {
		t.Error("the summary and the bundle disagree")
	}
}

func ofRule(p *adopt.Plan, id string) []adopt.Finding {
	var out []adopt.Finding
	for _, f := range slices.Concat(p.Blockers, p.Warnings) {
		if f.Rule == id {
			out = append(out, f)
		}
	}
	return out
}

func detailed(f adopt.Finding, part string) bool {
	return slices.ContainsFunc(f.Details, func(d string) bool { return strings.Contains(d, part) })
}

// TestWholeHasNothing: what can be adopted as it is has no blocker and no warning, so that a finding of a case is the case's.
func TestWholeHasNothing(t *testing.T) {
	s, o := spoiled(same)
	p := plan(t, s, o)
	ready(t, p)
	if len(p.Blockers)+len(p.Warnings) > 0 {
		t.Errorf("blockers %+v, warnings %+v", p.Blockers, p.Warnings)
	}
}

// TestRuleCatalogue: IDs are unique and say what blocks, and every rule says all of it.
func TestRuleCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range adopt.Rules() {
		if seen[r.ID] {
			t.Errorf("%s is there twice", r.ID)
		}
		seen[r.ID] = true
		if !regexp.MustCompile(`^PXA2\d\d$`).MatchString(r.ID) || r.Title == "" || r.Why == "" || r.Remedy == "" {
			t.Errorf("%s says not all that a rule has to", r.ID)
		}
		if r.Destroys && !r.Blocks {
			t.Errorf("%s destroys and does not block", r.ID)
		}
		if blocks := r.ID < "PXA240"; blocks != r.Blocks {
			t.Errorf("%s: blockers are PXA201 to PXA239, warnings PXA240 and above", r.ID)
		}
	}
	if len(seen) < 28 {
		t.Fatalf("%d rules: the test does not see the catalogue", len(seen))
	}
}
