package adopt

import "github.com/proxaudit/proxaudit/inventory"

var ruleNoKubeadm = Rule{
	ID: "PXA215", Blocks: true, Destroys: true,
	Title: "Cluster was not made by kubeadm",
	Why: "The control-plane controller waits for the ConfigMap kubeadm-config for ever, and its KubeadmConfigs mean nothing to k3s, RKE2 or " +
		"Talos. What it would do to their control planes is not what anybody wants.",
	Remedy: "k3s, RKE2 and Talos clusters cannot be adopted under a KubeadmControlPlane. For a kubeadm cluster that lost the ConfigMap: kubeadm init phase upload-config kubeadm.",
	check: func(r *Rule, p *planner) []Finding {
		switch {
		case p.cluster.Kubeadm == nil && p.s.Known(inventory.ClusterSource(p.cluster.Key), inventory.ScopeKubeadm):
			return []Finding{r.of(clusterRef(p.cluster.Key), "it has no ConfigMap kube-system/kubeadm-config")}
		case p.kubeadm.err != nil:
			return []Finding{r.advise(clusterRef(p.cluster.Key), "Let kubeadm of the cluster's own version write it again: kubeadm init phase upload-config kubeadm --config FILE.", p.kubeadm.err.Error())}
		}
		return nil
	},
}
