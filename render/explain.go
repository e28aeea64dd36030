package render

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// Explain is the view of `explain`: the verdict, and everything that argued for and against it.
func Explain(x *audit.Explanation) Document {
	d := Document{Value: x, Names: []string{x.Subject.ID}}
	d.Sections = append(d.Sections, Section{Blocks: []Block{KeyValues{Items: verdictItems(x)}}})
	title := "One machine, seen from each side:"
	if x.Item.Class == identity.Conflict {
		title = "What is in conflict, seen from each side:"
	}
	d.Sections = append(d.Sections, Section{Title: title, Blocks: []Block{Tree{Roots: parts(&x.Item)}}})
	d.Sections = append(d.Sections,
		Section{Title: "Evidence for:", Blocks: []Block{evidenceTable(byStrength(x.For, false))}},
		Section{Title: "Evidence against:", Blocks: []Block{evidenceTable(byStrength(x.Against, true))}})
	if len(x.Missing) > 0 {
		var notes []Note
		for _, m := range x.Missing {
			notes = append(notes, Note{Text: m.String(), Style: Warn})
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
		add("Rule", f.Rule, Plain)
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

// parts shows who is who: the VM, and what stands for it in each API. A side that has nothing may have something that
// was not seen, or something that belongs to a rival; those come last.
func parts(it *audit.Item) []Branch {
	var roots []Branch
	for _, kind := range []struct {
		kind, title string
		refs        []audit.SubjectRef
	}{
		{inventory.SubjectVM, "VM", it.VMs}, {inventory.SubjectProxmoxMachine, "ProxmoxMachine", it.Infra},
		{inventory.SubjectMachine, "Machine", it.Machines}, {inventory.SubjectNode, "Node", it.Nodes},
	} {
		b := Branch{Text: kind.title, Branches: leaves(kind.refs)}
		if len(kind.refs) == 0 {
			b.Text += ": none found"
			if slices.ContainsFunc(it.Rivals, func(r audit.SubjectRef) bool { return r.Kind == kind.kind }) {
				b.Text = kind.title + ": none of its own"
			}
			b.Style = Faint
		}
		roots = append(roots, b)
	}
	if len(it.Rivals) > 0 {
		roots = append(roots, Branch{Text: "In conflict with", Style: Bad, Branches: leaves(it.Rivals)})
	}
	return roots
}

func leaves(refs []audit.SubjectRef) []Branch {
	var out []Branch
	for _, r := range refs {
		text := r.ID
		if r.Name != "" && !strings.HasSuffix(r.ID, "/"+r.Name) {
			text += " " + r.Name
		}
		if r.UUID != "" {
			text += " " + r.UUID
		}
		out = append(out, Branch{Text: text})
	}
	return out
}
