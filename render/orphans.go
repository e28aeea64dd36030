package render

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
)

// Orphans is the view of `orphans`.
func Orphans(r *audit.OrphanReport) Document {
	d := Document{Value: r, Names: []string{}, Findings: orphanFindings(r)}
	t := Table{
		Columns: []Column{
			{Title: "CLASS"},
			{Title: "SUBJECT", Min: 40},
			{Title: "NAME", Fit: Fold, Min: 30},
			{Title: "STATUS", Fit: Fold},
			{Title: "AGE"},
			{Title: "HOLDS", Fit: Fold},
			{Title: "CONFIDENCE", Fit: Fold},
			{Title: "SEVERITY", Wide: true, Fit: Fold},
			{Title: "RULE", Wide: true, Fit: Fold},
			{Title: "CLUSTER", Wide: true, Fit: Fold},
			{Title: "HOST", Wide: true, Fit: Fold},
			{Title: "UUID", Wide: true, Fit: Fold},
			{Title: "FINDING", Wide: true, Fit: FoldFirst, Min: 36},
			{Title: "EVIDENCE", Fit: FoldFirst, Min: 36},
			{Title: "REMEDY", Wide: true, Fit: FoldFirst, Min: 36},
			{Title: "FINGERPRINT", Wide: true, Fit: Fold},
		},
		Empty: "No findings.",
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		d.Names = append(d.Names, f.Subject.ID)
		t.Rows = append(t.Rows, []Cell{
			{Text: string(f.Class), Style: classStyle(f.Class)},
			{Text: f.Subject.ID},
			{Text: f.Subject.Name},
			{Text: f.Status},
			{Text: age(f.AgeSeconds)},
			{Text: holds(f.Holds)},
			{Text: string(f.Confidence)},
			{Text: string(f.Severity)},
			{Text: f.Rule},
			{Text: f.Subject.Cluster},
			{Text: f.Subject.Node},
			{Text: f.Subject.UUID},
			{Text: f.Title},
			{Text: findingLine(f)},
			{Text: f.Remedy},
			{Text: f.Fingerprint},
		})
	}
	s := summary(&r.Summary, len(r.Findings), true)
	s.Blocks = append(s.Blocks, ignoreNotes(&r.Ignores, &r.Summary)...)
	d.Sections = []Section{{Blocks: []Block{t}}, s, footer(r.Envelope)}
	return d
}

// findingLine is the evidence of a finding in one line, with the other claimants of a conflict. Of other findings, the
// others are the machine's own parts.
func findingLine(f *audit.Finding) string {
	line := evidenceLine(f.Evidence, f.Missing, f.Title)
	if f.Class == identity.Conflict && len(f.Others) > 0 {
		ids := make([]string, 0, len(f.Others))
		for _, o := range f.Others {
			ids = append(ids, o.ID)
		}
		line += "; with " + list(ids)
	}
	if f.Class == identity.NonNode && f.WaitingFor != "" {
		line += "; it waits for " + f.WaitingFor
	}
	if f.IgnoreExpired != nil {
		line += "; " + expiredText(f.IgnoreExpired)
	}
	return line
}

// summary counts what was found, what it holds and what was looked at. Where a filter hides something, the counts are of
// what is listed; what is not counted so says that. Rows that are no findings are counted where every row looks like one.
func summary(s *audit.Summary, listed int, findings bool) Section {
	var notes []Note
	text := count(s.Findings, "finding", "findings")
	if by := bySeverity(s.Severities); by != "" {
		text += ": " + by
	}
	style := Good
	if s.Severities[audit.Critical] > 0 {
		style = Bad
	} else if s.Findings > 0 {
		style = Warn
	}
	if more := listed - s.Findings; findings && more > 0 {
		text += fmt.Sprintf("; %d more listed, which are none", more)
	}
	notes = append(notes, Note{Text: text, Style: style})
	if by := byClass(s.Classes); by != "" {
		notes = append(notes, Note{Text: "by class: " + by})
	}
	if s.Hidden != nil {
		notes = append(notes, Note{Text: fmt.Sprintf("the filter hides %d of %s", *s.Hidden, count(*s.Hidden+listed, "row", "rows"))})
	}
	if r := s.Reclaimable; r.VMs > 0 {
		least := ""
		if r.Partial {
			least = "at least "
		}
		notes = append(notes, Note{Text: fmt.Sprintf("reclaimable: %s with %s%d vCPU, %s memory, %d GiB disk",
			count(r.VMs, "orphan VM", "orphan VMs"), least, r.VCPU, mebibytes(r.MemoryMiB), r.DiskGiB)})
	}
	looked := []string{count(s.VMs, "VM", "VMs"), count(s.Machines, "Machine", "Machines"), count(s.Nodes, "Node", "Nodes")}
	if s.Containers > 0 {
		looked = append(looked, count(s.Containers, "container", "containers"))
	}
	text = "looked at " + list(looked)
	if s.Hidden != nil {
		text = "in all, " + text
	}
	notes = append(notes, Note{Text: text})
	if n := s.NoVerdict; n > 0 {
		text := count(n, "machine has", "machines have") + " no verdict, because something was not seen"
		if s.Hidden != nil {
			text = "in all, " + text
		}
		notes = append(notes, Note{Text: text, Style: Warn})
	}
	return Section{Footer: true, Blocks: []Block{Notes{Items: notes}}}
}

func bySeverity(m map[audit.Severity]int) string {
	var parts []string
	for _, s := range []audit.Severity{audit.Critical, audit.Warning, audit.Info} {
		if m[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", m[s], s))
		}
	}
	return strings.Join(parts, ", ")
}

func byClass(m map[identity.Class]int) string {
	var parts []string
	for _, c := range identity.Classes() {
		if m[c] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c, m[c]))
		}
	}
	return strings.Join(parts, ", ")
}

func severityStyle(s audit.Severity) Style {
	switch s {
	case audit.Critical:
		return Bad
	case audit.Warning:
		return Warn
	default:
		return Info
	}
}
