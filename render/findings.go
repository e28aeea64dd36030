package render

import (
	"errors"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
)

// FindingList is what the formats for other programs make of a result: its findings and what they are counted against.
// The texts in it are untrusted.
type FindingList struct {
	Envelope *audit.Envelope
	Summary  *audit.Summary
	Findings []*audit.Finding
	// Lives are by the findings' fingerprints; nil where no earlier run is known.
	Lives map[string]*audit.Life
	// Unverified and Resolved are what only earlier runs have.
	Unverified, Resolved []history.Record
	Changes              *audit.ChangeCounts
	// Ignored are what ignore rules hide; nil unless somebody asked to see it.
	Ignored *audit.Ignores
	// Clusters is nil where nobody asked for whom they wait.
	Clusters []audit.ClusterProgress
}

// ErrNoFindings says that a result is no list of findings.
var ErrNoFindings = errors.New("this format is for findings, and this result has none to list: proxaudit orphans and report have")

func orphanFindings(r *audit.OrphanReport) *FindingList {
	l := &FindingList{Envelope: &r.Envelope, Summary: &r.Summary}
	for i := range r.Findings {
		l.Findings = append(l.Findings, &r.Findings[i])
	}
	return l
}

func reportFindings(r *audit.Report) *FindingList {
	l := &FindingList{Envelope: &r.Envelope, Summary: &r.Summary.Summary, Unverified: r.Unverified, Resolved: r.Resolved, Changes: r.Summary.Changes, Clusters: r.Clusters}
	if r.Since != nil {
		l.Lives = map[string]*audit.Life{}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		l.Findings = append(l.Findings, &f.Finding)
		if f.History != nil {
			l.Lives[f.Fingerprint] = f.History
		}
	}
	return l
}
