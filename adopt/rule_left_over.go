package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/audit/identity"
)

var ruleLeftOver = Rule{
	ID:     "PXA248",
	Title:  "VM belongs to the cluster and is no Node",
	Why:    "It is not adopted: no Machine stands for it. A half-way join that comes up later is a Node without a Machine.",
	Remedy: "Finish it or remove it first (proxaudit orphans shows what is known of it).",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for i := range p.g.Entities {
			e := &p.g.Entities[i]
			if e.Cluster == p.cluster.Key && e.Class == identity.OrphanVM && len(e.VMs) > 0 {
				out = append(out, r.of(vmRef(&p.s.VMs[e.VMs[0]]), fmt.Sprintf("class %s, confidence %s", e.Class, e.Confidence)))
			}
		}
		return out
	},
}
