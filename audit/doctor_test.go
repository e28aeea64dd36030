package audit

import (
	"reflect"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestDoctor(t *testing.T) {
	at := time.Date(2026, 12, 1, 13, 0, 0, 0, time.FixedZone("there", 3600))
	checks := []inventory.Check{{Name: "a", Status: inventory.CheckFailed}, {Name: "b", Status: inventory.CheckOK}, {Name: "c", Status: inventory.CheckWarning},
		{Name: "d", Status: inventory.CheckSkipped}, {Name: "e", Status: inventory.CheckOK}, {Name: "f", Status: inventory.CheckNote}}
	cost := []inventory.Requests{{Source: "management", Count: 3}}
	r := Doctor(checks, cost, at)
	if r.Summary != (DoctorSummary{OK: 2, Warnings: 1, Failed: 1, Skipped: 1, Notes: 1}) || !reflect.DeepEqual(r.Checks, checks) || !reflect.DeepEqual(r.Requests, cost) {
		t.Errorf("%+v", r)
	}
	if r.Kind != KindDoctorReport || r.FormatVersion != FormatVersion || r.GeneratedAt.Format(time.RFC3339) != "2026-12-01T12:00:00Z" {
		t.Errorf("%+v", r.Envelope)
	}
	if got := r.Summary.Severities(); got[Critical] != 1 || got[Warning] != 1 || len(got) != 2 {
		t.Errorf("%v", got)
	}
	// JSON has lists and no null.
	if r := Doctor(nil, nil, at); r.Checks == nil || r.Coverage == nil || r.Requests == nil {
		t.Errorf("%+v", r)
	}
}
