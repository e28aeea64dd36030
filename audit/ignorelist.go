package audit

import (
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit/ignore"
)

// KindIgnoreList is the kind of an IgnoreList's JSON form.
const KindIgnoreList = "IgnoreList"

// IgnoreState is how a rule stands.
type IgnoreState string

// The states.
const (
	IgnoreInForce IgnoreState = "in-force"
	// IgnoreExpired hides nothing any more.
	IgnoreExpired IgnoreState = "expired"
	// IgnoreUnused is about nothing that there is.
	IgnoreUnused IgnoreState = "unused"
)

// IgnoreList is the result of `ignore list`.
type IgnoreList struct {
	FormatVersion string    `json:"formatVersion"`
	Kind          string    `json:"kind"`
	GeneratedAt   time.Time `json:"generatedAt"`
	IgnoreFile    string    `json:"ignoreFile"`
	Items         []Ignore  `json:"items"`
}

// Ignore is one rule of it.
type Ignore struct {
	IgnoreRule
	State IgnoreState `json:"state"`
	Rule  string      `json:"rule,omitempty"`
	// About is the fingerprint with its subject, or the selector, for a person.
	About       string `json:"about"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// Findings is how many findings it is about; nil where no Snapshot was looked at.
	Findings *int `json:"findings,omitempty"`
}

// NewIgnoreList says how the rules stand at a time.
func NewIgnoreList(set *ignore.Set, at time.Time) *IgnoreList {
	l := &IgnoreList{FormatVersion: FormatVersion, Kind: KindIgnoreList, GeneratedAt: at.UTC(), IgnoreFile: set.File, Items: []Ignore{}}
	for i := range set.Rules {
		r := &set.Rules[i]
		it := Ignore{IgnoreRule: *ruleAsTold(r), State: IgnoreInForce, Rule: r.Rule, Fingerprint: r.Fingerprint, About: about(r)}
		if !r.Holds(at) {
			it.State = IgnoreExpired
		}
		l.Items = append(l.Items, it)
	}
	return l
}

// Look adds what the rules are about in a report that was made with them.
func (l *IgnoreList) Look(r *Report) {
	findings := map[int]int{}
	for i := range r.Ignored {
		findings[r.Ignored[i].Ignore.Line]++
	}
	for i := range r.Findings {
		if e := r.Findings[i].IgnoreExpired; e != nil {
			findings[e.Line]++
		}
	}
	unused := map[int]bool{}
	for i := range r.UnusedIgnores {
		unused[r.UnusedIgnores[i].Line] = r.UnusedIgnores[i].Unseen == ""
	}
	for i := range l.Items {
		n := findings[l.Items[i].Line]
		l.Items[i].Findings = &n
		if unused[l.Items[i].Line] {
			l.Items[i].State = IgnoreUnused
		}
	}
}

// about is what a rule chooses, in words.
func about(r *ignore.Rule) string {
	if r.Fingerprint != "" {
		return strings.TrimSpace(r.Subject + " " + r.Fingerprint)
	}
	var parts []string
	for _, p := range []struct {
		name   string
		values []string
	}{{"sites", r.Selector.Sites}, {"clusters", r.Selector.Clusters}, {"namespaces", r.Selector.Namespaces}, {"names", nonEmpty(r.Selector.Names)}, {"vmids", r.Selector.VMIDs}} {
		if len(p.values) > 0 {
			parts = append(parts, p.name+" "+strings.Join(p.values, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
