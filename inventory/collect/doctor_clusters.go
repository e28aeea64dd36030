package collect

import (
	"context"
	"fmt"
	"slices"
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
	w := plan.ways()
	own := way{key: self, server: client.Server()}
	var without []string
	for i := range declared {
		d := &declared[i]
		if !plan.ReadSecrets && !own.leadsTo(d) && !slices.ContainsFunc(w, func(w way) bool { return w.leadsTo(d) }) {
			without = append(without, d.Key)
		}
	}
	check.Status, check.Detail = inventory.CheckOK, fmt.Sprintf("%d declared", len(declared))
	if len(without) > 0 {
		check.Status = inventory.CheckWarning
		check.Detail = fmt.Sprintf("no access to %d of %d, so that their Nodes are not seen: %s", len(without), len(declared), some(without))
		check.Remedy = "give each a kubeconfig or context in proxaudit.yaml (clusters[]), or allow their kubeconfig Secrets with --read-secrets"
	}
	var namespaces []string
	for i := range declared {
		namespaces = append(namespaces, declared[i].Declared.Namespace)
	}
	slices.Sort(namespaces)
	out := append([]inventory.Check{check}, client.DoctorEvents(ctx, slices.Compact(namespaces)...)...)
	out = append(out, undeclared(w, declared, without)...)
	return append(out, plan.secretsOfNobody(declared)...)
}

// way is a cluster of the configuration.
type way struct {
	key string
	// server is the API server's URL; empty if the configuration gives no access, which a check of its own tells.
	server string
}

// ways are the plan's. Connecting asks nothing; what is wrong with a kubeconfig stands in the cluster's own checks.
func (p *Plan) ways() []way {
	out := make([]way, len(p.Workloads))
	for i := range p.Workloads {
		w := &p.Workloads[i]
		out[i].key = w.Key
		if w.Target == nil {
			continue
		}
		if client, err := kube.Connect(*w.Target); err == nil {
			out[i].server = client.Server()
		}
	}
	return out
}

// leadsTo is true if the cluster is a declared one, as a run would join them: by the name, else by the endpoint.
func (w way) leadsTo(d *inventory.Cluster) bool {
	return w.key == d.Key || sameEndpoint(d.Declared.ControlPlaneEndpoint, w.server)
}

// undeclared says which clusters of the configuration the management cluster does not know. That is as it should be for one
// that scripts made, but where a declared Cluster has no access as well, the two may be one under two names: its Machines
// would look as if they had no Nodes, and its Nodes as if no Machine declared them.
func undeclared(ways []way, declared []inventory.Cluster, without []string) []inventory.Check {
	var names []string
	for _, w := range ways {
		if w.server != "" && !slices.ContainsFunc(declared, func(d inventory.Cluster) bool { return w.leadsTo(&d) }) {
			names = append(names, w.key)
		}
	}
	if len(names) == 0 {
		return nil
	}
	c := inventory.Check{Source: inventory.ManagementSource, Name: "clusters that are not declared", Status: inventory.CheckOK,
		Detail: "without Machines, for the management cluster does not declare them: " + some(names)}
	if len(without) > 0 {
		c.Status = inventory.CheckWarning
		c.Detail = "the management cluster does not know " + some(names) + ", and declares " + some(without) + " without access: they may be the same"
		c.Remedy = "give a cluster that is declared the Cluster's name in proxaudit.yaml (clusters[].name): kubectl get clusters -A shows the names"
	}
	return []inventory.Check{c}
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
