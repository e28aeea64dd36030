package ignore

import (
	"fmt"
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// Set is the rules of a file, ready to be asked.
type Set struct {
	// File is its name.
	File  string
	Rules []Rule

	byFingerprint map[string]int
	selectors     []int
}

// Bad is a Problem with the number of its rule.
type Bad struct {
	// Rule counts from 0.
	Rule int
	Problem
}

// New checks the rules of a file. The Set is nil if one of them has a problem.
func New(file string, list []Rule) (*Set, []Bad) {
	s := &Set{File: file, Rules: slices.Clone(list), byFingerprint: map[string]int{}}
	var bad []Bad
	for i := range s.Rules {
		r := &s.Rules[i]
		for _, p := range r.prepare() {
			bad = append(bad, Bad{Rule: i, Problem: p})
		}
		if r.Fingerprint == "" {
			s.selectors = append(s.selectors, i)
			continue
		}
		if first, twice := s.byFingerprint[r.Fingerprint]; twice {
			bad = append(bad, Bad{Rule: i, Problem: Problem{Field: "fingerprint", Msg: fmt.Sprintf("has a rule already, on line %d: one finding has one", s.Rules[first].Line)}})
			continue
		}
		s.byFingerprint[r.Fingerprint] = i
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return s, nil
}

// Finding is what rules look at.
type Finding struct {
	Fingerprint, Rule string
	// Critical findings are ignored by their fingerprint only.
	Critical bool
	Kind     string
	Site     string
	Cluster  string
	// Namespace is that of a Machine or ProxmoxMachine.
	Namespace string
	Name      string
	VMID      int
}

// Matches are the numbers of all rules that are about a finding, in force or not, in the order of the file; the finding's own
// comes first.
func (s *Set) Matches(f *Finding) []int {
	var out []int
	if i, ok := s.byFingerprint[f.Fingerprint]; ok && (s.Rules[i].Rule == "" || s.Rules[i].Rule == f.Rule) {
		out = append(out, i)
	}
	for _, i := range s.selectors {
		if s.Rules[i].selects(f) {
			out = append(out, i)
		}
	}
	return out
}

// Verdict is what a Set says of a finding at a time: the rule that hides it, or else the one that did so last and has expired.
// Both are -1 if no rule is about it.
func (s *Set) Verdict(matches []int, at time.Time) (holds, expired int) {
	holds, expired = -1, -1
	for _, i := range matches {
		switch r := &s.Rules[i]; {
		case r.Holds(at):
			return i, -1
		case expired < 0 || r.until.After(s.Rules[expired].until):
			expired = i
		}
	}
	return holds, expired
}

func (r *Rule) selects(f *Finding) bool {
	s := &r.Selector
	switch {
	case f.Critical || r.Rule != f.Rule:
		return false
	case !fits(s.Sites, f.Site) || !fits(s.Clusters, f.Cluster) || !fits(s.Namespaces, f.Namespace):
		return false
	case len(s.VMIDs) > 0 && f.Kind != inventory.SubjectVM:
		return false
	case s.Names == "" && len(s.VMIDs) == 0:
		return true
	}
	_, m := r.names.Match(&inventory.VM{Name: f.Name, VMID: f.VMID})
	return m == identity.Matches
}

func fits(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }
