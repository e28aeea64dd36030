package e2e

import (
	"encoding/json"
	"testing"
)

// report is what these tests read of `orphans -o json`. The golden files have the rest.
type report struct {
	Coverage []struct {
		Source, Scope, State, Reason string
		Optional                     bool
	} `json:"coverage"`
	Requests []struct {
		Source  string
		Count   int
		Retries int
	} `json:"requests"`
	Summary struct {
		Classes    map[string]int
		Incomplete bool
	} `json:"summary"`
	Findings []finding `json:"findings"`
}

type finding struct {
	Class   string
	Subject subject
	Others  []subject
	Missing []struct{ Source, Scope string }
}

type subject struct{ ID string }

func parse(t *testing.T, o outcome) report {
	t.Helper()
	var r report
	if err := json.Unmarshal(o.stdout, &r); err != nil {
		t.Fatalf("proxaudit %s: %v\n%.500s", o.args, err, o.stdout)
	}
	if len(r.Findings) == 0 || len(r.Coverage) == 0 || len(r.Requests) == 0 {
		t.Fatalf("proxaudit %s: %d findings, %d coverage entries, %d sources with requests: the output was not understood",
			o.args, len(r.Findings), len(r.Coverage), len(r.Requests))
	}
	return r
}

// classes maps every subject of a report to its class.
func (r report) classes() map[string]string {
	out := map[string]string{}
	for _, f := range r.Findings {
		out[f.Subject.ID] = f.Class
	}
	return out
}

// of returns the class of a subject, wherever in a finding it stands.
func (r report) of(id string) string {
	for _, f := range r.Findings {
		if f.Subject.ID == id {
			return f.Class
		}
		for _, o := range f.Others {
			if o.ID == id {
				return f.Class
			}
		}
	}
	return ""
}
