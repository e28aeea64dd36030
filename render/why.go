package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// Why is the view of `why`: the phases of each cluster down, and the baton where it is. all is one line for each.
func Why(r *audit.WhyReport, all bool) Document {
	d := Document{Value: r, Names: []string{}}
	for i := range r.Items {
		if c := &r.Items[i]; c.State == progress.Stuck || c.State == progress.Unknown {
			d.Names = append(d.Names, "cluster/"+c.Key)
		}
	}
	if all {
		d.Sections = append(d.Sections, Section{Blocks: []Block{whyTable(r)}})
	} else {
		for i := range r.Items {
			d.Sections = append(d.Sections, whyCluster(&r.Items[i], len(r.Items) > 1)...)
		}
		if len(r.Items) == 0 {
			d.Sections = append(d.Sections, Section{Blocks: []Block{Notes{Items: []Note{{Text: "no cluster was seen in this run"}}}}})
		}
	}
	d.Sections = append(d.Sections, footer(r.Envelope))
	return d
}

func stateStyle(s progress.State) Style {
	switch s {
	case progress.Done, progress.Healthy:
		return Good
	case progress.Stuck:
		return Bad
	case progress.Converging:
		return Info
	case progress.Unknown:
		return Warn
	default:
		return Faint
	}
}

// whyTable has one line for each cluster.
func whyTable(r *audit.WhyReport) Table {
	t := Table{Columns: []Column{{Title: "CLUSTER", Min: 12}, {Title: "STATE"}, {Title: "PHASE", Fit: Fold}, {Title: "WAITS FOR"}, {Title: "SINCE", Align: Right}, {Title: "WHY", Fit: FoldFirst, Min: 36}},
		Empty: "no cluster was seen in this run"}
	for i := range r.Items {
		c := &r.Items[i]
		why := slices.Clone(c.Notes)
		for _, n := range whyMissing(c) {
			why = append(why, "not seen: "+n.String())
		}
		row := []Cell{{Text: c.Key}, {Text: string(c.State), Style: stateStyle(c.State)}, {Text: string(c.Phase)}, {}, {}, {Text: strings.Join(why, "; ")}}
		if b := c.Baton; b != nil {
			row[3].Text, row[4].Text = string(b.Holder), forText(b)
			row[5].Text = batonTitle(b)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func forText(b *progress.Baton) string {
	return age(b.Seconds)
}

// batonTitle is what holds whom, in one line.
func batonTitle(b *progress.Baton) string {
	if rest, ok := strings.CutPrefix(b.Detail, "the "+b.Object.Kind+" "+b.Object.Name+" "); ok {
		return b.Object.Kind + " " + b.Object.Name + " " + whyText(rest)
	}
	return fmt.Sprintf("%s %s: %s", b.Object.Kind, b.Object.Name, whyText(b.Detail))
}

// whyLimit is how much of a text that others wrote is shown to people.
const whyLimit = 2000

// whyText cuts a text that would bury all others.
func whyText(s string) string {
	if runes := []rune(s); len(runes) > whyLimit {
		return fmt.Sprintf("%s… (%d more characters: -o json has them)", string(runes[:whyLimit]), len(runes)-whyLimit)
	}
	return s
}

func whyCluster(c *progress.Cluster, several bool) []Section {
	head := whyHead(c)
	s := Section{Blocks: []Block{Notes{Items: head}}}
	if several {
		s.Title = "Cluster " + c.Key + ":"
	}
	if len(c.Phases) > 0 && c.State != progress.Healthy {
		s.Blocks = append(s.Blocks, whyTree(c))
	}
	out := []Section{s}
	if b := c.Baton; b != nil {
		out = append(out, batonSection(b)...)
	}
	return out
}

// whyHead is the answer in a sentence.
func whyHead(c *progress.Cluster) []Note {
	var out []Note
	switch b := c.Baton; {
	case b != nil && c.State == progress.Unknown:
		out = append(out, Note{Text: fmt.Sprintf("Cluster %s: not all of it was seen, and what was seen waits for %s", c.Key, holderText(b)), Style: Warn})
	case b != nil:
		text := fmt.Sprintf("Cluster %s is %s and waits for %s", c.Key, c.State, holderText(b))
		if since := forText(b); since != "" {
			text += ", for " + since
		}
		out = append(out, Note{Text: text, Style: stateStyle(c.State)})
	case c.State == progress.Healthy && (len(c.Notes) == 0 || c.About == ""):
		out = append(out, Note{Text: "Cluster " + c.Key + " is healthy: nobody waits for anything", Style: Good})
	case c.State == progress.Unknown:
		out = append(out, Note{Text: "Cluster " + c.Key + ": nothing can be said, for not all of it was seen", Style: Warn})
	}
	for _, n := range c.Notes {
		out = append(out, Note{Text: whyText(n), Style: Info})
	}
	for _, n := range whyMissing(c) {
		out = append(out, Note{Text: "not seen: " + n.String(), Style: Warn})
	}
	return out
}

// whyMissing is what a cluster's state lacks, each once.
func whyMissing(c *progress.Cluster) []inventory.Need {
	out := slices.Clone(c.Missing)
	if c.Baton != nil {
		out = append(out, c.Baton.Missing...)
	}
	slices.SortFunc(out, inventory.CompareNeeds)
	return slices.Compact(out)
}

// holderText names the holder with its Deployment.
func holderText(b *progress.Baton) string {
	words := map[progress.Holder]string{progress.Core: "the core controller of Cluster API", progress.Bootstrap: "the bootstrap controller", progress.ControlPlane: "the control-plane controller",
		progress.Infrastructure: "CAPMOX", progress.IPAM: "the IPAM controller", progress.Kubelet: "the machine itself (kubelet, cloud-init)", progress.CNI: "a network plugin", progress.Person: "a person",
		progress.Other: "a controller that proxaudit does not know"}
	text := words[b.Holder]
	if b.Controller != "" {
		text += " (deployment " + b.Controller + ")"
	}
	return text
}

// whyTree draws the phases down, with the batons below theirs.
func whyTree(c *progress.Cluster) Tree {
	marks := map[progress.State]string{progress.Done: "done", progress.Converging: "converging", progress.Stuck: "STUCK", progress.NotStarted: "not started", progress.Unknown: "unknown"}
	t := Tree{}
	for _, p := range c.Phases {
		b := Branch{Text: fmt.Sprintf("%s: %s", p.Title, marks[p.State]), Style: stateStyle(p.State)}
		if len(p.Evidence) > 0 {
			b.Text += " (" + strings.Join(p.Evidence, "; ") + ")"
		}
		if c.Baton != nil && c.Baton.Phase == p.ID {
			b.Branches = append(b.Branches, batonBranch(c.Baton, true))
		}
		for i := range c.Others {
			if c.Others[i].Phase == p.ID {
				b.Branches = append(b.Branches, batonBranch(&c.Others[i], false))
			}
		}
		t.Roots = append(t.Roots, b)
	}
	return t
}

func batonBranch(b *progress.Baton, first bool) Branch {
	text := batonTitle(b)
	if since := forText(b); since != "" {
		text += ", for " + since
	}
	if first {
		text = "=> " + text
	}
	return Branch{Text: text, Style: stateStyle(b.State)}
}

// batonSection says all about the first baton: evidence, what to do, and the next commands.
func batonSection(b *progress.Baton) []Section {
	items := []KeyValue{{Key: "Waits for", Value: holderText(b)}, {Key: "Object", Value: objectText(b)}, {Key: "Because", Value: whyText(b.Detail), Style: stateStyle(b.State)}}
	if k := b.Condition; k != nil {
		text := k.Type + "=" + k.Status
		if k.Reason != "" {
			text += ", " + k.Reason
		}
		if k.Message != "" {
			text += ": " + k.Message
		}
		items = append(items, KeyValue{Key: "Condition", Value: whyText(text)})
	}
	if b.Since != nil {
		items = append(items, KeyValue{Key: "Since", Value: b.Since.Format(time.RFC3339)})
	}
	if b.Next != "" {
		items = append(items, KeyValue{Key: "Changes when", Value: b.Next})
	}
	if b.Remedy != "" {
		items = append(items, KeyValue{Key: "Do", Value: b.Remedy})
	}
	for _, e := range b.Evidence {
		items = append(items, KeyValue{Key: "Evidence", Value: whyText(e)})
	}
	out := []Section{{Title: "Whose turn it is:", Blocks: []Block{KeyValues{Items: items}}}}
	if len(b.Commands) > 0 {
		out = append(out, Section{Title: "Look next:", Blocks: []Block{Code{Lines: b.Commands}}})
	}
	return out
}

func objectText(b *progress.Baton) string {
	text := b.Object.Kind + " " + b.Object.Name
	if b.Object.Namespace != "" {
		text = b.Object.Kind + " " + b.Object.Namespace + "/" + b.Object.Name
	}
	if b.Cluster != "" {
		text += " in the cluster " + b.Cluster
	}
	return text
}
