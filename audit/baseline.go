package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
)

// baseline is what is read of an earlier result: of a Report or an OrphanReport.
type baseline struct {
	FormatVersion string    `json:"formatVersion"`
	Kind          string    `json:"kind"`
	GeneratedAt   time.Time `json:"generatedAt"`
	Summary       struct{ Hidden *int }
	Findings      []ReportFinding      `json:"findings"`
	Read          []history.Source     `json:"read"`
	Coverage      []inventory.Coverage `json:"coverage"`
	Unverified    []history.Record     `json:"unverified"`
	// Ignored findings are known too: a rule that goes makes nothing new.
	Ignored        []ReportFinding  `json:"ignored"`
	IgnoredRecords []history.Record `json:"ignoredRecords"`
}

// ReadBaseline reads the JSON form of an earlier report, of `report` or of `orphans`, as records to compare with. The Source of
// what comes back is the caller's to fill in.
func ReadBaseline(data []byte) (records []history.Record, since Since, err error) {
	var b baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, since, fmt.Errorf("it is no report in JSON: %w", err)
	}
	switch {
	case b.FormatVersion == "" || b.Kind == "":
		return nil, since, errors.New("it is no result of proxaudit: formatVersion and kind are missing (make one with proxaudit report -o json=FILE)")
	case b.FormatVersion != FormatVersion:
		return nil, since, fmt.Errorf("its format is %q, and this version reads %q", b.FormatVersion, FormatVersion)
	case !slices.Contains([]string{KindReport, KindOrphanReport}, b.Kind):
		return nil, since, fmt.Errorf("it is a result of the kind %s, and a baseline is a %s or %s", b.Kind, KindReport, KindOrphanReport)
	case b.Summary.Hidden != nil:
		return nil, since, errors.New("a filter was at work when it was made: what it hides would be new")
	case b.GeneratedAt.IsZero():
		return nil, since, errors.New("it does not say when it was made (generatedAt)")
	}
	at := b.GeneratedAt.UTC()
	since = Since{At: at, MachinesOnly: b.Kind == KindOrphanReport}
	if b.Kind == KindOrphanReport {
		// It does not say what tells a source from another of its name.
		b.Read = readOf(b.Coverage, func(string) []string { return nil })
	}
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
			return nil, since, fmt.Errorf("findings[%d] has no fingerprint or subject", i)
		}
		if !isFinding(f.Class) || seen[f.Fingerprint] {
			// orphans --all lists what is no finding too.
			continue
		}
		seen[f.Fingerprint] = true
		if f.Key == "" {
			f.Key = f.key()
		}
		r := history.Record{Finding: f.kept(), State: history.Open, FirstSeen: at, LastSeen: at, Runs: 1, Read: b.Read}
		if h := f.History; h != nil {
			r.FirstSeen, r.Runs, r.Reopened, r.ReopenedAt = h.FirstSeen, h.Runs, h.Reopened, h.ReopenedAt
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
	return records, since, nil
}
