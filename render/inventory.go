package render

import (
	"strings"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
)

// Inventory is the view of `inventory`.
func Inventory(r *audit.InventoryReport) Document {
	d := Document{Value: r, Names: []string{}}
	t := Table{
		Columns: []Column{
			{Title: "CLASS"},
			{Title: "SUBJECT", Min: 40},
			{Title: "NAME", Fit: Fold, Min: 30},
			{Title: "CLUSTER", Fit: Fold, Min: 20},
			{Title: "MACHINE", Fit: Fold, Min: 30},
			{Title: "NODE", Fit: Fold, Min: 30},
			{Title: "STATUS", Fit: Fold},
			{Title: "READY", Fit: Fold},
			{Title: "AGE"},
			{Title: "HOLDS", Fit: Fold},
			{Title: "VM", Wide: true, Fit: Fold},
			{Title: "HOST", Wide: true, Fit: Fold},
			{Title: "ADDRESSES", Wide: true, Fit: Fold, Min: 16},
			{Title: "CONFIDENCE", Wide: true, Fit: Fold},
			{Title: "LINK", Wide: true, Fit: FoldFirst, Min: 36},
			{Title: "NOTES", Wide: true, Fit: FoldFirst, Min: 24},
			{Title: "UUID", Wide: true, Fit: Fold},
		},
		Empty: "Nothing was found.",
	}
	for i := range r.Items {
		it := &r.Items[i]
		d.Names = append(d.Names, it.Subject.ID)
		link := ""
		if it.Link != nil {
			link = evidenceText(*it.Link)
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: string(it.Class), Style: classStyle(it.Class)},
			{Text: it.Subject.ID},
			{Text: it.Subject.Name},
			{Text: it.Cluster},
			{Text: refNames(it.Machines)},
			{Text: refNames(it.Nodes)},
			{Text: it.Status},
			{Text: it.NodeReady, Style: readyStyle(it.NodeReady)},
			{Text: age(it.AgeSeconds)},
			{Text: holds(it.Holds)},
			{Text: refIDs(it.VMs)},
			{Text: vmParts(it, func(r audit.SubjectRef) string { return r.Node })},
			{Text: strings.Join(it.Addresses, " ")},
			{Text: string(it.Confidence)},
			{Text: link},
			{Text: strings.Join(it.Notes, "; ")},
			{Text: vmParts(it, func(r audit.SubjectRef) string { return r.UUID })},
		})
	}
	d.Sections = []Section{{Blocks: []Block{t}}, summary(&r.Summary, len(r.Items), false), footer(r.Envelope)}
	return d
}

// refNames are the names of objects whose kind the column's title says.
func refNames(refs []audit.SubjectRef) string {
	names := make([]string, 0, len(refs))
	for _, r := range refs {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

func refIDs(refs []audit.SubjectRef) string {
	ids := make([]string, 0, len(refs))
	for _, r := range refs {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

// vmParts are what the subject says of itself, and the machine's VMs where another side of it is the subject: a Machine
// that is no Node has a host and a UUID as well. A Node's own UUID counts, for it may be all that is left of a VM.
func vmParts(it *audit.Item, part func(audit.SubjectRef) string) string {
	if own := part(it.Subject); own != "" {
		return own
	}
	var parts []string
	for _, vm := range it.VMs {
		if p := part(vm); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

func classStyle(c identity.Class) Style {
	switch {
	case c == identity.Conflict:
		return Bad
	case c.IsFinding():
		return Warn
	case c == identity.Managed:
		return Good
	case c == identity.Template || c == identity.Unrelated:
		return Faint
	default:
		return Info
	}
}

func readyStyle(s string) Style {
	switch s {
	case "False", "Unknown":
		return Warn
	default:
		return Plain
	}
}
