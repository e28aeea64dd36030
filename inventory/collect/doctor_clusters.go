package collect

import (
	"context"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// doctorDeclared compares the clusters that the management cluster declares with those that the plan gives access to. The
// Nodes of one that is left out are not seen, and no VM that may be one of them gets a verdict.
func doctorDeclared(ctx context.Context, plan *Plan, client *kube.Client, self string) []inventory.Check {
	check := inventory.Check{Source: inventory.ManagementSource, Name: "access to declared clusters"}
	declared, err := client.DeclaredClusters(ctx, plan.Namespaces...)
	if err != nil {
		check.Status, check.Detail = inventory.CheckSkipped, "the Clusters were not read: "+err.Error()
		return []inventory.Check{check}
	}
	var without []string
	for i := range declared {
		if !plan.ReadSecrets && !plan.reaches(&declared[i], client, self) {
			without = append(without, declared[i].Key)
		}
	}
	check.Status, check.Detail = inventory.CheckOK, fmt.Sprintf("%d declared", len(declared))
	if len(without) > 0 {
		check.Status = inventory.CheckWarning
		check.Detail = fmt.Sprintf("no access to %d of %d, so that their Nodes are not seen: %s", len(without), len(declared), some(without))
		check.Remedy = "give each a kubeconfig or context in proxaudit.yaml (clusters[]), or allow their kubeconfig Secrets with --read-secrets"
	}
	return append([]inventory.Check{check}, plan.secretsOfNobody(declared)...)
}

// reaches is true if the plan has a way to a declared cluster, or names it and gives none, which a check of its own tells.
func (p *Plan) reaches(c *inventory.Cluster, management *kube.Client, self string) bool {
	endpoint := c.Declared.ControlPlaneEndpoint
	if c.Key == self || sameEndpoint(endpoint, management.Server()) {
		return true
	}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		if w.Key == c.Key {
			return true
		}
		if w.Target == nil {
			continue
		}
		// Connecting asks nothing; what is wrong with the kubeconfig stands in the cluster's own checks.
		if client, err := kube.Connect(*w.Target); err == nil && sameEndpoint(endpoint, client.Server()) {
			return true
		}
	}
	return false
}

// secretsOfNobody are the clusters whose access should come from the Secret of a Cluster that nobody declares.
func (p *Plan) secretsOfNobody(declared []inventory.Cluster) []inventory.Check {
	known := map[string]bool{}
	for i := range declared {
		known[declared[i].Key] = true
	}
	var out []inventory.Check
	for i := range p.Workloads {
		w := &p.Workloads[i]
		if w.Target != nil || !w.ReadSecret || known[w.Key] {
			continue
		}
		out = append(out, inventory.Check{Source: inventory.ClusterSource(w.Key), Name: "declared", Status: inventory.CheckWarning,
			Detail: "its access should come from a Secret, and the management cluster declares no Cluster of this name" + inNamespaces(p.Namespaces),
			Remedy: "kubectl get clusters -A shows the names; one that two namespaces declare is called NAMESPACE/NAME"})
	}
	return out
}

func inNamespaces(namespaces []string) string {
	if len(namespaces) == 0 {
		return ""
	}
	return " in " + strings.Join(namespaces, ", ")
}

// some names up to ten.
func some(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
