package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/audit"
)

var ruleProvenPair = Rule{
	ID:    "PXA241",
	Title: "This pair of versions was not executed",
	Why: "The whole way is executed against Cluster API " + ProvenCAPI + " with CAPMOX " + ProvenCAPMOX + ". What others do was read from their " +
		"sources, and what CAPMOX does to a VM that runs is not something that it promises.",
	Remedy: "Upgrade to the proven pair, or adopt a cluster that you can lose first. verify says unknown for what depends on it.",
	check: func(r *Rule, p *planner) []Finding {
		capi, capmox := parseVersion(p.versions.CAPI), parseVersion(p.versions.CAPMOX)
		if p.versions.Proven || capi == nil || capmox == nil || capi.LessThan(leastCAPI) || capmox.LessThan(leastCAPMOX) {
			return nil
		}
		return []Finding{r.of(audit.SubjectRef{Kind: "provider", Name: providerCore, ID: "provider/" + providerCore},
			fmt.Sprintf("Cluster API %s with CAPMOX %s", p.versions.CAPI, p.versions.CAPMOX))}
	},
}
