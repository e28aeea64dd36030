package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
)

// baseline is what is read of an earlier result: of a Report or an OrphanReport.
type baseline struct {
	FormatVersion string    `json:"formatVersion"`
	Kind          string    `json:"kind"`
	GeneratedAt   time.Time `json:"generatedAt"`
	Summary       struct{ Hidden *int }
	Findings      []ReportFinding  `json:"findings"`
	Unverified    []history.Record `json:"unverified"`
	// Ignored findings are known too: a rule that goes makes nothing new.
	Ignored        []ReportFinding  `json:"ignored"`
	IgnoredRecords []history.Record `json:"ignoredRecords"`
}

// ReadBaseline reads the JSON form of an earlier report, of `report` or of `orphans`, as records to compare with.
func ReadBaseline(data []byte) (records []history.Record, at time.Time, err error) {
	var b baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, at, fmt.Errorf("it is no report in JSON: %w", err)
	}
	switch {
	case b.FormatVersion == "" || b.Kind == "":
		return nil, at, errors.New("it is no result of proxaudit: formatVersion and kind are missing (make one with proxaudit report -o json=FILE)")
	case b.FormatVersion != FormatVersion:
		return nil, at, fmt.Errorf("its format is %q, and this version reads %q", b.FormatVersion, FormatVersion)
	case !slices.Contains([]string{KindReport, KindOrphanReport}, b.Kind):
		return nil, at, fmt.Errorf("it is a result of the kind %s, and a baseline is a %s or %s", b.Kind, KindReport, KindOrphanReport)
	case b.Summary.Hidden != nil:
		return nil, at, errors.New("a filter was at work when it was made: what it hides would be new")
	case b.GeneratedAt.IsZero():
		return nil, at, errors.New("it does not say when it was made (generatedAt)")
	}
	at = b.GeneratedAt.UTC()
	seen := map[string]bool{}
	b.Findings = append(b.Findings, b.Ignored...)
	for _, r := range b.IgnoredRecords {
		if r.State == history.Unverified {
			b.Unverified = append(b.Unverified, r)
		}
	}
	for i := range b.Findings {
		f := &b.Findings[i]
		if f.Fingerprint == "" || f.Subject.ID == "" {
			return nil, at, fmt.Errorf("findings[%d] has no fingerprint or subject", i)
		}
		if !f.Class.IsFinding() || seen[f.Fingerprint] {
			// orphans --all lists what is no finding too.
			continue
		}
		seen[f.Fingerprint] = true
		if f.Key == "" {
			f.Key = f.key()
		}
		r := history.Record{Finding: f.kept(), State: history.Open, FirstSeen: at, LastSeen: at, Runs: 1}
		if h := f.History; h != nil {
			r.FirstSeen, r.Runs, r.Reopened, r.ReopenedAt = h.FirstSeen, h.Runs, h.Reopened, h.LastBack
		}
		records = append(records, r)
	}
	for _, r := range b.Unverified {
		if r.Fingerprint != "" && !seen[r.Fingerprint] {
			seen[r.Fingerprint] = true
			// It is what that list is for, whatever somebody wrote into it.
			r.State, r.ResolvedAt = history.Unverified, nil
			records = append(records, r)
		}
	}
	history.SortRecords(records)
	return records, at, nil
}
