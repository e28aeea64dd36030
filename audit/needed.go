package audit

import (
	"slices"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// notAsked is the entry of something that a verdict needs and nobody asked for: because its source failed before, or because
// the run was never told of it.
func notAsked(all []inventory.Coverage, n inventory.Need) inventory.Coverage {
	c := inventory.Coverage{Source: n.Source, Scope: n.Scope, State: inventory.NotAsked}
	for i := range all {
		if all[i].Source == n.Source && all[i].Missing() {
			c.Reason = "not asked, after " + all[i].Scope + " of the same source did not come back whole"
			return c
		}
	}
	if n.Scope == inventory.ScopeSite {
		c.Reason = "some machines of the cluster are in none of the scanned sites, or nothing says that they are in one: what is not here may be elsewhere"
		c.Remedy = "scan the other sites too, or say in proxaudit.yaml where its VMs are (clusters[].site, or sites[].regions for the regions of providerIDs)"
		return c
	}
	c.Reason = "a verdict needs it, and it was no part of this run"
	c.Remedy = "name it in proxaudit.yaml (sites[], clusters[]); proxaudit doctor shows what a run asks"
	return c
}

// noClusters is there for a run that read no cluster at all: every VM is unrelated then, which is a list of VMs and no
// audit.
var noClusters = inventory.Coverage{Source: inventory.KubernetesSource, Scope: "clusters", State: inventory.NotAsked,
	Reason: "no Kubernetes cluster was named: nothing can be called an orphan",
	Remedy: inventory.NameClusters}

// clusterless is true if a Snapshot was made without a single cluster.
func clusterless(s *inventory.Snapshot) bool {
	return s.Management == nil && len(s.Clusters) == 0 && len(s.Nodes) == 0
}

// needed is the coverage as this analysis sees it: what a verdict lacks is a gap. An entry may be optional as long as
// nothing hangs on it (the namespaces that -n leaves out), and something may be lacking that was never asked.
func needed(all []inventory.Coverage, entities []identity.Entity) []inventory.Coverage {
	lacking := map[inventory.Need]bool{}
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
		if !lacking[c.Need()] {
			continue
		}
		delete(lacking, c.Need())
		c.Optional = false
		if !c.Missing() {
			c.State, c.Reason = inventory.Partial, "something that a verdict needs of it was not seen"
		}
	}
	for n := range lacking {
		out = append(out, notAsked(all, n))
	}
	slices.SortFunc(out, func(a, b inventory.Coverage) int { return inventory.CompareNeeds(a.Need(), b.Need()) })
	return out
}
