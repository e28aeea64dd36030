package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
)

// drawn is how many machines are drawn on one page, and drawnEach how many healthy ones of one cluster: a map of thousands of
// machines that are well is no map. Findings go first.
const (
	drawn     = 3000
	drawnEach = 60
)

// clusterSections are one for each cluster: how it does, and the map of its machines. What belongs to no cluster comes last, if it is a finding.
func clusterSections(r *audit.Report, machines []audit.MachineLinks) []Section {
	by := map[string][]*audit.MachineLinks{}
	for i := range machines {
		m := &machines[i]
		by[m.Cluster] = append(by[m.Cluster], m)
	}
	out := []Section{{Title: "Clusters", ID: "clusters", Blocks: []Block{clustersTable(r, by)}}}
	room := drawn
	seen := map[string]bool{}
	for i := range r.Clusters {
		c := &r.Clusters[i]
		seen[c.Key] = true
		s := Section{Title: "Cluster " + c.Key, ID: clusterID(c.Key), Level: 1, Blocks: []Block{Notes{Items: clusterState(c)}}}
		s.Blocks = append(s.Blocks, mapOf("The machines of cluster "+c.Key, by[c.Key], &room)...)
		out = append(out, s)
	}
	var keys []string
	for key := range by {
		if !seen[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		title, id := "Cluster "+key, clusterID(key)
		list := by[key]
		if key == "" {
			title, id = "Machines of no cluster", "no-cluster"
			list = slices.DeleteFunc(slices.Clone(list), func(m *audit.MachineLinks) bool { return !m.Class.IsFinding() })
		}
		if blocks := mapOf(title, list, &room); len(blocks) > 0 {
			out = append(out, Section{Title: title, ID: id, Level: 1, Blocks: blocks})
		}
	}
	return out
}

// clustersTable is the clusters in a row each.
func clustersTable(r *audit.Report, by map[string][]*audit.MachineLinks) Table {
	t := Table{Caption: "The clusters of this run", Empty: "No cluster was read.", Columns: []Column{{Title: "Cluster"}, {Title: "State"}, {Title: "Waits for"}, {Title: "Machines", Align: Right}, {Title: "Findings", Align: Right}}}
	for i := range r.Clusters {
		c := &r.Clusters[i]
		wait := ""
		if c.Baton != nil {
			wait = string(c.Baton.Holder) + ": " + batonTitle(c.Baton)
		}
		findings := 0
		for _, m := range by[c.Key] {
			if m.Class.IsFinding() {
				findings++
			}
		}
		t.Rows = append(t.Rows, []Cell{{Text: c.Key, Link: clusterID(c.Key)}, {Text: string(c.State), Style: stateStyle(c.State)}, {Text: wait}, countCell(len(by[c.Key])), countCell(findings)})
	}
	return t
}

// mapOf draws machines as VM, Machine and Node, with what ties them.
func mapOf(caption string, machines []*audit.MachineLinks, room *int) []Block {
	if len(machines) == 0 {
		return nil
	}
	sorted := slices.Clone(machines)
	slices.SortStableFunc(sorted, func(a, b *audit.MachineLinks) int { return cmp.Compare(interest(a.Class), interest(b.Class)) })
	m := Map{Caption: caption, Sides: []string{"VM", "Machine", "Node"}}
	healthy, left := 0, map[identity.Class]int{}
	for _, x := range sorted {
		well := interest(x.Class) > 0
		if *room == 0 || well && healthy == drawnEach {
			left[x.Class]++
			continue
		}
		*room--
		if well {
			healthy++
		}
		m.Rows = append(m.Rows, chain(x))
	}
	out := []Block{m}
	if len(left) > 0 {
		var parts []string
		for _, class := range identity.Classes() {
			if n := left[class]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, class))
			}
		}
		out = append(out, Notes{Items: []Note{{Text: "Not drawn: " + list(parts) + " (proxaudit inventory lists every machine)", Style: Faint}}})
	}
	return out
}

// interest is 0 for what is drawn whatever there is.
func interest(c identity.Class) int {
	switch {
	case c.IsFinding():
		return 0
	case c == identity.Managed:
		return 2
	default:
		return 1
	}
}

// chain is one machine as a row of the map.
func chain(m *audit.MachineLinks) Chain {
	c := Chain{Label: string(m.Class), Style: classStyle(m.Class), Boxes: make([]Box, 3), Links: []string{linkText(m.VMMachine), linkText(m.MachineNode)}}
	if len(m.VMs) > 0 {
		c.Boxes[0] = Box{Text: boxNames(m.VMs), Detail: joined(refIDs(m.VMs), m.Status, hosts(m.VMs))}
	}
	declared := m.Machines
	if len(declared) == 0 {
		declared = m.Infra
	}
	if len(declared) > 0 {
		c.Boxes[1] = Box{Text: boxNames(declared), Detail: refIDs(declared)}
	} else {
		// What ties the VM to its Node goes past the Machine that there is not.
		c.Links = []string{linkText(m.VMNode), ""}
		if c.Links[0] != "" {
			c.Links[1] = "the same"
		}
	}
	if len(m.Nodes) > 0 {
		c.Boxes[2] = Box{Text: boxNames(m.Nodes), Detail: joined(m.NodeReady, strings.Join(m.Addresses, " "))}
	}
	return c
}

// boxNames are names; what has none shows its ID.
func boxNames(refs []audit.SubjectRef) string {
	names := make([]string, 0, len(refs))
	for _, r := range refs {
		names = append(names, cmp.Or(r.Name, r.ID))
	}
	return strings.Join(names, ", ")
}

func hosts(refs []audit.SubjectRef) string {
	var out []string
	for _, r := range refs {
		if r.Node != "" && !slices.Contains(out, r.Node) {
			out = append(out, r.Node)
		}
	}
	return strings.Join(out, " ")
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// linkText is what ties two sides, in two words: the rest is in explain.
func linkText(ev *identity.Evidence) string {
	if ev == nil {
		return ""
	}
	return kindWord(ev.Kind) + " (" + string(ev.Strength) + ")"
}
