package adopt

var ruleServingCA = Rule{
	ID:     "PXA249",
	Title:  "It was not seen which authority signed the API server's certificate",
	Why:    "The Secret NAME-ca has to hold that authority's key. A wrong one shows nowhere: every condition is True, until the first new machine cannot join.",
	Remedy: "Read the cluster through a kubeconfig that verifies the API server's certificate (no insecure-skip-tls-verify). --pki-dir writes no Secrets before.",
	check: func(r *Rule, p *planner) []Finding {
		if len(p.cluster.ServingCAs) > 0 {
			return nil
		}
		return []Finding{r.of(clusterRef(p.cluster.Key), "the connection to "+p.cluster.Server+" was not verified, or the Snapshot is older")}
	},
}
