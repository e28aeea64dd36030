package render

import "github.com/proxaudit/proxaudit/inventory"

// GapLines says in the words of the footer what a verdict needs and what did not come back, and what to do about it: for
// standard error, where the result itself does not show it. The lines are not made safe yet.
func GapLines(all []inventory.Coverage) []string {
	var lines []string
	for _, n := range saidOnce(neededNotes(all)) {
		if n.Wide {
			continue
		}
		lines = append(lines, n.Text)
		if n.Detail != "" {
			lines = append(lines, "  "+n.Detail)
		}
	}
	return lines
}
