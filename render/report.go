package render

import (
	"fmt"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/progress"
)

// Report is the view of `report`: what is new comes first, then what is gone, what nobody could look at, and whom the
// clusters wait for.
func Report(r *audit.Report) Document {
	d := Document{Value: r, Names: []string{}, Findings: reportFindings(r), Title: "proxaudit report of " + r.GeneratedAt.UTC().Format("2006-01-02 15:04 UTC"),
		Page: func() []Section { return reportPage(r) }}
	d.Sections = append(d.Sections, reportNews(r))
	var fresh, back, old []*audit.ReportFinding
	for i := range r.Findings {
		f := &r.Findings[i]
		d.Names = append(d.Names, f.Subject.ID)
		if f.History != nil && f.History.Change != "" && f.History.Change != history.Seen {
			fresh = append(fresh, f)
		} else if f.IgnoreExpired != nil && f.IgnoreExpired.Back {
			back = append(back, f)
		} else {
			old = append(old, f)
		}
	}
	if r.Since == nil {
		d.Sections = append(d.Sections, Section{Blocks: []Block{reportTable(old, "No findings.")}})
	} else {
		if len(fresh) > 0 {
			d.Sections = append(d.Sections, Section{Title: "New:", Blocks: []Block{reportTable(fresh, "")}})
		}
		if len(back) > 0 {
			d.Sections = append(d.Sections, Section{Title: "Not ignored any more, for the rule has expired:", Blocks: []Block{reportTable(back, "")}})
		}
		if len(r.Resolved) > 0 {
			d.Sections = append(d.Sections, Section{Title: "Resolved:", Blocks: []Block{recordTable(r.Resolved)}})
		}
		if len(r.Unverified) > 0 {
			d.Sections = append(d.Sections, Section{Title: "Not verified, for it could not be looked at:", Blocks: []Block{recordTable(r.Unverified)}})
		}
		if len(old) > 0 {
			d.Sections = append(d.Sections, Section{Title: "Still there:", Blocks: []Block{reportTable(old, "")}})
		}
	}
	if t, any := waitingClusters(r); any {
		d.Sections = append(d.Sections, Section{Title: "Clusters that wait:", Blocks: []Block{t}})
	}
	s := summary(&r.Summary.Summary, len(r.Findings), true)
	s.Blocks = append(s.Blocks, Notes{Items: []Note{clusterCounts(&r.Summary.Clusters)}})
	s.Blocks = append(s.Blocks, ignoreNotes(&r.Ignores, &r.Summary.Summary)...)
	d.Sections = append(d.Sections, s, footer(r.Envelope))
	return d
}

// reportNews is the report in a sentence.
func reportNews(r *audit.Report) Section {
	c := r.Summary.Changes
	if c == nil && r.NotCompared != "" {
		return Section{Blocks: []Block{Notes{Items: []Note{{Text: "Not compared: " + r.NotCompared, Style: Warn}}}}}
	}
	if c == nil {
		return Section{Footer: true, Blocks: []Block{Notes{Items: []Note{{Text: "There is no earlier run to compare with (--history FILE keeps them, --baseline FILE names one)", Style: Faint}}}}}
	}
	n := Note{Text: "Nothing changed", Style: Good}
	if c.Any() {
		n = Note{Style: Warn}
		for _, part := range []struct {
			n    int
			word string
		}{{c.New, "new"}, {c.Reopened, "back"}, {c.Resolved, "resolved"}, {c.Unverified, "not verified any more"}, {c.Verified, "verified again"}, {c.IgnoreExpired, "not ignored any more"}, {c.Unchanged, "unchanged"}} {
			if part.n > 0 {
				if n.Text != "" {
					n.Text += ", "
				}
				n.Text += fmt.Sprintf("%d %s", part.n, part.word)
			}
		}
	}
	if r.Since.At.IsZero() {
		n.Text = "This is the first run of the history: " + count(len(r.Findings), "finding", "findings")
	} else {
		n.Text += " since " + r.Since.At.Format("2006-01-02 15:04 UTC")
	}
	return Section{Blocks: []Block{Notes{Items: []Note{n}}}}
}

// reportTable is the findings with their lives.
func reportTable(findings []*audit.ReportFinding, empty string) Table {
	t := Table{
		Columns: []Column{
			{Title: "CLASS"}, {Title: "SUBJECT", Min: 40}, {Title: "NAME", Fit: Fold, Min: 30}, {Title: "STATUS", Fit: Fold},
			{Title: "FIRST SEEN"}, {Title: "CHANGE", Fit: Fold}, {Title: "AGE", Fit: Fold}, {Title: "HOLDS", Fit: Fold},
			{Title: "SEVERITY", Wide: true, Fit: Fold}, {Title: "RULE", Wide: true, Fit: Fold}, {Title: "CLUSTER", Wide: true, Fit: Fold}, {Title: "RUNS", Wide: true, Align: Right, Fit: Fold},
			{Title: "EVIDENCE", Fit: FoldFirst, Min: 36}, {Title: "REMEDY", Wide: true, Fit: FoldFirst, Min: 36}, {Title: "FINGERPRINT", Wide: true, Fit: Fold},
		},
		Empty: empty,
	}
	for _, f := range findings {
		first, change, runs := "", "", ""
		if h := f.History; h != nil {
			first, change, runs = day(h.FirstSeen), changeText(h), fmt.Sprint(h.Runs)
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: string(f.Class), Style: classStyle(f.Class)}, {Text: f.Subject.ID}, {Text: f.Subject.Name}, {Text: f.Status},
			{Text: first}, {Text: change}, {Text: age(f.AgeSeconds)}, {Text: holds(f.Holds)},
			{Text: string(f.Severity)}, {Text: f.Rule}, {Text: f.Subject.Cluster}, {Text: runs},
			{Text: findingLine(&f.Finding)}, {Text: f.Remedy}, {Text: f.Fingerprint},
		})
	}
	return t
}

func changeText(h *audit.Life) string {
	text := string(h.Change)
	if h.ReopenedAt != nil && h.Change != history.Reopened {
		text = "back since " + day(*h.ReopenedAt)
	}
	return text
}

// recordTable is findings that the run does not have.
func recordTable(records []history.Record) Table {
	t := Table{Columns: []Column{
		{Title: "CLASS"}, {Title: "SUBJECT", Min: 40}, {Title: "NAME", Fit: Fold, Min: 30}, {Title: "FIRST SEEN"}, {Title: "LAST SEEN"},
		{Title: "RULE", Wide: true, Fit: Fold}, {Title: "CLUSTER", Wide: true, Fit: Fold}, {Title: "WHY", Fit: FoldFirst, Min: 36}, {Title: "FINGERPRINT", Wide: true, Fit: Fold},
	}}
	for _, r := range records {
		t.Rows = append(t.Rows, []Cell{{Text: r.Class}, {Text: r.Subject}, {Text: r.Name}, {Text: day(r.FirstSeen)}, {Text: day(r.LastSeen)},
			{Text: r.Rule}, {Text: r.Cluster}, {Text: r.Why}, {Text: r.Fingerprint}})
	}
	return t
}

// waitingClusters are those that are neither healthy nor left alone.
func waitingClusters(r *audit.Report) (t Table, any bool) {
	why := &audit.WhyReport{}
	for i := range r.Clusters {
		if c := &r.Clusters[i]; c.State != progress.Healthy && c.State != progress.NotManaged {
			why.Items = append(why.Items, *c)
		}
	}
	return whyTable(why), len(why.Items) > 0
}

func clusterCounts(s *audit.WhySummary) Note {
	n := Note{}
	for _, part := range []struct {
		n     int
		state progress.State
	}{{s.Stuck, progress.Stuck}, {s.Unknown, progress.Unknown}, {s.Converging, progress.Converging}, {s.Healthy, progress.Healthy}, {s.NotManaged, progress.NotManaged}} {
		if part.n > 0 {
			if n.Text != "" {
				n.Text += ", "
			}
			n.Text += fmt.Sprintf("%d %s", part.n, part.state)
		}
	}
	if n.Text == "" {
		n.Text = "none"
	}
	n.Text = "clusters: " + n.Text
	if s.Stuck+s.Unknown > 0 {
		n.Style = Warn
	}
	return n
}

// day is a date for a table of nights.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
