package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// reportPage is the report for a browser: all findings in one table that can be searched, and what a terminal cannot show.
func reportPage(r *audit.Report) []Section {
	machines := r.Machines()
	remedies := newRemedies(r)
	out := []Section{
		{Title: "Summary", ID: "summary", Blocks: slices.Concat(reportNews(r).Blocks, []Block{reportFigures(r)})},
		{Title: "Findings", ID: "all-findings", Blocks: []Block{allFindings(r, remedies)}},
	}
	if len(r.Resolved) > 0 {
		out = append(out, Section{Title: "Resolved", ID: "resolved", Blocks: []Block{captioned(recordTable(r.Resolved), "Findings that are over since the last run")}})
	}
	if len(r.Unverified) > 0 {
		out = append(out, Section{Title: "Not verified", ID: "unverified", Blocks: []Block{captioned(recordTable(r.Unverified), "Findings of earlier runs that could not be looked at")}})
	}
	if s, ok := trend(r); ok {
		out = append(out, s)
	}
	out = append(out, clusterSections(r, machines)...)
	if t := heldTable(r); len(t.Rows) > 0 {
		out = append(out, Section{Title: "What orphan VMs hold", ID: "held", Blocks: []Block{t}})
	}
	out = append(out, remedies.section())
	out = append(out, coverageSection(r))
	return out
}

func captioned(t Table, caption string) Table {
	t.Caption = caption
	return t
}

// reportFigures are the counts that a team looks at first, each with the place that has the rest.
func reportFigures(r *audit.Report) Figures {
	var f Figures
	add := func(n int, label string, style Style, link string) {
		if n == 0 {
			style, link = Plain, ""
		}
		f.Items = append(f.Items, Figure{Value: fmt.Sprint(n), Label: label, Style: style, Link: link})
	}
	add(r.Summary.Severities[audit.Critical], "critical", Bad, "all-findings")
	add(r.Summary.Severities[audit.Warning], "warnings", Warn, "all-findings")
	add(r.Summary.Severities[audit.Info], "for information", Info, "all-findings")
	if c := r.Summary.Changes; c != nil {
		add(c.New, "new", Warn, "all-findings")
		add(c.Reopened, "back", Warn, "all-findings")
		add(c.Resolved, "resolved", Good, "resolved")
		add(len(r.Unverified), "not verified", Warn, "unverified")
	}
	add(r.Summary.Clusters.Stuck, "clusters stuck", Warn, "clusters")
	add(r.Summary.NoVerdict, "machines without a verdict", Warn, "coverage")
	missing := 0
	for i := range r.Coverage {
		if r.Coverage[i].Missing() {
			missing++
		}
	}
	add(missing, "answers missing", Bad, "coverage")
	return f
}

// allFindings is every finding in a row. What to do is said once for all that have it in common.
func allFindings(r *audit.Report, remedies *remedies) Table {
	t := Table{ID: "findings", Caption: "All findings of this run, the worst first", Empty: "No findings.", Nouns: [2]string{"finding", "findings"},
		Columns: []Column{{Title: "Severity", Facet: "severity"}, {Title: "Class", Facet: "class", Under: true}, {Title: "Rule", Facet: "rule", Under: true},
			{Title: "Name"}, {Title: "Subject", Under: true}, {Title: "Status", Under: true},
			{Title: "Cluster", Facet: "cluster"}, {Title: "Site", Facet: "site", Under: true},
			{Title: "Evidence", Fit: FoldFirst}, {Title: "What to do", Under: true}, {Title: "Fingerprint", Under: true},
			{Title: "Change", Facet: "change"}, {Title: "First seen", Under: true}, {Title: "Runs", Under: true},
			{Title: "Age"}, {Title: "Holds", Under: true}}}
	for i := range r.Findings {
		f := &r.Findings[i]
		first, change, runs := "", "", ""
		if h := f.History; h != nil {
			first, change, runs = "since "+day(h.FirstSeen), cmp.Or(changeText(h), "still there"), count(h.Runs, "run", "runs")
		}
		cluster := Cell{Text: f.Subject.Cluster}
		if cluster.Text != "" {
			cluster.Link = clusterID(cluster.Text)
		}
		t.Rows = append(t.Rows, []Cell{{Text: string(f.Severity), Style: severityStyle(f.Severity)}, {Text: string(f.Class)}, {Text: f.Rule},
			{Text: cmp.Or(f.Subject.Name, f.Subject.ID)}, {Text: f.Subject.ID}, {Text: f.Status}, cluster, {Text: f.Subject.Site},
			{Text: findingLine(&f.Finding)}, remedies.cell(&f.Finding), {Text: "fingerprint " + f.Fingerprint},
			{Text: change}, {Text: first}, {Text: runs}, {Text: age(f.AgeSeconds)}, {Text: holds(f.Holds)}})
	}
	return t
}

func clusterID(key string) string { return "cluster-" + key }

// trend is how many findings the runs of the history had.
func trend(r *audit.Report) (Section, bool) {
	if len(r.Trend) < 2 {
		return Section{}, false
	}
	c := Chart{Caption: "Findings of each run", Marks: map[int]string{},
		Lines: []Line{{Name: "critical", Style: Bad}, {Name: "warning", Style: Warn}, {Name: "info", Style: Info}}}
	for i := range r.Trend {
		k := &r.Trend[i]
		c.Points = append(c.Points, k.At.UTC().Format("2006-01-02 15:04"))
		for j, n := range []int{k.Critical, k.Warning, k.Info} {
			c.Lines[j].Values = append(c.Lines[j].Values, n)
		}
		if k.Incomplete {
			c.Marks[i] = "incomplete"
		}
	}
	return Section{Title: "Trend", ID: "trend", Blocks: []Block{c}}, true
}

// heldTable is what the orphan VMs of each site and cluster occupy.
func heldTable(r *audit.Report) Table {
	type place struct{ site, cluster string }
	held := map[place]*audit.Reclaimable{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Class != "orphan-vm" {
			continue
		}
		p := place{f.Subject.Site, f.Subject.Cluster}
		if held[p] == nil {
			held[p] = &audit.Reclaimable{}
		}
		held[p].Add(f.Holds)
	}
	t := Table{Caption: "What deleting the orphan VMs would free, by their configuration", Columns: []Column{{Title: "Site"}, {Title: "Cluster"}, {Title: "Orphan VMs", Align: Right},
		{Title: "vCPU", Align: Right}, {Title: "Memory", Align: Right}, {Title: "Disk", Align: Right}, {Title: "Note"}}}
	places := slices.SortedFunc(maps.Keys(held), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.cluster, b.cluster))
	})
	row := func(site, cluster string, h *audit.Reclaimable) {
		note := ""
		if h.Partial {
			note = "at least: not all of it is known"
		}
		t.Rows = append(t.Rows, []Cell{{Text: site}, {Text: cluster}, {Text: fmt.Sprint(h.VMs)}, {Text: fmt.Sprint(h.VCPU)}, {Text: mebibytes(h.MemoryMiB)},
			{Text: fmt.Sprintf("%d GiB", h.DiskGiB)}, {Text: note}})
	}
	for _, p := range places {
		row(p.site, p.cluster, held[p])
	}
	if len(places) > 1 {
		row("all sites", "", &r.Summary.Reclaimable)
	}
	return t
}

// coverageSection is what each source was asked and how much came back: the gaps with their reasons, and a row for each source.
func coverageSection(r *audit.Report) Section {
	s := Section{Title: "Coverage", ID: "coverage", Blocks: []Block{Notes{Items: coverageNotes(r.Coverage)}}}
	t := Table{Caption: "What each source was asked, and what came back", Columns: []Column{{Title: "Source"}, {Title: "State"}, {Title: "Asked for", Align: Right},
		{Title: "Answered", Align: Right}, {Title: "Not installed", Align: Right}, {Title: "Missing", Align: Right}, {Title: "Not needed", Align: Right}, {Title: "Requests", Align: Right}}}
	requests := map[string]int{}
	for _, q := range r.Requests {
		requests[q.Source] += q.Count + q.Retries
	}
	type tally struct{ all, complete, absent, missing, optional int }
	by := map[string]*tally{}
	for i := range r.Coverage {
		c := &r.Coverage[i]
		if by[c.Source] == nil {
			by[c.Source] = &tally{}
		}
		n := by[c.Source]
		n.all++
		switch {
		case c.Missing():
			n.missing++
		case c.State == inventory.Absent:
			n.absent++
		case c.State == inventory.Complete:
			n.complete++
		default:
			n.optional++
		}
	}
	for _, source := range slices.Sorted(maps.Keys(by)) {
		n := by[source]
		state := Cell{Text: "complete", Style: Good}
		if n.missing > 0 {
			state = Cell{Text: "incomplete", Style: Bad}
		}
		t.Rows = append(t.Rows, []Cell{{Text: source}, state, countCell(n.all), countCell(n.complete), countCell(n.absent), countCell(n.missing), countCell(n.optional), countCell(requests[source])})
	}
	s.Blocks = append(s.Blocks, t)
	return s
}

func countCell(n int) Cell { return Cell{Text: fmt.Sprint(n)} }

// remedies are what to do, each text once, by rule.
type remedies struct {
	ids   map[string]string
	order []Cell
	rules []string
}

func newRemedies(r *audit.Report) *remedies {
	m := &remedies{ids: map[string]string{}}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Class == rules.Stuck || m.ids[f.Remedy] != "" {
			continue
		}
		id := fmt.Sprintf("remedy-%d", len(m.order)+1)
		m.ids[f.Remedy] = id
		m.order = append(m.order, Cell{Text: f.Remedy})
		m.rules = append(m.rules, f.Rule+", "+string(f.Class))
	}
	return m
}

// cell leads to what to do. Of a stuck cluster that is a command of its own.
func (m *remedies) cell(f *audit.Finding) Cell {
	id := m.ids[f.Remedy]
	if id == "" {
		return Cell{Text: "What to do: " + f.Remedy}
	}
	return Cell{Text: "What to do: no. " + strings.TrimPrefix(id, "remedy-"), Link: id}
}

func (m *remedies) section() Section {
	s := Section{Title: "What to do", ID: "remedies"}
	t := Table{Caption: "What to do about the findings, by the number that stands in their rows", Columns: []Column{{Title: "No."}, {Title: "Rule and class"}, {Title: "What to do"}}}
	for i, c := range m.order {
		t.Rows = append(t.Rows, []Cell{{Text: fmt.Sprint(i + 1), ID: fmt.Sprintf("remedy-%d", i+1)}, {Text: m.rules[i]}, c})
	}
	if len(t.Rows) > 0 {
		s.Blocks = []Block{t}
	}
	return s
}

// clusterState is a cluster's state in a sentence.
func clusterState(c *progress.Cluster) []Note {
	if c.State == progress.NotManaged {
		return []Note{{Text: "No Cluster API is responsible for it: proxaudit adopt --cluster " + c.Key + " says what it would take", Style: Faint}}
	}
	return whyHead(c)
}
