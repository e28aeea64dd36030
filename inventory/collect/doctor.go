package collect

import (
	"context"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// Doctor tries every source of a plan, one after the other, so that its output reads like the plan. Beside the checks it
// gives what they cost each source.
func Doctor(ctx context.Context, plan Plan) ([]inventory.Check, []inventory.Requests) {
	var out []inventory.Check
	var requests []inventory.Requests
	for i := range plan.Sites {
		if ctx.Err() != nil {
			return out, requests
		}
		cfg := plan.Sites[i]
		cfg.GuestAgent = plan.GuestAgent
		c, err := proxmox.New(cfg)
		if err != nil {
			name := cfg.Site
			if name == "" {
				name = cfg.URL
			}
			out = append(out, inventory.Check{Source: inventory.SiteSource(name), Name: "configuration",
				Status: inventory.CheckFailed, Detail: err.Error()})
			continue
		}
		out = append(out, c.Doctor(ctx)...)
		requests = append(requests, c.Requests())
		c.Close()
	}
	if plan.Management == nil && len(plan.Workloads) == 0 {
		out = append(out, inventory.Check{Source: inventory.KubernetesSource, Name: "clusters", Status: inventory.CheckWarning,
			Detail: "none is named: VMs can be listed, and none can be called an orphan",
			Remedy: inventory.NameClusters})
	}
	self := ""
	if plan.Management != nil && ctx.Err() == nil {
		var checks []inventory.Check
		counted, count := kube.Counting(ctx)
		checks, self = doctorManagement(counted, &plan)
		out = append(out, checks...)
		source := inventory.ManagementSource
		if !slices.ContainsFunc(checks, func(c inventory.Check) bool { return c.Source == source }) {
			// It turned out to be a workload cluster only.
			source = inventory.ClusterSource(self)
		}
		requests = append(requests, count(source))
	}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		if ctx.Err() != nil {
			return out, requests
		}
		if w.Target == nil && w.Key == self {
			continue
		}
		if w.Target == nil {
			out = append(out, withoutTarget(&plan, w))
			continue
		}
		t := *w.Target
		t.Key = w.Key
		counted, count := kube.Counting(ctx)
		out = append(out, doctorWorkload(counted, t)...)
		requests = append(requests, count(inventory.ClusterSource(t.Key)))
	}
	return out, requests
}

// doctorManagement checks both of what a run reads there: the declared objects and the cluster's own Nodes. It returns
// the key under which those stand.
func doctorManagement(ctx context.Context, plan *Plan) (checks []inventory.Check, key string) {
	t := *plan.Management
	client, err := kube.Connect(t)
	if err != nil {
		return []inventory.Check{unusable(inventory.ManagementSource, err, nameManagement)}, t.Key
	}
	if t.Key == "" {
		t.Key = client.Context()
	}
	workload := doctorWorkload(ctx, t)
	if plan.ManagementIfServed {
		if serves, err := client.ServesClusterAPI(ctx); err == nil && !serves {
			return workload, t.Key
		}
	}
	checks = client.Doctor(ctx, kube.RoleManagement, plan.Namespaces...)
	if !slices.ContainsFunc(checks, func(c inventory.Check) bool { return c.Status == inventory.CheckFailed }) {
		checks = append(checks, doctorDeclared(ctx, plan, client, t.Key)...)
	}
	return append(checks, workload...), t.Key
}

func doctorWorkload(ctx context.Context, t kube.Target) []inventory.Check {
	client, err := kube.Connect(t)
	if err != nil {
		return []inventory.Check{unusable(inventory.ClusterSource(t.Key), err, "kubectl config get-contexts lists what there is")}
	}
	return client.Doctor(ctx, kube.RoleWorkload)
}

// withoutTarget says of a cluster whose API server doctor cannot ask what a run will do about it. Secrets are read by a
// run only: doctor would have to list Clusters to know in which namespace they are.
func withoutTarget(plan *Plan, w *Workload) inventory.Check {
	c := inventory.Check{Source: inventory.ClusterSource(w.Key), Name: "access"}
	if plan.Management != nil && (w.ReadSecret || plan.ReadSecrets) {
		c.Status = inventory.CheckSkipped
		c.Detail = "a run takes the access from the declared Cluster's kubeconfig Secret, which doctor does not read"
		return c
	}
	c.Status = inventory.CheckWarning
	c.Detail = "the configuration gives no way to its API server, so that its Nodes are not seen"
	c.Remedy = "give it a kubeconfig or context in proxaudit.yaml (clusters[], name: " + w.Key + ")"
	return c
}

func unusable(source string, err error, remedy string) inventory.Check {
	return inventory.Check{Source: source, Name: "kubeconfig", Status: inventory.CheckFailed, Detail: err.Error(), Remedy: remedy}
}
