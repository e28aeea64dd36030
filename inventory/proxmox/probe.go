package proxmox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// Probe asks, for VMIDs that no list showed, whether there is a guest: one question each, and a second one about the
// token's permission where the guest exists. Call it after Collect, which learns whether the cluster is quorate: before,
// no "free" is believed.
func (c *Collector) Probe(ctx context.Context, vmids []int) *inventory.Snapshot {
	p := c.newPass()
	ids := slices.Clone(vmids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return p.finish()
	}
	answers := c.probeAll(ctx, ids)
	cov := inventory.Coverage{Scope: inventory.ScopeProbes, State: inventory.Complete, Asked: len(ids)}
	var why tally
	probes := make([]inventory.Probe, len(answers))
	for i, a := range answers {
		probes[i] = a.Probe
		if a.Existence == inventory.ExistenceUnknown {
			cov.Failed++
			why.add(a.VMID, a.Reason)
			if cov.Remedy == "" {
				cov.Remedy = a.remedy
			}
		} else {
			cov.Got++
		}
	}
	switch {
	case cov.Failed == 0:
	case cov.Got == 0:
		cov.State = inventory.Failed
	default:
		cov.State = inventory.Partial
	}
	cov.Reason = why.String()
	p.cover(cov)
	p.snapshot.Probes = probes
	return p.finish()
}

// probed is a probe, and what to do if it was not answered.
type probed struct {
	inventory.Probe
	remedy string
}

// probeAll asks about several VMIDs at a time. Once the site is gone or refuses the token, the others are not asked: each
// would cost a timeout, or the three seconds that Proxmox takes for a 401.
func (c *Collector) probeAll(ctx context.Context, ids []int) []probed {
	out := make([]probed, len(ids))
	next := make(chan int, len(ids))
	for i := range ids {
		next <- i
	}
	close(next)
	var gone atomic.Pointer[transport.Error]
	var wg sync.WaitGroup
	for range min(c.cfg.PerNode, len(ids)) {
		wg.Go(func() {
			for i := range next {
				if e := gone.Load(); e != nil {
					out[i] = c.unprobed(ids[i], "not asked, after "+e.Error(), c.remedy(e))
					continue
				}
				var e *transport.Error
				if out[i], e = c.probe(ctx, ids[i]); e != nil && endsSite(e) {
					gone.CompareAndSwap(nil, e)
				}
			}
		})
	}
	wg.Wait()
	return out
}

// unprobed is a probe without an answer.
func (c *Collector) unprobed(vmid int, reason, remedy string) probed {
	return probed{inventory.Probe{Site: c.Name(), VMID: vmid, Existence: inventory.ExistenceUnknown, Reason: reason}, remedy}
}

// probe asks about one VMID. The error is of the first question, and the probe says the same.
func (c *Collector) probe(ctx context.Context, vmid int) (probed, *transport.Error) {
	if !inventory.ValidVMID(vmid) {
		return c.unprobed(vmid, "it is no VMID (100 to 999999999)", ""), nil
	}
	data, e := c.get(ctx, fmt.Sprintf("/cluster/nextid?vmid=%d", vmid))
	pr := inventory.Probe{Site: c.Name(), VMID: vmid}
	pr.Existence, pr.Reason = normalize.NextID(data, e, vmid)
	switch pr.Existence {
	case inventory.Free:
		if d := c.freeDoubt(); d.reason != "" {
			return c.unprobed(vmid, d.reason, d.remedy), nil
		}
	case inventory.ExistenceUnknown:
		if e != nil {
			return probed{pr, c.remedy(e)}, e
		}
	case inventory.Exists:
		data, e := c.get(ctx, fmt.Sprintf("%s?path=/vms/%d", pathPermissions, vmid))
		if e == nil {
			pr.MayAudit = normalize.MayAuditVM(data, vmid)
		}
	}
	return probed{Probe: pr}, nil
}

// freeDoubt is why the site's "free" is not believed.
func (c *Collector) freeDoubt() doubt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.free
}
