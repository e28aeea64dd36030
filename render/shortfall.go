package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// shortfall is all that did not come back for one cause: one answer, or every one of an API server that is down. Never empty.
type shortfall []inventory.Coverage

const (
	// foldFrom is how many answers with one cause share a line. Fewer have one each, with the name that verdicts call
	// them by.
	foldFrom = 3
	// mostScopes is how many scopes are named of those that share a line.
	mostScopes = 3
)

// gapNotes has one line per cause, with what to do about it: what a verdict needs before what none does. Where a line
// is for many, the wide format names all of them.
func gapNotes(all []inventory.Coverage) []Note {
	var asides []Note
	for _, g := range gapsOf(all) {
		if g.needed() == 0 {
			asides = append(asides, g.notes(asidePrefix, Faint)...)
		}
	}
	return saidOnce(slices.Concat(neededNotes(all), asides))
}

// neededNotes are those of what a verdict needs.
func neededNotes(all []inventory.Coverage) []Note {
	var out []Note
	for _, g := range gapsOf(all) {
		if g.needed() > 0 {
			out = append(out, g.notes(needPrefix, Warn)...)
		}
	}
	return out
}

// saidOnce gives each remedy with the first that needs it: several answers may be missing for one cause.
func saidOnce(notes []Note) []Note {
	said := map[string]string{}
	for i := range notes {
		n := &notes[i]
		if n.Detail == "" {
			continue
		}
		if first, ok := said[n.Detail]; ok && len(n.Detail) > len(sameRemedy)+len(first) {
			n.Detail = sameRemedy + first
			continue
		}
		said[n.Detail] = n.About
	}
	return notes
}

const (
	sameRemedy  = "as for "
	needPrefix  = "incomplete: "
	asidePrefix = "not needed for a verdict: "
)

// gapsOf brings together what has one cause and one remedy, in the order in which they come first.
func gapsOf(all []inventory.Coverage) []shortfall {
	type cause struct {
		text, remedy string
		// single is set for answers that have a line of their own.
		single int
	}
	count := map[cause]int{}
	for _, c := range all {
		count[cause{text: causeText(c), remedy: c.Remedy}]++
	}
	var out []shortfall
	at := map[cause]int{}
	for i, c := range all {
		if c.State == inventory.Complete || c.State == inventory.Absent {
			continue
		}
		key := cause{text: causeText(c), remedy: c.Remedy}
		if count[key] < foldFrom {
			key.single = i + 1
		}
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], c)
	}
	return out
}

func (g shortfall) needed() int {
	n := 0
	for _, c := range g {
		if c.Missing() {
			n++
		}
	}
	return n
}

func (g shortfall) notes(prefix string, style Style) []Note {
	first := g[0]
	if len(g) == 1 {
		return []Note{{Text: prefix + first.Need().String() + ": " + causeText(first), Detail: first.Remedy, Style: style, About: first.Need().String()}}
	}
	var sources, scopes, names []string
	for _, c := range g {
		names = append(names, c.Need().String())
		if !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
		if !slices.Contains(scopes, c.Scope) {
			scopes = append(scopes, c.Scope)
		}
	}
	what := some(scopes, mostScopes)
	if n := g.needed(); n > 0 && n < len(g) {
		what += fmt.Sprintf("; %d of them not needed for a verdict", len(g)-n)
	}
	all := fmt.Sprintf("%d answers of %s (%s)", len(g), some(sources, mostSources), what)
	return []Note{
		{Text: prefix + all + ": " + causeText(first), Detail: first.Remedy, Style: style, About: all},
		{Text: "these are " + list(names), Style: style, Wide: true},
	}
}

// causeText is what became of a question, and why. The numbers of one that was answered in part belong to it.
func causeText(c inventory.Coverage) string {
	s := string(c.State)
	if c.Asked > 0 && c.State == inventory.Partial {
		s += fmt.Sprintf(" (%d of %d)", c.Got, c.Asked)
	}
	if c.Reason != "" {
		s += ": " + c.Reason
	}
	return s
}

// some names the first few of many.
func some(items []string, most int) string {
	if len(items) <= most+1 {
		return list(items)
	}
	return strings.Join(items[:most], ", ") + " and " + count(len(items)-most, "other", "others")
}
