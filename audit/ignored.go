package audit

import (
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// Ignores is what ignore rules have done to a list of findings. Without rules all of it is nil.
type Ignores struct {
	// IgnoreFile is the name of the file that has them.
	IgnoreFile string `json:"ignoreFile,omitempty"`
	// Ignored are the findings that a rule in force is about. They are counted nowhere else.
	Ignored []IgnoredFinding `json:"ignored,omitzero"`
	// IgnoredRecords are findings of earlier runs that are unverified or resolved now, and that a rule in force is about.
	IgnoredRecords []IgnoredRecord `json:"ignoredRecords,omitzero"`
	// UnusedIgnores are the rules that are about nothing that was found.
	UnusedIgnores []UnusedIgnore `json:"unusedIgnores,omitzero"`
}

// IgnoreRule is a rule as results tell it.
type IgnoreRule struct {
	// Line is where it stands in IgnoreFile.
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Owner  string `json:"owner"`
	// Expires is as in the file, and ExpiresAt the moment that it stands for; nil for never.
	Expires   string     `json:"expires"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// IgnoredFinding is a Finding with the rule that hides it. Key and History are as in ReportFinding.
type IgnoredFinding struct {
	Finding
	Key     string     `json:"key,omitempty"`
	History *Life      `json:"history,omitempty"`
	Ignore  IgnoreRule `json:"ignore"`
}

// IgnoredRecord is a Record with the rule that hides it.
type IgnoredRecord struct {
	history.Record
	Ignore IgnoreRule `json:"ignore"`
}

// UnusedIgnore is a rule that is about nothing that the run has found.
type UnusedIgnore struct {
	IgnoreRule
	Rule        string `json:"rule,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Subject     string `json:"subject,omitempty"`
	// Expired is true if it would hide nothing anyway.
	Expired bool `json:"expired,omitempty"`
	// Unseen says what was not seen, so that the rule may be about something after all; empty if it is not needed.
	Unseen string `json:"unseen,omitempty"`
}

// ExpiredIgnore is the note on a finding that a rule has hidden and that is back.
type ExpiredIgnore struct {
	IgnoreRule
	// Back is true in the first run that was compared with one in which the rule still held.
	Back bool `json:"back,omitempty"`
}

// ignoring is a Set of rules at work on one run. It is nil without rules.
type ignoring struct {
	set  *ignore.Set
	s    *inventory.Snapshot
	at   time.Time
	used []bool
	// machinesOnly is true for a run that has no findings about clusters: orphans.
	machinesOnly bool
}

// with starts the rules of a run, and what they tell. Both are nil and empty without rules.
func with(set *ignore.Set, s *inventory.Snapshot) (*ignoring, Ignores) {
	if set == nil {
		return nil, Ignores{}
	}
	g := &ignoring{set: set, s: s, at: s.CollectedAt.UTC(), used: make([]bool, len(set.Rules))}
	return g, Ignores{IgnoreFile: set.File, Ignored: []IgnoredFinding{}, UnusedIgnores: []UnusedIgnore{}}
}

// hides returns the rule that hides a finding; nil if none does. Where one did so until it expired, the finding says it.
func (g *ignoring) hides(f *Finding) *IgnoreRule {
	if !f.Class.IsFinding() && f.Severity == Info {
		return nil
	}
	ref := &f.Subject
	sub := ignore.Finding{Fingerprint: f.Fingerprint, Rule: f.Rule, Critical: f.Severity == Critical, Kind: ref.Kind, Site: ref.Site, Cluster: ref.Cluster,
		Namespace: ref.Namespace, Name: ref.Name, VMID: ref.VMID}
	holds, expired := g.verdict(&sub)
	if expired != nil {
		f.IgnoreExpired = &ExpiredIgnore{IgnoreRule: *expired}
		f.Title += " (an ignore rule for it has expired)"
	}
	return holds
}

// hidesRecord is hides for a finding that the run does not have.
func (g *ignoring) hidesRecord(r *history.Record) *IgnoreRule {
	f := ignore.Finding{Fingerprint: r.Fingerprint, Rule: r.Rule, Critical: r.Severity == string(rules.Critical), Site: r.Site, Cluster: r.Cluster, Name: r.Name}
	sub, err := inventory.ParseSubject(r.Subject)
	if err == nil {
		f.Kind = sub.Kind
		switch sub.Kind {
		case inventory.SubjectVM:
			f.VMID = rivalRef(sub).VMID
		case inventory.SubjectMachine, inventory.SubjectProxmoxMachine:
			f.Namespace = sub.Scope
		}
	}
	matches := g.set.Matches(&f)
	holds, _ := g.set.Verdict(matches, g.at)
	if r.State != history.Resolved {
		g.use(matches)
	}
	return g.rule(holds)
}

func (g *ignoring) verdict(f *ignore.Finding) (holds, expired *IgnoreRule) {
	if f.Kind == inventory.SubjectCluster && f.Cluster == "" {
		f.Cluster = f.Name
	}
	matches := g.set.Matches(f)
	g.use(matches)
	h, e := g.set.Verdict(matches, g.at)
	return g.rule(h), g.rule(e)
}

func (g *ignoring) use(matches []int) {
	for _, i := range matches {
		g.used[i] = true
	}
}

// rule is one of the Set as results tell it; nil for -1.
func (g *ignoring) rule(i int) *IgnoreRule {
	if i < 0 {
		return nil
	}
	return ruleAsTold(&g.set.Rules[i])
}

func ruleAsTold(r *ignore.Rule) *IgnoreRule {
	out := &IgnoreRule{Line: r.Line, Reason: r.Reason, Owner: r.Owner, Expires: r.Expires}
	if until := r.Until(); !until.IsZero() {
		out.ExpiresAt = &until
	}
	return out
}

// split takes out of a list what rules hide.
func split[T any](g *ignoring, list []T, finding func(*T) *Finding, ignored func(*T, *IgnoreRule)) []T {
	kept := make([]T, 0, len(list))
	for i := range list {
		if rule := g.hides(finding(&list[i])); rule != nil {
			ignored(&list[i], rule)
			continue
		}
		kept = append(kept, list[i])
	}
	return kept
}

// ignore applies rules to the list of orphans, and counts again.
func (r *OrphanReport) ignore(set *ignore.Set, s *inventory.Snapshot) {
	g, out := with(set, s)
	if g == nil {
		return
	}
	g.machinesOnly = true
	r.Findings = split(g, r.Findings, func(f *Finding) *Finding { return f }, func(f *Finding, rule *IgnoreRule) {
		out.Ignored = append(out.Ignored, IgnoredFinding{Finding: *f, Ignore: *rule})
	})
	out.UnusedIgnores = g.unused()
	r.Ignores = out
	r.Summary.Count(r.Findings)
	r.Summary.countIgnores(&r.Ignores)
}

// ignore applies rules to the report, and counts again. What history is told stays as it was: a rule resolves nothing.
func (r *Report) ignore(set *ignore.Set, s *inventory.Snapshot) {
	g, out := with(set, s)
	if g == nil {
		return
	}
	out.IgnoredRecords = []IgnoredRecord{}
	r.Findings = split(g, r.Findings, func(f *ReportFinding) *Finding { return &f.Finding }, func(f *ReportFinding, rule *IgnoreRule) {
		out.Ignored = append(out.Ignored, IgnoredFinding{Finding: f.Finding, Key: f.Key, Ignore: *rule})
	})
	out.UnusedIgnores = g.unused()
	r.ignoring, r.Ignores = g, out
	listed := make([]Finding, len(r.Findings))
	for i := range r.Findings {
		listed[i] = r.Findings[i].Finding
	}
	r.Summary.Count(listed)
	r.Summary.countIgnores(&r.Ignores)
}

// countIgnores sets what a summary says of them.
func (s *Summary) countIgnores(ig *Ignores) {
	s.Ignored, s.UnusedIgnores = len(ig.Ignored), 0
	for i := range ig.UnusedIgnores {
		if ig.UnusedIgnores[i].Unseen == "" {
			s.UnusedIgnores++
		}
	}
}
