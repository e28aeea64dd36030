package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// needed is the coverage as this analysis sees it: what a verdict lacks is a gap. An entry may be optional as long as
// nothing hangs on it (the namespaces that -n leaves out), and something may be lacking that was never asked.
func needed(all []inventory.Coverage, entities []identity.Entity) []inventory.Coverage {
	lacking := map[string]bool{}
	for i := range entities {
		for _, m := range entities[i].Missing {
			lacking[m] = true
		}
	}
	if len(lacking) == 0 {
		return all
	}
	out := slices.Clone(all)
	for i := range out {
		c := &out[i]
		name := c.Source + " " + c.Scope
		if !lacking[name] {
			continue
		}
		delete(lacking, name)
		c.Optional = false
		if !c.Missing() {
			c.State, c.Reason = inventory.Partial, "something that a verdict needs of it was not seen"
		}
	}
	for name := range lacking {
		source, scope, _ := strings.Cut(name, " ")
		out = append(out, inventory.Coverage{Source: source, Scope: scope, State: inventory.NotAsked,
			Reason: "a verdict needs it, and it was no part of this run"})
	}
	slices.SortFunc(out, func(a, b inventory.Coverage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	return out
}
