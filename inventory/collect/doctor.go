package collect

import (
	"context"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// Doctor tries every source of a plan, one after the other, so that its output reads like the plan.
func Doctor(ctx context.Context, plan Plan) []inventory.Check {
	var out []inventory.Check
	for i := range plan.Sites {
		if ctx.Err() != nil {
			return out
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
		c.Close()
	}
	self := ""
	if plan.Management != nil && ctx.Err() == nil {
		var checks []inventory.Check
		checks, self = doctorManagement(ctx, &plan)
		out = append(out, checks...)
	}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		if ctx.Err() != nil {
			return out
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
		out = append(out, doctorWorkload(ctx, t)...)
	}
	return out
}

// doctorManagement checks both of what a run reads there: the declared objects and the cluster's own Nodes. It returns
// the key under which those stand.
func doctorManagement(ctx context.Context, plan *Plan) (checks []inventory.Check, key string) {
	t := *plan.Management
	client, err := kube.Connect(t)
	if err != nil {
		return []inventory.Check{unusable(inventory.ManagementSource, err)}, t.Key
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
	return append(client.Doctor(ctx, kube.RoleManagement, plan.Namespaces...), workload...), t.Key
}

func doctorWorkload(ctx context.Context, t kube.Target) []inventory.Check {
	client, err := kube.Connect(t)
	if err != nil {
		return []inventory.Check{unusable(inventory.ClusterSource(t.Key), err)}
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

func unusable(source string, err error) inventory.Check {
	return inventory.Check{Source: source, Name: "kubeconfig", Status: inventory.CheckFailed, Detail: err.Error(),
		Remedy: "kubectl config get-contexts lists what there is"}
}
