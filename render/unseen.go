package render

import (
	"slices"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// UnseenFirst puts in front of what a plan found what was not seen: no finding is made of that, so that those which follow are not all.
func UnseenFirst(d Document, p *adopt.Plan) Document {
	if len(p.Missing) == 0 {
		return d
	}
	var missing []inventory.Coverage
	for _, c := range p.Coverage {
		if slices.Contains(p.Missing, c.Need()) {
			missing = append(missing, c)
		}
	}
	var notes []Note
	for _, g := range gapsOf(missing) {
		notes = append(notes, g.notes("", Warn)...)
	}
	// The facts that a plan begins with have no title.
	at := 0
	if len(d.Sections) > 0 && d.Sections[0].Title == "" {
		at = 1
	}
	d.Sections = slices.Insert(slices.Clone(d.Sections), at, Section{Title: "Not seen, and needed (what rests on it is not judged):", Blocks: []Block{Notes{Items: saidOnce(notes)}}})
	return d
}
