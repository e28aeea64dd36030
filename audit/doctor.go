package audit

import (
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Doctor makes the report of checks that were done at a time, and of what they cost. They keep their order.
func Doctor(checks []inventory.Check, requests []inventory.Requests, at time.Time) *DoctorReport {
	r := &DoctorReport{
		Envelope: Envelope{FormatVersion: FormatVersion, Kind: KindDoctorReport, GeneratedAt: at.UTC(),
			Coverage: []inventory.Coverage{}, Requests: nonNil(requests)},
		Checks: append([]inventory.Check{}, checks...),
	}
	for i := range checks {
		switch checks[i].Status {
		case inventory.CheckOK:
			r.Summary.OK++
		case inventory.CheckWarning:
			r.Summary.Warnings++
		case inventory.CheckFailed:
			r.Summary.Failed++
		case inventory.CheckNote:
			r.Summary.Notes++
		default:
			r.Summary.Skipped++
		}
	}
	return r
}

// Severities counts a failed check as critical and a warning as a warning: what --fail-on compares.
func (s *DoctorSummary) Severities() map[Severity]int {
	return map[Severity]int{Critical: s.Failed, Warning: s.Warnings}
}
