package audit

import (
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
)

// ignoredLives keeps the lives of ignored findings out of what a report tells: their records carry on, and neither a rule that comes
// nor one that goes is a change.
type ignoredLives struct {
	*ignoring
	r *Report
	// by has the place of each ignored finding in the report.
	by map[string]int
}

func (r *Report) ignoredLives() *ignoredLives {
	l := &ignoredLives{ignoring: r.ignoring, r: r, by: map[string]int{}}
	for i := range r.Ignored {
		l.by[r.Ignored[i].Fingerprint] = i
	}
	if l.ignoring != nil {
		r.IgnoredRecords = []IgnoredRecord{}
	}
	return l
}

// take is true for a record that a rule hides.
func (l *ignoredLives) take(rec *history.Record, change history.Change) bool {
	switch {
	case l.ignoring == nil:
		return false
	case rec.State == history.Open:
		i, ok := l.by[rec.Fingerprint]
		if ok {
			l.r.Ignored[i].History = lifeOf(rec, change)
		}
		return ok
	case rec.State == history.Resolved && change != history.Gone:
		return false
	}
	rule := l.hidesRecord(rec)
	if rule != nil {
		l.r.IgnoredRecords = append(l.r.IgnoredRecords, IgnoredRecord{Record: *rec, Ignore: *rule})
	}
	return rule != nil
}

// finish says which findings are back because their rule has expired since then, and which rules are unused after all.
func (l *ignoredLives) finish(since time.Time, counts *ChangeCounts) {
	if l.ignoring == nil {
		return
	}
	for i := range l.r.Findings {
		f := &l.r.Findings[i]
		if f.IgnoreExpired == nil || f.History == nil || f.History.Change != "" || since.IsZero() {
			continue
		}
		if at := f.IgnoreExpired.ExpiresAt; at != nil && since.Before(*at) {
			f.IgnoreExpired.Back = true
			counts.IgnoreExpired++
			counts.Unchanged--
		}
	}
	l.r.UnusedIgnores = l.unused()
	l.r.Summary.countIgnores(&l.r.Ignores)
}

// lifeOf is what a record says of an open finding.
func lifeOf(rec *history.Record, change history.Change) *Life {
	return &Life{Change: change, FirstSeen: rec.FirstSeen, Runs: rec.Runs, Reopened: rec.Reopened, ReopenedAt: rec.ReopenedAt}
}
