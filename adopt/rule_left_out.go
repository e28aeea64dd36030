package adopt

import "fmt"

var ruleLeftOut = Rule{
	ID:    "PXA251",
	Title: "Node is left out of the adoption",
	Why: "It is no VM of a scanned site, or was named to be left out. It stays a Node of the cluster that Cluster API does not know: " +
		"nothing upgrades, drains or replaces it.",
	Remedy: "Nothing, if it is bare metal. A Node whose VM is gone: kubectl delete node. A VM of a site that was not scanned: scan it.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.leftOut {
			out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("class %s, Ready is %q", m.entity.Class, m.node.Ready)))
		}
		return out
	},
}
