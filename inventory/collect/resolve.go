package collect

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// resolve is pass 2. It asks all sites at a time, and adds what they say in the plan's order.
func (r *run) resolve(ctx context.Context, s *inventory.Snapshot) {
	open := inventory.UnresolvedOf(s)
	open.VMIDs = withRemembered(s, open.VMIDs, append(namedByOthers(s, r.plan.Others), r.plan.Remembered...))
	seen := make([]resolved, len(r.sites))
	var wg sync.WaitGroup
	for i, c := range r.sites {
		wg.Go(func() {
			start := time.Now()
			seen[i] = r.resolveSite(ctx, s, c, open)
			r.took(inventory.SiteSource(c.Name()), start)
		})
	}
	wg.Wait()
	for i := range seen {
		for vm, agent := range seen[i].agents {
			s.VMs[vm].Agent = agent
		}
		for _, f := range seen[i].fragments {
			s.Append(f)
		}
	}
}

// withRemembered adds the VMs that no list shows, each once and in order.
func withRemembered(s *inventory.Snapshot, open, remembered []inventory.Key) []inventory.Key {
	listed := make(map[inventory.Key]bool, len(s.VMs))
	for i := range s.VMs {
		listed[s.VMs[i].Key()] = true
	}
	for _, k := range remembered {
		if !listed[k] {
			open = append(open, k)
		}
	}
	slices.SortFunc(open, inventory.CompareKeys)
	return slices.Compact(open)
}

// resolved is what pass 2 saw of one site.
type resolved struct {
	fragments []*inventory.Snapshot
	// agents by the VM's place in the Snapshot.
	agents map[int]*inventory.Agent
}

// resolveSite only reads the Snapshot: other sites are asked meanwhile.
func (r *run) resolveSite(ctx context.Context, s *inventory.Snapshot, c *proxmox.Collector, open inventory.Unresolved) resolved {
	var out resolved
	if !c.Listed() {
		// It did not answer or refused the token. Its coverage says so, and without a list every VMID that anything names
		// would be probed.
		return out
	}
	var ids []int
	for _, k := range open.VMIDs {
		if k.Site == c.Name() {
			ids = append(ids, k.VMID)
		}
	}
	if len(ids) > 0 && ctx.Err() == nil {
		out.fragments = append(out.fragments, c.Probe(ctx, ids))
	}
	if !r.plan.GuestAgent || ctx.Err() != nil {
		return out
	}
	guests := guestsOf(s, c.Name(), open.Guests)
	if len(guests) == 0 {
		return out
	}
	agents, fragment := c.Agents(ctx, guests)
	out.fragments = append(out.fragments, fragment)
	out.agents = make(map[int]*inventory.Agent, len(agents))
	for i := range s.VMs {
		if a, ok := agents[s.VMs[i].VMID]; ok && s.VMs[i].Site == c.Name() {
			out.agents[i] = a
		}
	}
	return out
}

// guestsOf are the VMs of a site whose agents are to be asked.
func guestsOf(s *inventory.Snapshot, site string, open []inventory.Key) []inventory.VM {
	wanted := map[inventory.Key]bool{}
	for _, k := range open {
		wanted[k] = k.Site == site
	}
	var guests []inventory.VM
	for i := range s.VMs {
		if wanted[s.VMs[i].Key()] {
			guests = append(guests, s.VMs[i])
		}
	}
	return guests
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
