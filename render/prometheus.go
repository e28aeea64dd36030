package render

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/audit/rules"
)

// renderPrometheus writes gauges for node_exporter's textfile collector. Every series that can occur for the whole run is
// there, with 0 where nothing was found, so that an alert on it needs no absent(): each rule has one without cluster and site. Samples have no timestamps, which the
// collector does not take.
func renderPrometheus(b *bytes.Buffer, d Document, _ Options) error {
	l := d.Findings
	if l == nil {
		return ErrNoFindings
	}
	for _, f := range families(l) {
		slices.SortFunc(f.Metric, func(a, b *dto.Metric) int { return cmp.Compare(labelsOf(a), labelsOf(b)) })
		if _, err := expfmt.MetricFamilyToText(b, f); err != nil {
			return err
		}
	}
	return nil
}

func families(l *FindingList) []*dto.MetricFamily {
	var out []*dto.MetricFamily
	family := func(name, help string) *dto.MetricFamily {
		f := &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum()}
		out = append(out, f)
		return f
	}
	set(family("proxaudit_last_run_timestamp_seconds", "When the data of this report was collected."), float64(l.Envelope.GeneratedAt.UnixMilli())/1000)
	set(family("proxaudit_incomplete", "1 if a verdict is missing because something was not seen."), bit(l.Summary.Incomplete))
	countFindings(family("proxaudit_findings", "Findings by rule, severity, class, cluster and site."), l)
	severities := family("proxaudit_findings_by_severity", "Findings by severity.")
	for _, s := range []audit.Severity{audit.Critical, audit.Warning, audit.Info} {
		set(severities, float64(l.Summary.Severities[s]), "severity", string(s))
	}
	machines := family("proxaudit_machines", "Machines (VM, Machine, Node, as one) by class.")
	for _, c := range identity.Classes() {
		set(machines, float64(l.Summary.Classes[c]), "class", string(c))
	}
	set(family("proxaudit_machines_without_verdict", "Machines whose class is unknown because something was not seen."), float64(l.Summary.NoVerdict))
	set(family("proxaudit_findings_ignored", "Findings that ignore rules hide. They are in no other count of findings."), float64(l.Summary.Ignored))
	set(family("proxaudit_ignore_rules_unused", "Ignore rules that are about nothing that there is."), float64(l.Summary.UnusedIgnores))
	r := l.Summary.Reclaimable
	set(family("proxaudit_reclaimable_vms", "Orphan VMs."), float64(r.VMs))
	set(family("proxaudit_reclaimable_vcpus", "Virtual CPUs that orphan VMs hold."), float64(r.VCPU))
	set(family("proxaudit_reclaimable_memory_bytes", "Memory that orphan VMs hold."), float64(r.MemoryMiB)*(1<<20))
	set(family("proxaudit_reclaimable_disk_bytes", "Disk that orphan VMs hold."), float64(r.DiskGiB)*(1<<30))
	sources(family("proxaudit_source_complete", "1 if a source answered all that a verdict needs."), l)
	requests := family("proxaudit_requests", "Requests that the run has sent, by source.")
	sent := map[string]int{}
	for _, q := range l.Envelope.Requests {
		sent[q.Source] += q.Count + q.Retries
	}
	for source, n := range sent {
		set(requests, float64(n), "source", source)
	}
	if c := l.Changes; c != nil {
		changes := family("proxaudit_changes", "Findings by what became of them since the run before.")
		for change, n := range map[history.Change]int{history.New: c.New, history.Reopened: c.Reopened, history.Gone: c.Resolved, history.Unseen: c.Unverified, history.Seen: c.Verified, "ignore-expired": c.IgnoreExpired, "unchanged": c.Unchanged} {
			set(changes, float64(n), "change", string(change))
		}
		set(family("proxaudit_findings_unverified", "Findings of earlier runs that could not be looked at."), float64(len(l.Unverified)))
	}
	if l.Clusters != nil {
		states := family("proxaudit_cluster_state", "1 for the state that a cluster is in: healthy, converging, stuck, unknown, not-managed.")
		for i := range l.Clusters {
			for _, s := range []progress.State{progress.Healthy, progress.Converging, progress.Stuck, progress.Unknown, progress.NotManaged} {
				set(states, bit(l.Clusters[i].State == s), "cluster", l.Clusters[i].Key, "state", string(s))
			}
		}
	}
	// A family without a sample is no text.
	return slices.DeleteFunc(out, func(f *dto.MetricFamily) bool { return len(f.Metric) == 0 })
}

// countFindings adds up what has the same labels. Names of VMs are no labels: they would make a series of each.
func countFindings(f *dto.MetricFamily, l *FindingList) {
	counts := map[[5]string]int{}
	for _, r := range rules.All() {
		// What only --all lists is no zero where it was not asked for.
		if r.Class.IsFinding() || r.Severity != audit.Info {
			counts[[5]string{r.ID, string(r.Severity), string(r.Class), "", ""}] = 0
		}
	}
	for _, x := range l.Findings {
		counts[[5]string{x.Rule, string(x.Severity), string(x.Class), x.Subject.Cluster, x.Subject.Site}]++
	}
	for k, n := range counts {
		set(f, float64(n), "rule", k[0], "severity", k[1], "class", k[2], "cluster", k[3], "site", k[4])
	}
}

func sources(f *dto.MetricFamily, l *FindingList) {
	whole := map[string]bool{}
	for _, c := range l.Envelope.Coverage {
		if _, ok := whole[c.Source]; !ok {
			whole[c.Source] = true
		}
		if c.Missing() {
			whole[c.Source] = false
		}
	}
	for source, ok := range whole {
		set(f, bit(ok), "source", source)
	}
}

// set adds a sample. Labels are pairs of name and value; values are made visible, which leaves the quotes and backslashes to
// the library.
func set(f *dto.MetricFamily, value float64, labels ...string) {
	m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for i := 0; i+1 < len(labels); i += 2 {
		name, text := labels[i], Visible(labels[i+1])
		m.Label = append(m.Label, &dto.LabelPair{Name: &name, Value: &text})
	}
	f.Metric = append(f.Metric, m)
}

func labelsOf(m *dto.Metric) string {
	var parts []string
	for _, l := range m.Label {
		parts = append(parts, l.GetValue())
	}
	return strings.Join(parts, "\x00")
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
