package audit

import (
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
)

// KindReportChanges is the kind of a ReportChanges' JSON form.
const KindReportChanges = "ReportChanges"

// ReportChanges is what a run has to tell that the run before it had not: what `report --notify-url-file` posts.
type ReportChanges struct {
	FormatVersion string `json:"formatVersion"`
	Kind          string `json:"kind"`
	// GeneratedAt equals the Snapshot's CollectedAt.
	GeneratedAt time.Time `json:"generatedAt"`
	// Run is the same for two runs over one Snapshot, and for no others.
	Run string `json:"run"`
	// Text is the message in a few lines for a chat that shows only that.
	Text string `json:"text"`
	// Since is the run that this one is compared with; nil in the first run of a history.
	Since   *time.Time     `json:"since,omitempty"`
	Summary ChangesSummary `json:"summary"`
	// Items are what changed: first what is there, then what is gone, and what nobody could look at.
	Items []ChangedFinding `json:"items"`
	// NotSeen are the sources that did not answer this run in full, so that verdicts are missing.
	NotSeen []inventory.Coverage `json:"notSeen"`
}

// ChangesSummary counts a run.
type ChangesSummary struct {
	Changes ChangeCounts `json:"changes"`
	// Findings is the number of findings that there are now, and Severities counts them.
	Findings   int              `json:"findings"`
	Severities map[Severity]int `json:"severities"`
	Ignored    int              `json:"ignored,omitempty"`
	Incomplete bool             `json:"incomplete"`
}

// ChangeKind is what became of a finding.
type ChangeKind string

// The kinds, in the order in which they are listed.
const (
	ChangeNew      ChangeKind = "new"
	ChangeReopened ChangeKind = "reopened"
	// ChangeIgnoreExpired was there before, hidden by an ignore rule that has expired.
	ChangeIgnoreExpired ChangeKind = "ignore-expired"
	// ChangeVerified could not be looked at before, and is still there.
	ChangeVerified   ChangeKind = "verified"
	ChangeResolved   ChangeKind = "resolved"
	ChangeUnverified ChangeKind = "unverified"
)

// changeOrder is the order of ReportChanges.Items.
var changeOrder = []ChangeKind{ChangeNew, ChangeReopened, ChangeIgnoreExpired, ChangeVerified, ChangeResolved, ChangeUnverified}

// ChangedFinding is a finding of which there is news. The whole of it is in the report.
type ChangedFinding struct {
	Change   ChangeKind `json:"change"`
	Rule     string     `json:"rule"`
	Severity Severity   `json:"severity"`
	Class    string     `json:"class"`
	// Subject is the form that explain takes.
	Subject     string    `json:"subject"`
	Name        string    `json:"name,omitempty"`
	Site        string    `json:"site,omitempty"`
	Cluster     string    `json:"cluster,omitempty"`
	Title       string    `json:"title"`
	Fingerprint string    `json:"fingerprint"`
	FirstSeen   time.Time `json:"firstSeen"`
	// Why says what makes it resolved or unverified.
	Why string `json:"why,omitempty"`
	// Remedy says what to do about one that is there.
	Remedy string `json:"remedy,omitempty"`
	// IgnoreExpired is the rule that has hidden it.
	IgnoreExpired *IgnoreRule `json:"ignoreExpired,omitempty"`
}

// HasNews is false for a run that saw all and found what was there before. "Unchanged" by a run that did not look is news.
func (r *Report) HasNews() bool {
	return r.Summary.Changes.Any() || r.Summary.Incomplete || r.NotCompared != ""
}

// Changes are the news of a report that was compared with an earlier run; nil for one that was not. The text is the caller's to fill in.
func (r *Report) Changes() *ReportChanges {
	if r.Summary.Changes == nil {
		return nil
	}
	c := &ReportChanges{FormatVersion: FormatVersion, Kind: KindReportChanges, GeneratedAt: r.GeneratedAt, Run: r.run.ID, Items: []ChangedFinding{}, NotSeen: []inventory.Coverage{},
		Summary: ChangesSummary{Changes: *r.Summary.Changes, Findings: len(r.Findings), Severities: r.Summary.Severities, Ignored: r.Summary.Ignored, Incomplete: r.Summary.Incomplete}}
	if r.Since != nil && !r.Since.At.IsZero() {
		at := r.Since.At.UTC()
		c.Since = &at
	}
	for i := range r.Findings {
		if item := r.Findings[i].changed(); item != nil {
			c.Items = append(c.Items, *item)
		}
	}
	for i := range r.Resolved {
		c.Items = append(c.Items, ofRecord(&r.Resolved[i], ChangeResolved))
	}
	for i := range r.Unverified {
		if r.unseen[r.Unverified[i].Fingerprint] {
			c.Items = append(c.Items, ofRecord(&r.Unverified[i], ChangeUnverified))
		}
	}
	slices.SortStableFunc(c.Items, func(a, b ChangedFinding) int {
		return slices.Index(changeOrder, a.Change) - slices.Index(changeOrder, b.Change)
	})
	for _, entry := range r.Coverage {
		if entry.Missing() {
			c.NotSeen = append(c.NotSeen, entry)
		}
	}
	return c
}

// changed is the news of a finding; nil if there is none.
func (f *ReportFinding) changed() *ChangedFinding {
	kind := ChangeKind("")
	switch {
	case f.History == nil:
	case f.IgnoreExpired != nil && f.IgnoreExpired.Back:
		kind = ChangeIgnoreExpired
	default:
		kind = ChangeKind(f.History.Change)
	}
	if kind == "" {
		return nil
	}
	out := &ChangedFinding{Change: kind, Rule: f.Rule, Severity: f.Severity, Class: string(f.Class), Subject: f.Subject.ID, Name: f.Subject.Name, Site: f.Subject.Site,
		Cluster: f.Subject.Cluster, Title: f.Title, Fingerprint: f.Fingerprint, FirstSeen: f.History.FirstSeen, Remedy: f.Remedy}
	if f.IgnoreExpired != nil {
		out.IgnoreExpired = &f.IgnoreExpired.IgnoreRule
	}
	return out
}

func ofRecord(r *history.Record, kind ChangeKind) ChangedFinding {
	return ChangedFinding{Change: kind, Rule: r.Rule, Severity: Severity(r.Severity), Class: r.Class, Subject: r.Subject, Name: r.Name, Site: r.Site, Cluster: r.Cluster,
		Title: r.Title, Fingerprint: r.Fingerprint, FirstSeen: r.FirstSeen, Why: r.Why}
}
