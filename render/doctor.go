package render

import (
	"fmt"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// Doctor is the view of `doctor`.
func Doctor(r *audit.DoctorReport) Document {
	d := Document{Value: r}
	t := Table{
		Columns: []Column{
			{Title: "STATUS"},
			{Title: "SOURCE", Min: 12},
			{Title: "CHECK", Min: 20},
			{Title: "DETAIL", Fit: FoldFirst, Min: 36},
		},
		Empty: "There was nothing to check: no Proxmox site and no cluster is configured.",
	}
	var todo []Note
	for _, c := range r.Checks {
		t.Rows = append(t.Rows, []Cell{
			{Text: string(c.Status), Style: checkStyle(c.Status)},
			{Text: c.Source},
			{Text: c.Name},
			{Text: c.Detail},
		})
		if c.Remedy != "" && c.Status != inventory.CheckOK {
			what := c.Source + ": " + c.Name
			todo = append(todo, Note{Text: what, Detail: c.Remedy, Style: checkStyle(c.Status), About: what})
		}
	}
	d.Sections = append(d.Sections, Section{Blocks: []Block{t}})
	if len(todo) > 0 {
		d.Sections = append(d.Sections, Section{Title: "What to do:", Blocks: []Block{Notes{Items: saidOnce(todo)}}})
	}
	s := r.Summary
	style := Good
	switch {
	case s.Failed > 0:
		style = Bad
	case s.Warnings > 0:
		style = Warn
	}
	foot := []Note{{Style: style, Text: fmt.Sprintf(
		"%d ok, %s, %d failed, %d skipped", s.OK, count(s.Warnings, "warning", "warnings"), s.Failed, s.Skipped)}}
	if s.Notes > 0 {
		foot[0].Text += ", " + count(s.Notes, "note", "notes")
	}
	if cost := requestsText(r.Requests); cost != "" {
		foot = append(foot, Note{Text: cost, Style: Faint})
	}
	d.Sections = append(d.Sections, Section{Footer: true, Blocks: []Block{Notes{Items: foot}}})
	return d
}

func checkStyle(s inventory.CheckStatus) Style {
	switch s {
	case inventory.CheckOK:
		return Good
	case inventory.CheckWarning:
		return Warn
	case inventory.CheckFailed:
		return Bad
	case inventory.CheckNote:
		return Info
	default:
		return Faint
	}
}
