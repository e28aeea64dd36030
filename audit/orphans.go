package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// Orphans lists what is wrong: orphan VMs, Machines that are no Nodes, ghosts, conflicts, and what has no verdict. With
// opt.All it lists every machine, whatever its class.
func Orphans(s *inventory.Snapshot, opt Options) *OrphanReport {
	r := analyse(s, opt)
	out := &OrphanReport{Envelope: r.envelope(KindOrphanReport), Summary: r.summary()}
	listed := func(e *identity.Entity) bool { return opt.All || e.Class.IsFinding() }
	n := 0
	for i := range r.graph.Entities {
		if listed(&r.graph.Entities[i]) {
			n++
		}
	}
	out.Findings = make([]Finding, 0, n)
	for i := range r.graph.Entities {
		if e := &r.graph.Entities[i]; listed(e) {
			out.Findings = append(out.Findings, *r.finding(e))
		}
	}
	SortFindings(out.Findings)
	out.Summary.Count(out.Findings)
	out.Summary.Incomplete = out.Summary.Incomplete || clusterless(r.s)
	out.ignore(opt.Ignore, r.s)
	return out
}

// SortFindings orders the worst first, then by class, cluster and subject.
func SortFindings(fs []Finding) {
	rank := classRank()
	sortLarge(fs, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.Rank(), b.Severity.Rank()), cmp.Compare(rank[a.Class], rank[b.Class]),
			compareRefs(&a.Subject, &b.Subject))
	})
}

// sortLarge sorts stably by moving pointers: a Finding or Item takes most of a kilobyte, and a stable sort moves each
// many times.
func sortLarge[T any](list []T, compare func(a, b *T) int) {
	order := make([]*T, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortStableFunc(order, compare)
	sorted := make([]T, len(list))
	for i, p := range order {
		sorted[i] = *p
	}
	copy(list, sorted)
}

func classRank() map[identity.Class]int {
	rank := map[identity.Class]int{}
	for i, c := range identity.Classes() {
		rank[c] = i
	}
	return rank
}

func compareRefs(a, b *SubjectRef) int {
	return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.VMID, b.VMID), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// result is one analysis, from which every view is made.
type result struct {
	s     *inventory.Snapshot
	graph *identity.Graph
	grace time.Duration
	// world and waits are made when the first Machine without a Node is asked about.
	world *progress.World
	waits map[string]map[string]*progress.Baton
}

// analyse works on the Snapshot in one order: that in which sources answered never shows.
func analyse(s *inventory.Snapshot, opt Options) *result {
	if opt.Grace == 0 {
		opt.Grace = DefaultGrace
	}
	sorted := s.Ordered()
	sorted.Compact()
	return &result{s: sorted, graph: identity.Resolve(sorted, identity.Options{Grace: opt.Grace}), grace: opt.Grace}
}

func (r *result) envelope(kind string) Envelope {
	coverage := needed(r.s.Coverage, r.graph.Entities)
	if clusterless(r.s) {
		c := noClusters
		c.Optional = kind != KindOrphanReport
		coverage = append([]inventory.Coverage{c}, coverage...)
	}
	return Envelope{FormatVersion: FormatVersion, Kind: kind, GeneratedAt: r.s.CollectedAt.UTC(), Parts: r.s.Parts,
		Coverage: nonNil(coverage), Requests: nonNil(r.s.Requests)}
}

func nonNil[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

func (r *result) summary() Summary {
	sum := Summary{Classes: map[identity.Class]int{}, Severities: map[Severity]int{}, Machines: len(r.s.Machines),
		Nodes: len(r.s.Nodes), Incomplete: len(r.s.Incomplete()) > 0}
	for i := range r.s.VMs {
		if r.s.VMs[i].Type == inventory.GuestQEMU {
			sum.VMs++
		} else {
			sum.Containers++
		}
	}
	for i := range r.graph.Entities {
		sum.Classes[r.graph.Entities[i].Class]++
	}
	for i := range r.graph.Entities {
		if e := &r.graph.Entities[i]; e.Class == identity.Unknown && len(e.Missing) > 0 {
			sum.NoVerdict++
		}
	}
	sum.Incomplete = sum.Incomplete || sum.NoVerdict > 0
	return sum
}

// finding tells about one entity. Classes that no rule is about (managed, template, unrelated) are information.
func (r *result) finding(e *identity.Entity) *Finding {
	rule := ruleOf(e)
	refs := refsOf(r.s, e)
	f := &Finding{Rule: rule.ID, Severity: rule.Severity, Class: e.Class, Subject: refs[0],
		Title: titleOf(rule, e), Evidence: nonNil(e.Evidence()), Confidence: e.Confidence, Holds: holdsOf(r.s, e),
		WaitingFor: r.waitingFor(e), Remedy: remedyOf(rule, e), Missing: e.Missing,
		Fingerprint: r.fingerprint(e, refs[0])}
	f.Others = append(f.Others, refs[1:]...)
	for _, rival := range e.Rivals {
		f.Others = appendRival(f.Others, rival)
	}
	f.Since, f.AgeSeconds = r.since(e)
	f.Status = r.status(e)
	for _, n := range e.Notes {
		f.Title += " (" + n + ")"
	}
	return f
}

// ruleOf is the rule of an entity's class. A verdict that is unknown although every source answered is for a person to
// decide: that is a warning, where one that waits for a source is said by the run being incomplete.
func ruleOf(e *identity.Entity) rules.Rule {
	rule, ok := rules.Of(e.Class)
	if !ok {
		return rules.Rule{Class: e.Class, Severity: Info, Title: verdictOf(e), Remedy: "Nothing."}
	}
	if e.Class == identity.Unknown && len(e.Missing) == 0 {
		rule.Severity = Warning
	}
	return rule
}

func appendRival(refs []SubjectRef, s inventory.Subject) []SubjectRef {
	id := s.String()
	for _, r := range refs {
		if r.ID == id {
			return refs
		}
	}
	return append(refs, rivalRef(s))
}
