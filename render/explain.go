package render

import (
	"strings"

	"github.com/proxaudit/proxaudit/audit"
)

// Explain is the view of `explain`: the verdict, and everything that argued for and against it.
func Explain(x *audit.Explanation) Document {
	d := Document{Value: x, Names: []string{x.Subject.ID}}
	d.Sections = append(d.Sections, Section{Blocks: []Block{KeyValues{Items: verdictItems(x)}}})
	if roots := parts(&x.Item); len(roots) > 0 {
		d.Sections = append(d.Sections, Section{Title: "One machine, seen from each side:", Blocks: []Block{Tree{Roots: roots}}})
	}
	d.Sections = append(d.Sections,
		Section{Title: "Evidence for:", Blocks: []Block{evidenceTable(byStrength(x.For, false))}},
		Section{Title: "Evidence against:", Blocks: []Block{evidenceTable(byStrength(x.Against, true))}})
	if len(x.Missing) > 0 {
		var notes []Note
		for _, m := range x.Missing {
			notes = append(notes, Note{Text: m, Style: Warn})
		}
		d.Sections = append(d.Sections, Section{Title: "Not seen, and needed for a verdict:", Blocks: []Block{Notes{Items: notes}}})
	}
	if x.Remedy != "" {
		d.Sections = append(d.Sections, Section{Title: "What to do:", Blocks: []Block{Notes{Items: []Note{{Text: x.Remedy}}}}})
	}
	d.Sections = append(d.Sections, footer(x.Envelope))
	return d
}

func verdictItems(x *audit.Explanation) []KeyValue {
	var items []KeyValue
	add := func(key, value string, s Style) {
		if value != "" {
			items = append(items, KeyValue{Key: key, Value: value, Style: s})
		}
	}
	it := &x.Item
	add("Subject", x.Subject.ID, Plain)
	add("Name", x.Subject.Name, Plain)
	add("Class", string(it.Class), classStyle(it.Class))
	add("Verdict", x.Verdict, Plain)
	add("Confidence", string(it.Confidence), Plain)
	if f := x.Finding; f != nil {
		add("Finding", f.Rule+" "+f.Title, severityStyle(f.Severity))
		add("Severity", string(f.Severity), severityStyle(f.Severity))
		add("Waiting for", f.WaitingFor, Plain)
	}
	add("Cluster", it.Cluster, Plain)
	add("Host", x.Subject.Node, Plain)
	add("UUID", x.Subject.UUID, Plain)
	add("Status", it.Status, Plain)
	add("Node ready", it.NodeReady, readyStyle(it.NodeReady))
	add("Since", since(it.Since, it.AgeSeconds), Plain)
	add("Holds", holds(it.Holds), Plain)
	add("Addresses", strings.Join(it.Addresses, ", "), Plain)
	add("Notes", strings.Join(it.Notes, "; "), Plain)
	add("Fingerprint", it.Fingerprint, Faint)
	return items
}

// parts shows who is who: the VM, and what stands for it in each API.
func parts(it *audit.Item) []Branch {
	var roots []Branch
	for _, kind := range []struct {
		title string
		refs  []audit.SubjectRef
	}{
		{"VM", it.VMs}, {"ProxmoxMachine", it.Infra}, {"Machine", it.Machines}, {"Node", it.Nodes},
	} {
		b := Branch{Text: kind.title}
		if len(kind.refs) == 0 {
			b.Text += ": none"
			b.Style = Faint
		}
		for _, r := range kind.refs {
			text := r.ID
			if r.Name != "" && !strings.HasSuffix(r.ID, "/"+r.Name) {
				text += " " + r.Name
			}
			if r.UUID != "" {
				text += " " + r.UUID
			}
			b.Branches = append(b.Branches, Branch{Text: text})
		}
		roots = append(roots, b)
	}
	return roots
}
