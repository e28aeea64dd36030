package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// seriesOf are the samples of a family that are about no cluster, site or source in particular, with their values.
func seriesOf(f *dto.MetricFamily) map[string]float64 {
	out := map[string]float64{}
	for _, m := range f.GetMetric() {
		var labels []string
		particular := false
		for _, l := range m.GetLabel() {
			labels = append(labels, l.GetName()+"="+l.GetValue())
			particular = particular || slices.Contains([]string{"cluster", "site", "source"}, l.GetName()) && l.GetValue() != ""
		}
		if !particular {
			out[f.GetName()+" "+strings.Join(labels, " ")] = m.GetGauge().GetValue()
		}
	}
	return out
}

// TestNoGaugeVanishes: a night without findings has the series of one with findings, and they are 0: an alert resolves, and none
// has to ask whether a gauge is there.
func TestNoGaugeVanishes(t *testing.T) {
	bad, good := sampleReport(), sampleReport()
	good.Findings, good.Resolved, good.Unverified = nil, nil, nil
	good.Summary.Summary = audit.Summary{Classes: map[identity.Class]int{}, Severities: map[audit.Severity]int{}}
	good.Summary.Changes = &audit.ChangeCounts{}
	good.Coverage = []inventory.Coverage{}
	before, after := promFamilies(t, rendered(t, "prometheus", Report(bad), Options{})), promFamilies(t, rendered(t, "prometheus", Report(good), Options{}))
	if len(before) < 15 {
		t.Fatalf("%d families: %v", len(before), slices.Sorted(maps.Keys(before)))
	}
	compared := 0
	for name, f := range before {
		if after[name] == nil {
			// Without coverage there are no sources; a run has some.
			if name != "proxaudit_source_complete" {
				t.Errorf("%s vanishes", name)
			}
			continue
		}
		now := seriesOf(after[name])
		for series := range seriesOf(f) {
			compared++
			value, ok := now[series]
			if !ok {
				t.Errorf("%s vanishes", series)
			}
			if value != 0 && !slices.Contains([]string{"proxaudit_last_run_timestamp_seconds"}, name) {
				t.Errorf("%s is %v in a night without findings", series, value)
			}
		}
	}
	for _, s := range []audit.Severity{audit.Critical, audit.Warning, audit.Info} {
		if _, ok := seriesOf(after["proxaudit_findings_by_severity"])["proxaudit_findings_by_severity severity="+string(s)]; !ok {
			t.Errorf("severity %s has no gauge", s)
		}
	}
	for _, c := range identity.Classes() {
		if _, ok := seriesOf(after["proxaudit_machines"])["proxaudit_machines class="+string(c)]; !ok {
			t.Errorf("class %s has no gauge", c)
		}
	}
	if n := len(seriesOf(after["proxaudit_findings"])); n < 8 || n > len(rules.All()) {
		t.Errorf("%d rules have a gauge, of %d", n, len(rules.All()))
	}
	if compared < 40 {
		t.Errorf("%d series were compared", compared)
	}
}

// TestPrometheusOrder: two runs on the same data write the same bytes, for whoever compares files.
func TestPrometheusOrder(t *testing.T) {
	first := string(rendered(t, "prometheus", Report(sampleReport()), Options{}))
	for range 20 {
		if again := string(rendered(t, "prometheus", Report(sampleReport()), Options{})); again != first {
			t.Fatalf("%s\nand\n%s", first, again)
		}
	}
}
