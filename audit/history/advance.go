package history

import "time"

// Run is what one run saw.
type Run struct {
	// At is when its Snapshot was collected.
	At time.Time
	// ID is the same for two runs over the same Snapshot, and for no others.
	ID string
	// Findings are all of the run, whatever a filter lists.
	Findings []Finding
	// Read is what the run has read in full.
	Read []Source
	// Settled says whether the run looked at where the Finding of a Record would be that it did not see, and what it found there, in
	// words. Absence of evidence from a source that did not answer settles nothing.
	Settled func(Record) (settled bool, why string)
}

// Change is what a run did to a Record.
type Change string

// The changes. A Record that is still what it was has none.
const (
	// New was never seen before.
	New Change = "new"
	// Reopened was resolved, and is back.
	Reopened Change = "reopened"
	// Gone was open or unverified, and is resolved.
	Gone Change = "resolved"
	// Unseen was open, and could not be looked at.
	Unseen Change = "unverified"
	// Seen was unverified, and is still there.
	Seen Change = "verified"
)

// Changed is a Record with what the run did to it.
type Changed struct {
	Change Change `json:"change"`
	Record
}

// Advance takes the records of the runs before through one more. The records that come back are in the order of
// SortRecords, resolved ones included; changes have the same order. Findings that share a fingerprint are one.
func Advance(before []Record, run Run) (after []Record, changes []Changed) {
	at := run.At.UTC()
	known := make(map[string]Record, len(before))
	for _, r := range before {
		known[r.Fingerprint] = r
	}
	did := map[string]Change{}
	seen := make(map[string]bool, len(run.Findings))
	for _, f := range run.Findings {
		if seen[f.Fingerprint] {
			continue
		}
		seen[f.Fingerprint] = true
		old, ok := known[f.Fingerprint]
		record, change := see(old, ok, f, run.Read, at)
		after = append(after, record)
		did[f.Fingerprint] = change
	}
	for _, r := range known {
		if seen[r.Fingerprint] {
			continue
		}
		record, change := miss(r, run, at)
		after = append(after, record)
		did[r.Fingerprint] = change
	}
	SortRecords(after)
	for _, r := range after {
		if c := did[r.Fingerprint]; c != "" {
			changes = append(changes, Changed{Change: c, Record: r})
		}
	}
	return after, changes
}

// see is a Record whose Finding the run has.
func see(old Record, known bool, f Finding, read []Source, at time.Time) (Record, Change) {
	if !known {
		return Record{Finding: f, State: Open, FirstSeen: at, LastSeen: at, Runs: 1, Read: read}, New
	}
	r := old
	r.Finding, r.State, r.LastSeen, r.Read, r.Why = f, Open, at, read, ""
	r.ResolvedAt, r.UnverifiedSince = nil, nil
	r.Runs++
	switch old.State {
	case Resolved:
		r.Reopened++
		r.ReopenedAt = &at
		return r, Reopened
	case Unverified:
		return r, Seen
	default:
		return r, ""
	}
}

// miss is a Record whose Finding the run does not have.
func miss(r Record, run Run, at time.Time) (Record, Change) {
	if r.State == Resolved {
		return r, ""
	}
	settled, why := run.Settled(r)
	if settled {
		r.State, r.ResolvedAt, r.UnverifiedSince, r.Why = Resolved, &at, nil, why
		return r, Gone
	}
	r.Why = why
	if r.State == Unverified {
		return r, ""
	}
	r.State, r.UnverifiedSince = Unverified, &at
	return r, Unseen
}
