// Package history says what changed since an earlier run: what is new, what is gone, and what nobody could look at. It is
// pure; where records are kept is not its business.
package history

import (
	"cmp"
	"slices"
	"time"
)

// Finding is what is kept of one: enough to tell a person what it was when it is gone, and whether that is so.
type Finding struct {
	// Fingerprint is that of the rule and the subject, over all runs.
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	Severity    string `json:"severity"`
	Class       string `json:"class"`
	// Subject is the ID that explain takes. A VM's has its VMID, which is recycled: Key is who it is.
	Subject string `json:"subject"`
	// Key is the subject's identity without the rule.
	Key     string `json:"key"`
	Name    string `json:"name,omitempty"`
	Site    string `json:"site,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	Title   string `json:"title"`
}

// State is how a Finding stands after the newest run.
type State string

// The states.
const (
	// Open was seen by the newest run.
	Open State = "open"
	// Unverified was not seen, and the run could not look where it would have been.
	Unverified State = "unverified"
	// Resolved was not seen by a run that looked.
	Resolved State = "resolved"
)

// Record is the life of one Finding. All times are those of runs: of the Snapshot, not of the wall clock.
type Record struct {
	Finding
	State     State     `json:"state"`
	FirstSeen time.Time `json:"firstSeen"`
	LastSeen  time.Time `json:"lastSeen"`
	// Runs is how many runs have seen it.
	Runs int `json:"runs"`
	// ResolvedAt is the first run that looked and did not see it; nil unless Resolved.
	ResolvedAt *time.Time `json:"resolvedAt,omitempty"`
	// UnverifiedSince is the first run since LastSeen that could not look; nil unless Unverified.
	UnverifiedSince *time.Time `json:"unverifiedSince,omitempty"`
	// Reopened is how often it came back after it was resolved, and ReopenedAt the last time.
	Reopened   int        `json:"reopened,omitempty"`
	ReopenedAt *time.Time `json:"reopenedAt,omitempty"`
	// Read is what the run that saw it last had read: another run has to have read it too before it knows better.
	Read []Source `json:"read,omitempty"`
	// Why says what makes it resolved or unverified, for a person.
	Why string `json:"why,omitempty"`
}

// SortRecords orders by state, severity, subject and fingerprint: no two records are equal.
func SortRecords(records []Record) {
	rank := map[string]int{"critical": 0, "warning": 1, "info": 2}
	of := func(severity string) int {
		if n, ok := rank[severity]; ok {
			return n
		}
		return len(rank)
	}
	slices.SortFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(of(a.Severity), of(b.Severity)), cmp.Compare(a.Subject, b.Subject),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
}
