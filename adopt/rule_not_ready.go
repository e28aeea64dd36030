package adopt

import (
	"fmt"
)

var ruleNotReady = Rule{
	ID:    "PXA246",
	Title: "Machine is not in good health",
	Why: "A Node that is not Ready stays so, and its Machine will not be. While one control plane is ill, the control-plane controller does " +
		"nothing that it should, and a mistake costs more.",
	Remedy: "Bring it in order first, or adopt knowing that conditions will say so.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			var details []string
			if m.node.Ready != "True" {
				details = append(details, fmt.Sprintf("Node %s: Ready is %q", m.node.Name, m.node.Ready))
			}
			if m.node.Unschedulable {
				details = append(details, "Node "+m.node.Name+" is cordoned")
			}
			if m.vm != nil && m.vm.Lock != "" {
				details = append(details, "the VM is locked: "+m.vm.Lock)
			}
			if len(details) > 0 {
				out = append(out, r.of(m.ref(), details...))
			}
		}
		return out
	},
}
