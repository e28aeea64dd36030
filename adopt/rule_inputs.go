package adopt

var ruleInputs = Rule{
	ID: "PXA216", Blocks: true,
	Title: "What future machines would be made from is not known",
	Why: "The manifests have to say from which template a machine would be cloned and which addresses it may take, though no adopted machine " +
		"is touched by it. A guess would show when somebody scales up.",
	Remedy: "Give what is missing as flags, or in proxaudit.yaml under clusters[].adopt. The endpoint is kubeadm-config's: an address or name that " +
		"leads to the API servers from everywhere, and that their certificates name.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, l := range p.future.lacks {
			out = append(out, r.of(clusterRef(p.cluster.Key), l))
		}
		if p.endpoint.host == "" {
			out = append(out, r.of(clusterRef(p.cluster.Key), "the control plane's endpoint: "+p.endpoint.problem))
		}
		return out
	},
}
