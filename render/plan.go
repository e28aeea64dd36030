package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// Plan is the view of `adopt`.
func Plan(p *adopt.Plan) Document {
	d := Document{Value: p, Names: []string{}}
	for _, m := range p.Machines {
		d.Names = append(d.Names, inventory.Subject{Kind: inventory.SubjectNode, Scope: p.Cluster, Name: m.Node}.String())
	}
	d.Sections = append(d.Sections, Section{Blocks: []Block{planFacts(p)}})
	if len(p.Blockers) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Blockers:", Blocks: []Block{findingsTable(p.Blockers)}})
	}
	if len(p.Warnings) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Warnings:", Blocks: []Block{findingsTable(p.Warnings)}})
	}
	d.Sections = append(d.Sections, Section{Title: "Machines:", Blocks: []Block{machinesTable(p)}})
	if len(p.Groups) > 0 {
		d.Sections = append(d.Sections, Section{Title: "MachineDeployments:", Blocks: []Block{groupsTable(p)}})
	}
	d.Sections = append(d.Sections, Section{Title: "Secrets that have to be there (never printed):", Blocks: []Block{secretsTable(p)}})
	if len(p.Blockers) == 0 && len(p.Missing) == 0 {
		d.Sections = append(d.Sections, stepSections(p)...)
	}
	d.Sections = append(d.Sections, planSummary(p), footer(p.Envelope))
	return d
}

func planFacts(p *adopt.Plan) KeyValues {
	versions := fmt.Sprintf("Kubernetes %s, Cluster API %s, CAPMOX %s", orUnknown(p.Versions.Kubernetes), orUnknown(p.Versions.CAPI), orUnknown(p.Versions.CAPMOX))
	if p.Versions.Proven {
		versions += " (the pair that was executed)"
	}
	return KeyValues{Items: []KeyValue{
		{Key: "Cluster", Value: p.Cluster},
		{Key: "Becomes", Value: p.Namespace + "/" + p.Name}, {Key: "Seen at", Value: p.GeneratedAt.Format(time.RFC3339)},
		{Key: "Site", Value: orUnknown(p.Site)},
		{Key: "Versions", Value: versions},
	}}
}

func orUnknown(s string) string {
	if s == "" {
		return unknownValue
	}
	return s
}

// findingsTable shows each finding in a row: what it is about, what it is, and what to do.
func findingsTable(fs []adopt.Finding) Table {
	t := Table{Columns: []Column{
		{Title: "RULE"},
		{Title: "SUBJECT", Min: 24},
		{Title: "NAME", Fit: Fold},
		{Title: "WHAT", Fit: FoldFirst, Min: 30},
		{Title: "REMEDY", Fit: FoldFirst, Min: 36},
	}}
	for i := range fs {
		f := &fs[i]
		style := Warn
		if f.Destroys {
			style = Bad
		}
		what := f.Title
		if len(f.Details) > 0 {
			what += ": " + strings.Join(f.Details, "; ")
		}
		remedy := f.Remedy
		if i > 0 && fs[i-1].Rule == f.Rule && fs[i-1].Remedy == f.Remedy {
			remedy = ""
		}
		t.Rows = append(t.Rows, []Cell{{Text: f.Rule, Style: style}, {Text: f.Subject.ID}, {Text: f.Subject.Name}, {Text: what}, {Text: remedy}})
	}
	return t
}

func machinesTable(p *adopt.Plan) Table {
	t := Table{Columns: []Column{
		{Title: "MACHINE", Min: 20},
		{Title: "NODE", Min: 20},
		{Title: "ROLE"},
		{Title: "VM", Min: 12},
		{Title: "HOST", Fit: Fold},
		{Title: "VERSION", Fit: Fold},
		{Title: "DEPLOYMENT", Fit: Fold},
		{Title: "PROVIDERID", Wide: true, Fit: Fold},
	}, Empty: "The cluster has no Nodes."}
	for _, m := range p.Machines {
		role := "worker"
		if m.ControlPlane {
			role = "control plane"
		}
		vm := ""
		if m.VMID != 0 {
			vm = inventory.VMSubject(inventory.Key{Site: m.Site, VMID: m.VMID}).String()
		}
		t.Rows = append(t.Rows, []Cell{{Text: m.Name}, {Text: m.Node}, {Text: role}, {Text: vm}, {Text: m.Host}, {Text: m.Version}, {Text: m.Group}, {Text: m.ProviderID}})
	}
	return t
}

func groupsTable(p *adopt.Plan) Table {
	t := Table{Columns: []Column{
		{Title: "DEPLOYMENT", Min: 20},
		{Title: "MACHINES", Align: Right},
		{Title: "VERSION"},
		{Title: "SIZE", Fit: Fold},
		{Title: "LABELS", Fit: Fold, Min: 20},
		{Title: "TAINTS", Fit: Fold, Min: 20},
	}}
	for _, g := range p.Groups {
		size := fmt.Sprintf("%d vCPU / %s", g.Sockets*g.Cores, mebibytes(g.MemoryMiB))
		if g.DiskGiB > 0 {
			size += fmt.Sprintf(" / %d GiB", g.DiskGiB)
		}
		var labels, taints []string
		for _, k := range sortedKeys(g.Labels) {
			labels = append(labels, k+"="+g.Labels[k])
		}
		for _, x := range g.Taints {
			taints = append(taints, x.Key+"="+x.Value+":"+x.Effect)
		}
		t.Rows = append(t.Rows, []Cell{{Text: g.Name}, {Text: fmt.Sprint(len(g.Machines))}, {Text: g.Version}, {Text: size},
			{Text: strings.Join(labels, ", ")}, {Text: strings.Join(taints, ", ")}})
	}
	return t
}

func secretsTable(p *adopt.Plan) Table {
	t := Table{Columns: []Column{{Title: "SECRET", Min: 20}, {Title: "TYPE", Fit: Fold}, {Title: "KEYS", Fit: Fold}, {Title: "FROM", Fit: FoldFirst, Min: 30}}, Empty: "None."}
	for _, s := range p.Secrets {
		t.Rows = append(t.Rows, []Cell{{Text: p.Namespace + "/" + s.Name}, {Text: s.Type}, {Text: strings.Join(s.Keys, ", ")}, {Text: s.From}})
	}
	return t
}

// stepSections have a section for each step, with what to type.
func stepSections(p *adopt.Plan) []Section {
	var out []Section
	for i := range p.Steps {
		s := &p.Steps[i]
		sec := Section{Title: fmt.Sprintf("Step %d: %s", s.Number, s.Title), Blocks: []Block{Notes{Items: []Note{{Text: s.Why}}}}}
		add := func(label string, lines []string) {
			if len(lines) > 0 {
				sec.Blocks = append(sec.Blocks, Label{label}, Code{Lines: lines})
			}
		}
		sec.Blocks = append(sec.Blocks, beforeBlocks(s)...)
		add("In another terminal, in the same folder, from now on to the last step:", s.Beside)
		add("Do:", chained(s.Commands))
		add(s.AlsoIf+":", s.Also)
		add("Go on only if "+s.Expect+":", s.Check)
		add("Then:", s.After)
		sec.Blocks = append(sec.Blocks, back(s)...)
		add("To go on after that:", chained(s.Resume))
		out = append(out, sec)
	}
	return out
}

// beforeBlocks are what comes before the step itself, and what of it no command does.
func beforeBlocks(s *adopt.Step) []Block {
	var out []Block
	if len(s.Before) > 0 {
		label := "First:"
		if s.StopIf != "" {
			label = "First, and stop here if " + s.StopIf + ":"
		}
		out = append(out, Label{label}, Code{Lines: chained(s.Before)})
	}
	if len(s.ByHand) > 0 {
		notes := Notes{}
		for _, text := range s.ByHand {
			notes.Items = append(notes.Items, Note{Text: text})
		}
		out = append(out, Label{"Then, by hand:"}, notes)
	}
	return out
}

// chained keeps a line from running if one before it failed: a block is pasted as a whole.
func chained(lines []string) []string {
	out := slices.Clone(lines)
	last := -1
	for i := range out {
		if out[i] == "" || strings.HasPrefix(out[i], "#") {
			continue
		}
		if last >= 0 {
			out[last] += " &&"
		}
		last = i
	}
	return out
}

func back(s *adopt.Step) []Block {
	var out []Block
	if s.AbortNote != "" || len(s.Abort) > 0 {
		out = append(out, Label{"To go back:"})
	}
	if s.AbortNote != "" {
		out = append(out, Notes{Items: []Note{{Text: s.AbortNote}}})
	}
	if len(s.Abort) > 0 {
		out = append(out, Code{Lines: chained(s.Abort)})
	}
	if len(s.Instead) > 0 {
		out = append(out, Label{s.InsteadIf + ":"}, Code{Lines: s.Instead})
	}
	return out
}

func planSummary(p *adopt.Plan) Section {
	s := p.Summary
	what := fmt.Sprintf("%s, %s: ", count(s.ControlPlanes, "control plane", "control planes"), count(s.Workers, "worker", "workers"))
	note := Note{Style: Good, Text: what + count(s.Objects, "manifest", "manifests") + ", " + count(s.Warnings, "warning", "warnings")}
	switch {
	case s.Incomplete:
		note = Note{Style: Warn, Text: what + "no manifests, because something that they need was not seen"}
	case s.Blockers > 0:
		text := fmt.Sprintf("%s, %d of which --force does not override, and %s", count(s.Blockers, "blocker", "blockers"), s.Destructive, count(s.Warnings, "warning", "warnings"))
		if len(p.Lacks) > 0 {
			text += "; --force cannot help: the manifests need " + strings.Join(p.Lacks, "; ")
		}
		if s.Rendered {
			text += "; rendered all the same (--force)"
		}
		note = Note{Style: Bad, Text: what + text}
	}
	return Section{Footer: true, Blocks: []Block{Notes{Items: []Note{note}}}}
}
