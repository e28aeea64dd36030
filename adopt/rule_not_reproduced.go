package adopt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

var ruleNotReproduced = Rule{
	ID:    "PXA247",
	Title: "Labels of Nodes that later machines would not get",
	Why: "Some labels neither a kubelet may set nor Cluster API copies, and some stand on single machines only. The adopted Nodes keep them; a " +
		"machine that is made later has none.",
	Remedy: "Label new Nodes by what labels them today, or use labels below node-role.kubernetes.io, node-restriction.kubernetes.io or node.cluster.x-k8s.io.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		unique := p.uniqueLabels()
		if len(unique) > 0 {
			out = append(out, r.of(clusterRef(p.cluster.Key), "every worker has another value of "+strings.Join(slices.Sorted(maps.Keys(unique)), ", ")+
				": it tells machines apart and groups none"))
		}
		for _, g := range p.groups {
			var lost []string
			for _, k := range slices.Sorted(maps.Keys(g.labels)) {
				if !kubeletMaySet(k) && !machineMaySet(k) {
					lost = append(lost, k+"="+g.labels[k])
				}
			}
			if len(lost) > 0 {
				out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("MachineDeployment %s: %s", g.name, strings.Join(lost, ", "))))
			}
		}
		members := p.controlPlanes()
		common := inCommon(members)
		for _, m := range members {
			var own []string
			labels := chosenLabels(m.node)
			for _, k := range slices.Sorted(maps.Keys(labels)) {
				if v, ok := common[k]; !ok || v != labels[k] || !kubeletMaySet(k) && !machineMaySet(k) {
					own = append(own, k+"="+labels[k])
				}
			}
			if len(own) > 0 {
				out = append(out, r.of(nodeRef(m.node), strings.Join(own, ", ")))
			}
		}
		return out
	},
}
