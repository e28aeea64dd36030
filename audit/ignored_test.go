package audit_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/inventory"
)

// randomRules are some about findings that a report has, some about others like them, some that have expired.
func randomRules(rng *rand.Rand, r *audit.Report) []ignore.Rule {
	var out []ignore.Rule
	for i := range r.Findings {
		f := &r.Findings[i]
		rule := ignore.Rule{Reason: "r", Owner: "o", Expires: []string{ignore.Never, "2100-01-01", "2000-01-01"}[rng.IntN(3)]}
		switch rng.IntN(4) {
		case 0:
			rule.Fingerprint = f.Fingerprint
		case 1:
			if f.Severity == audit.Critical || f.Subject.Cluster == "" {
				continue
			}
			rule.Rule, rule.Selector = f.Rule, ignore.Selector{Clusters: []string{f.Subject.Cluster}}
		case 2:
			if f.Severity == audit.Critical || f.Subject.Site == "" {
				continue
			}
			rule.Rule, rule.Selector = f.Rule, ignore.Selector{Sites: []string{f.Subject.Site}, Names: "[a-m].*"}
		default:
			continue
		}
		out = append(out, rule)
	}
	return out
}

func setOf(t *testing.T, rules []ignore.Rule) *ignore.Set {
	t.Helper()
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Line = i + 1
	}
	set, bad := ignore.New("ignore.yaml", rules)
	if len(bad) > 0 {
		t.Fatalf("%+v", bad)
	}
	return set
}

// TestRulesOnlyHide: whatever the rules are, each finding is listed or ignored, once; what was looked at, what was not seen and what
// history is told does not change; and in which order rules and objects stand does not either.
func TestRulesOnlyHide(t *testing.T) {
	hidden, back, incomplete := 0, 0, 0
	fleets(200, func(seed uint64, s *inventory.Snapshot) {
		rng := rand.New(rand.NewPCG(seed, 31))
		plain := audit.NewReport(s, audit.Options{})
		rules := randomRules(rng, plain)
		r := audit.NewReport(s, audit.Options{Ignore: setOf(t, rules)})
		if d := cmp.Diff(plain.Coverage, r.Coverage); d != "" || r.Summary.Incomplete != plain.Summary.Incomplete || r.Summary.NoVerdict != plain.Summary.NoVerdict {
			t.Fatalf("seed %d: rules change what was seen: %s", seed, d)
		}
		if d := cmp.Diff(plain.Run().Findings, r.Run().Findings); d != "" {
			t.Fatalf("seed %d: rules change what history is told: %s", seed, d)
		}
		if got, want := append(printsOf(r.Findings), ignoredPrints(r)...), printsOf(plain.Findings); !slices.Equal(sorted(got), sorted(want)) {
			t.Fatalf("seed %d: %d findings listed and ignored, want %d", seed, len(got), len(want))
		}
		severities := 0
		for _, n := range r.Summary.Severities {
			severities += n
		}
		if r.Summary.Findings != len(r.Findings) || severities != len(r.Findings) || r.Summary.Ignored != len(r.Ignored) {
			t.Fatalf("seed %d: the counts are not those of the lists: %+v", seed, r.Summary)
		}
		hidden += len(r.Ignored)
		for i := range r.Findings {
			if r.Findings[i].IgnoreExpired != nil {
				back++
			}
		}
		if r.Summary.Incomplete {
			incomplete++
		}
		mixed := slices.Clone(rules)
		shuffle(rng, mixed)
		if again := audit.NewReport(s, audit.Options{Ignore: setOf(t, mixed)}); !slices.Equal(ignoredPrints(again), ignoredPrints(r)) {
			t.Fatalf("seed %d: the order of the rules changes what they hide", seed)
		}
		if a, b := asJSON(t, r), asJSON(t, audit.NewReport(shuffled(s, rng), audit.Options{Ignore: setOf(t, rules)})); !bytes.Equal(a, b) {
			t.Fatalf("seed %d: the order of the objects shows", seed)
		}
	})
	if hidden < 50 || back < 50 || incomplete < 50 {
		t.Errorf("%d findings hidden, %d back, %d runs incomplete: the test says nothing", hidden, back, incomplete)
	}
}

// TestRulesAreNoNews: a rule that comes resolves nothing, and one that goes makes nothing new.
func TestRulesAreNoNews(t *testing.T) {
	hidden := 0
	fleets(100, func(seed uint64, s *inventory.Snapshot) {
		rng := rand.New(rand.NewPCG(seed, 32))
		plain := audit.NewReport(s, audit.Options{})
		set := setOf(t, randomRules(rng, plain))
		hidden += len(audit.NewReport(s, audit.Options{Ignore: set}).Ignored)
		records, _ := history.Advance(nil, plain.Run())
		for _, opt := range []audit.Options{{Ignore: set}, {}} {
			// The next night finds the same.
			next := *s
			next.CollectedAt = next.CollectedAt.Add(time.Second)
			r := audit.NewReport(&next, opt)
			r.Compare(records, audit.Since{At: s.CollectedAt, Run: "another"})
			if r.Summary.Changes.Any() {
				t.Fatalf("seed %d: %+v", seed, r.Summary.Changes)
			}
			records, _ = history.Advance(records, r.Run())
		}
	})
	if hidden < 20 {
		t.Errorf("%d findings hidden: the test says nothing", hidden)
	}
}

func printsOf(findings []audit.ReportFinding) []string {
	var out []string
	for i := range findings {
		out = append(out, findings[i].Fingerprint)
	}
	return out
}

func ignoredPrints(r *audit.Report) []string {
	var out []string
	for i := range r.Ignored {
		out = append(out, r.Ignored[i].Fingerprint)
	}
	return out
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
