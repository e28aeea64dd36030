package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// notAsked is the entry of something that a verdict needs and nobody asked for: because its source failed before, or because
// the run was never told of it.
func notAsked(all []inventory.Coverage, source, scope string) inventory.Coverage {
	c := inventory.Coverage{Source: source, Scope: scope, State: inventory.NotAsked}
	for i := range all {
		if all[i].Source == source && all[i].Missing() {
			c.Reason = "not asked, after " + all[i].Scope + " of the same source did not come back whole"
			return c
		}
	}
	c.Reason = "a verdict needs it, and it was no part of this run"
	c.Remedy = "name it in proxaudit.yaml (sites[], clusters[]); proxaudit doctor shows what a run asks"
	return c
}

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
		out = append(out, notAsked(all, source, scope))
	}
	slices.SortFunc(out, func(a, b inventory.Coverage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	return out
}
