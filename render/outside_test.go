package render

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/joshdk/go-junit"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// outsideReaders read formats with parsers that are not ours, and check that the hostileDocument of a text has arrived: the text
// as it is or escaped, in its places, and nothing that it would have made besides. TestOutsideReaders fails for a format without.
var outsideReaders = map[string]func(t *testing.T, s string, text []byte){
	"csv": readHostileCSV, "junit": readHostileJUnit, "prometheus": readHostilePrometheus, "markdown": readHostileMarkdown, "html": readHostileHTML,
	"policyreport": readHostilePolicies, "openreports": readHostilePolicies,
}

// TestOutsideReaders: each format has a reader that is not ours, or is for eyes only.
func TestOutsideReaders(t *testing.T) {
	// json and yaml are read by FuzzFormats itself, and their schemas are checked in the package schema.
	for _, name := range Formats() {
		if outsideReaders[name] == nil && !slices.Contains([]string{"table", "wide", "name", "json", "yaml"}, name) {
			t.Errorf("nothing reads -o %s", name)
		}
	}
}

func readHostileCSV(t *testing.T, s string, text []byte) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(rows) != 4 {
		t.Fatalf("%d rows, want the titles, a finding, a resolved and an unverified one:\n%s", len(rows), text)
	}
	column := slices.Index(rows[0], "name")
	for _, row := range rows[1:] {
		if got, seen := row[column], Visible(s); got != seen && got != "'"+seen {
			t.Fatalf("the name is %q, want %q", got, seen)
		}
		for _, cell := range row {
			if c := strings.TrimLeft(cell, " "); c != "" && strings.ContainsAny(c[:1], "=+-@%|") {
				t.Fatalf("a spreadsheet calculates %q", cell)
			}
		}
	}
}

func readHostileJUnit(t *testing.T, s string, text []byte) {
	t.Helper()
	suites, err := junit.Ingest(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var got []string
	for _, suite := range suites {
		if len(suite.Tests) != 1 || len(suite.Suites) > 0 {
			t.Fatalf("the suite %s has %d tests and %d suites", suite.Name, len(suite.Tests), len(suite.Suites))
		}
		got = append(got, suite.Name+" "+string(suite.Tests[0].Status))
	}
	if want := []string{"findings failed", "unverified skipped", "coverage error"}; !slices.Equal(got, want) {
		t.Fatalf("the suites are %q, want %q", got, want)
	}
	if got := suites[0].Tests[0].Message; got != Visible(s) {
		t.Fatalf("the message is %q, want %q", got, Visible(s))
	}
}

func readHostilePrometheus(t *testing.T, s string, text []byte) {
	t.Helper()
	families := promFamilies(t, text)
	for family, label := range map[string]string{"proxaudit_cluster_state": "cluster", "proxaudit_source_complete": "source", "proxaudit_requests": "source", "proxaudit_findings": "site"} {
		if !hasLabel(families[family], label, Visible(s)) {
			t.Fatalf("no %s has %s=%q:\n%s", family, label, Visible(s), text)
		}
	}
	if n := len(families["proxaudit_source_complete"].GetMetric()); n != 1 {
		t.Fatalf("%d sources, want 1", n)
	}
}

// promFamilies are what Prometheus' own parser reads.
func promFamilies(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return families
}

func hasLabel(f *dto.MetricFamily, name, value string) bool {
	return slices.ContainsFunc(f.GetMetric(), func(m *dto.Metric) bool {
		return slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == name && l.GetValue() == value })
	})
}
