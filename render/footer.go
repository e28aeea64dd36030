package render

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// footer says how far the result can be trusted and what it cost: it stands below every result.
func footer(e audit.Envelope) Section {
	s := Section{Footer: true}
	s.Blocks = append(s.Blocks, Notes{Items: coverageNotes(e.Coverage)})
	if r := requestsText(e.Requests); r != "" {
		s.Blocks = append(s.Blocks, Notes{Items: []Note{{Text: r, Style: Faint}}})
	}
	return s
}

// coverageNotes has the gaps, and one line for all that is whole.
func coverageNotes(all []inventory.Coverage) []Note {
	sources, broken := map[string]bool{}, map[string]bool{}
	var absent []string
	for _, c := range all {
		sources[c.Source] = true
		switch {
		case c.Missing():
			broken[c.Source] = true
		case c.State == inventory.Absent:
			absent = append(absent, c.Source+" "+c.Scope)
		}
	}
	notes := gapNotes(all)
	if len(absent) > 0 {
		notes = append(notes, Note{Text: "not installed: " + list(absent), Style: Faint, Wide: true})
	}
	if !sources[inventory.ManagementSource] && len(all) > 0 {
		notes = append(notes, Note{Text: "no management cluster was read: VMs and Nodes are classed without Machines"})
	}
	if whole := len(sources) - len(broken); whole > 0 {
		notes = append(notes, Note{Text: "complete: " + count(whole, "source", "sources"), Style: Good})
	}
	return notes
}

// mostSources is how many sources are named one by one.
const mostSources = 6

func requestsText(all []inventory.Requests) string {
	if len(all) == 0 {
		return ""
	}
	var parts []string
	if len(all) <= mostSources {
		for _, r := range all {
			parts = append(parts, requestCount(r.Source, r))
		}
		return "requests: " + strings.Join(parts, ", ")
	}
	var order []string
	sum, n := map[string]inventory.Requests{}, map[string]int{}
	for _, r := range all {
		group, _, _ := strings.Cut(r.Source, "/")
		if n[group] == 0 {
			order = append(order, group)
		}
		n[group]++
		t := sum[group]
		t.Count, t.Retries, t.Throttled = t.Count+r.Count, t.Retries+r.Retries, t.Throttled+r.Throttled
		sum[group] = t
	}
	for _, g := range order {
		name := g
		if n[g] > 1 {
			name = fmt.Sprintf("%d %ss", n[g], g)
		}
		parts = append(parts, requestCount(name, sum[g]))
	}
	return "requests: " + strings.Join(parts, ", ")
}

func requestCount(name string, r inventory.Requests) string {
	s := fmt.Sprintf("%s %d", name, r.Count)
	var extra []string
	if r.Retries > 0 {
		extra = append(extra, count(r.Retries, "retry", "retries"))
	}
	if r.Throttled > 0 {
		extra = append(extra, fmt.Sprintf("%d throttled", r.Throttled))
	}
	if len(extra) > 0 {
		s += " (" + strings.Join(extra, ", ") + ")"
	}
	return s
}
