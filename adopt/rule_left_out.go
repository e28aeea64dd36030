package adopt

import (
	"fmt"
	"slices"
)

var ruleLeftOut = Rule{
	ID:    "PXA251",
	Title: "Node is left out of the adoption",
	Why: "It is no VM of a scanned site, or was named to be left out. It stays a Node of the cluster that Cluster API does not know: " +
		"nothing upgrades, drains or replaces it.",
	Remedy: "Nothing, if it is bare metal. A Node whose VM is gone: kubectl delete node. A VM of a site that was not scanned: scan it.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.leftOut {
			why := "no VM of a scanned site stands for it: class " + string(m.entity.Class)
			if slices.Contains(p.opt.LeaveOut, m.node.Name) {
				why = "named by --leave-out"
			}
			out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("%s, Ready is %q", why, m.node.Ready)))
		}
		return out
	},
}
