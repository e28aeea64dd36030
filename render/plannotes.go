package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// PlanNotes is what adopt says beside the manifests: blockers, warnings, and how to make the Secrets that it never prints.
func PlanNotes(p *adopt.Plan) Document {
	d := Document{Value: p}
	if len(p.Blockers) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Blockers:", Blocks: []Block{findingsTable(p.Blockers)}})
	}
	if len(p.Warnings) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Warnings:", Blocks: []Block{findingsTable(p.Warnings)}})
	}
	if !p.Ready() {
		return d
	}
	for _, s := range p.Steps {
		if s.ID == adopt.StepSecrets {
			d.Sections = append(d.Sections, Section{Title: "Secrets that have to be there before anything is unpaused:",
				Blocks: secretBlocks(p, &s)})
		}
		if s.ID == adopt.StepPatchNodes && len(s.Commands) > 0 {
			d.Sections = append(d.Sections, Section{Title: "Nodes that need their providerID first:", Blocks: []Block{Code{Lines: s.Commands}}})
		}
	}
	d.Sections = append(d.Sections, Section{Blocks: []Block{Notes{Items: []Note{{Text: "Everything is paused. The order of the steps, and the check after each: --output-dir, or -o table."}}}}})
	return d
}

// secretBlocks tell how to make the Secrets, and what to see before.
func secretBlocks(p *adopt.Plan, s *adopt.Step) []Block {
	out := []Block{secretsTable(p)}
	add := func(label string, lines []string) {
		if len(lines) > 0 {
			out = append(out, Label{label}, Code{Lines: lines})
		}
	}
	out = append(out, beforeBlocks(s)...)
	add("These commands make them:", s.Commands)
	add("When verify has said that they fit:", p.CleanUp())
	return out
}

// FolderNotes is what adopt says beside a folder with the runbook, in which the rest stands.
func FolderNotes(p *adopt.Plan) Document {
	d := PlanNotes(p)
	d.Sections = slices.DeleteFunc(d.Sections, func(s Section) bool { return s.Title != "Blockers:" && s.Title != "Warnings:" })
	return d
}

// Rejections is what the management cluster said against manifests in a dry run.
func Rejections(r *inventory.DryRun) Document {
	t := Table{Columns: []Column{{Title: "OBJECT", Min: 30}, {Title: "CAUSE"}, {Title: "FIELD", Fit: Fold}, {Title: "MESSAGE", Fit: FoldFirst, Min: 36}, {Title: "REMEDY", Fit: FoldFirst, Min: 36}}}
	for _, x := range r.Rejections {
		t.Rows = append(t.Rows, []Cell{{Text: strings.ToLower(x.Object.Kind) + "/" + x.Object.Namespace + "/" + x.Object.Name, Style: Bad},
			{Text: string(x.Cause)}, {Text: x.Field}, {Text: x.Message}, {Text: x.Remedy}})
	}
	return Document{Value: r, Sections: []Section{{Title: "What the management cluster would refuse:", Blocks: []Block{t}},
		{Footer: true, Blocks: []Block{Notes{Items: []Note{{Text: fmt.Sprintf("asked about %s, would take %d", count(r.Sent, "manifest", "manifests"), r.Accepted), Style: Bad}}}}}}}
}
