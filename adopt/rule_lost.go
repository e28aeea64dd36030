package adopt

var ruleLost = Rule{
	ID:     "PXA245",
	Title:  "kubeadm-config says what Cluster API has no field for",
	Why:    "The adopted machines keep it. A machine that is made later is configured without it.",
	Remedy: "See whether it matters for new machines; if so, do it by preKubeadmCommands or a patch in kubeadmConfigSpec, the same in the KubeadmControlPlane and every KubeadmConfig.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, l := range p.kubeadm.lost {
			out = append(out, r.of(clusterRef(p.cluster.Key), l))
		}
		return out
	},
}
