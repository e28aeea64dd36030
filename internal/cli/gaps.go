package cli

import (
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

// sayGaps tells what did not come back where the result does not: names alone, rows alone, a snapshot, files. Who gets
// the exit code 3 and a count would have to run it all again to learn why.
func (r *run) sayGaps(targets []target, coverage []inventory.Coverage) {
	if r.quiet || r.tellsCoverage(targets) {
		return
	}
	for _, line := range render.GapLines(coverage) {
		r.tell(line)
	}
}

// tellsCoverage is true if what goes to standard output has the footer.
func (r *run) tellsCoverage(targets []target) bool {
	for _, t := range targets {
		if t.path == "" && !r.noHeaders && (t.format.Name == "table" || t.format.Name == "wide") {
			return true
		}
	}
	return false
}
