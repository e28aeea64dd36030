package collect

import (
	"context"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// resolve is pass 2.
func (r *run) resolve(ctx context.Context, s *inventory.Snapshot) {
	open := inventory.UnresolvedOf(s)
	for _, c := range r.sites {
		start := time.Now()
		var ids []int
		for _, k := range open.VMIDs {
			if k.Site == c.Name() {
				ids = append(ids, k.VMID)
			}
		}
		if len(ids) > 0 && ctx.Err() == nil {
			s.Append(c.Probe(ctx, ids))
		}
		if r.plan.GuestAgent && ctx.Err() == nil {
			r.askAgents(ctx, s, c, open.Guests)
		}
		r.took(inventory.SiteSource(c.Name()), start)
	}
}

func (r *run) askAgents(ctx context.Context, s *inventory.Snapshot, c *proxmox.Collector, open []inventory.Key) {
	wanted := map[inventory.Key]bool{}
	for _, k := range open {
		wanted[k] = k.Site == c.Name()
	}
	var guests []inventory.VM
	for i := range s.VMs {
		if wanted[s.VMs[i].Key()] {
			guests = append(guests, s.VMs[i])
		}
	}
	if len(guests) == 0 {
		return
	}
	agents, fragment := c.Agents(ctx, guests)
	for i := range s.VMs {
		if s.VMs[i].Site == c.Name() {
			if a, ok := agents[s.VMs[i].VMID]; ok {
				s.VMs[i].Agent = a
			}
		}
	}
	s.Append(fragment)
}

// sumRequests adds what the passes asked of the same source.
func sumRequests(in []inventory.Requests) []inventory.Requests {
	var out []inventory.Requests
	at := map[string]int{}
	for _, q := range in {
		if i, ok := at[q.Source]; ok {
			out[i].Count += q.Count
			out[i].Retries += q.Retries
			out[i].Throttled += q.Throttled
			continue
		}
		at[q.Source] = len(out)
		out = append(out, q)
	}
	return out
}
