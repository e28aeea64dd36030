package render

import (
	"bytes"
	"encoding/csv"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/proxaudit/proxaudit/audit"
)

// TestCSV: the table is what a CSV reader takes, a row for each finding and for what only earlier runs have, and no cell
// is a formula.
func TestCSV(t *testing.T) {
	r := sampleReport()
	r.Findings[2].Subject.Name = `=HYPERLINK("http://evil.example","x")`
	r.Findings[3].Status = "@SUM(1)"
	r.Findings[4].Title = " +1"
	rows, err := csv.NewReader(bytes.NewReader(rendered(t, "csv", Report(r), Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + len(r.Findings) + len(r.Resolved) + len(r.Unverified); len(rows) != want || !slices.Equal(rows[0], csvTitles) {
		t.Fatalf("%d rows, want %d; titles %q", len(rows), want, rows[0])
	}
	subjects := map[string]int{}
	formulas := 0
	for _, row := range rows[1:] {
		subjects[row[3]]++
		for _, cell := range row {
			if strings.HasPrefix(cell, "'") {
				formulas++
			}
			if c := strings.TrimLeft(cell, " "); c != "" && strings.ContainsAny(c[:1], "=+-@") {
				t.Errorf("a spreadsheet calculates %q", cell)
			}
		}
	}
	if formulas != 3 {
		t.Errorf("%d cells are kept from being formulas, want 3", formulas)
	}
	for i := range r.Findings {
		if subjects[r.Findings[i].Subject.ID] == 0 {
			t.Errorf("%s is in no row", r.Findings[i].Subject.ID)
		}
	}
	if got := rendered(t, "csv", Report(r), Options{NoHeaders: true}); bytes.HasPrefix(got, []byte("rule,")) {
		t.Error("--no-headers has the titles")
	}
}

// TestPrometheus: Prometheus' own parser takes the text, its linter has nothing against it, and the samples are what the
// report counts.
func TestPrometheus(t *testing.T) {
	r := sampleReport()
	text := rendered(t, "prometheus", Report(r), Options{})
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promtool check metrics: %v, %v", problems, err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sum := func(name string, labels ...string) float64 {
		total := 0.0
		for _, m := range families[name].GetMetric() {
			have := map[string]string{}
			for _, l := range m.GetLabel() {
				have[l.GetName()] = l.GetValue()
			}
			fits := true
			for i := 0; i+1 < len(labels); i += 2 {
				fits = fits && have[labels[i]] == labels[i+1]
			}
			if fits {
				total += m.GetGauge().GetValue()
			}
		}
		return total
	}
	for _, tt := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{float64(len(r.Findings)), "proxaudit_findings", nil},
		{float64(r.Summary.Severities[audit.Critical]), "proxaudit_findings_by_severity", []string{"severity", "critical"}},
		{7, "proxaudit_machines", []string{"class", "managed"}},
		{1, "proxaudit_changes", []string{"change", "resolved"}},
		{1, "proxaudit_cluster_state", []string{"cluster", "prod", "state", "stuck"}},
		{0, "proxaudit_cluster_state", []string{"cluster", "dev", "state", "stuck"}},
		{0, "proxaudit_source_complete", []string{"source", "site/lab"}},
		{1, "proxaudit_source_complete", []string{"source", "management"}},
		{float64(collected.Unix()), "proxaudit_last_run_timestamp_seconds", nil},
	} {
		if families[tt.name] == nil {
			t.Errorf("there is no %s among %v", tt.name, slices.Sorted(maps.Keys(families)))
		}
		if got := sum(tt.name, tt.labels...); got != tt.want {
			t.Errorf("%s%v is %v, want %v", tt.name, tt.labels, got, tt.want)
		}
	}
}

// TestFormatsOfFindings are for findings: another result is refused with what has them.
func TestFormatsOfFindings(t *testing.T) {
	for _, name := range FindingFormats() {
		f, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write(&bytes.Buffer{}, Doctor(sampleDoctor()), Options{}); !errors.Is(err, ErrNoFindings) {
			t.Errorf("-o %s of doctor: %v", name, err)
		}
	}
}
