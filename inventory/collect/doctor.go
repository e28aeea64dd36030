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
	if plan.Management != nil && ctx.Err() == nil {
		out = append(out, doctorManagement(ctx, &plan)...)
	}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		if w.Target == nil || ctx.Err() != nil {
			continue
		}
		t := *w.Target
		t.Key = w.Key
		out = append(out, doctorWorkload(ctx, t)...)
	}
	return out
}

// doctorManagement checks both of what a run reads there: the declared objects and the cluster's own Nodes.
func doctorManagement(ctx context.Context, plan *Plan) []inventory.Check {
	t := *plan.Management
	client, err := kube.Connect(t)
	if err != nil {
		return []inventory.Check{unusable(inventory.ManagementSource, err)}
	}
	if t.Key == "" {
		t.Key = client.Context()
	}
	workload := doctorWorkload(ctx, t)
	if plan.ManagementIfServed {
		if serves, err := client.ServesClusterAPI(ctx); err == nil && !serves {
			return workload
		}
	}
	return append(client.Doctor(ctx, kube.RoleManagement, plan.Namespaces...), workload...)
}

func doctorWorkload(ctx context.Context, t kube.Target) []inventory.Check {
	client, err := kube.Connect(t)
	if err != nil {
		return []inventory.Check{unusable(inventory.ClusterSource(t.Key), err)}
	}
	return client.Doctor(ctx, kube.RoleWorkload)
}

func unusable(source string, err error) inventory.Check {
	return inventory.Check{Source: source, Name: "kubeconfig", Status: inventory.CheckFailed, Detail: err.Error(),
		Remedy: "kubectl config get-contexts lists what there is"}
}
