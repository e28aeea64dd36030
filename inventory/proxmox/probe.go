package proxmox

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
)

// Probe asks, for VMIDs that no list showed, whether there is a guest: one question each, and a second one about the
// token's permission where the guest exists. Call it after Collect, which learns whether the cluster is quorate.
func (c *Collector) Probe(ctx context.Context, vmids []int) *inventory.Snapshot {
	p := c.newPass()
	ids := slices.Clone(vmids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return p.finish()
	}
	probes := make([]inventory.Probe, len(ids))
	next := make(chan int, len(ids))
	for i := range ids {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range min(c.cfg.PerNode, len(ids)) {
		wg.Go(func() {
			for i := range next {
				probes[i] = c.probe(ctx, ids[i])
			}
		})
	}
	wg.Wait()
	cov := inventory.Coverage{Scope: inventory.ScopeProbes, State: inventory.Complete, Asked: len(ids)}
	var why tally
	for _, pr := range probes {
		if pr.Existence == inventory.ExistenceUnknown {
			cov.Failed++
			why.add(pr.VMID, pr.Reason)
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

func (c *Collector) probe(ctx context.Context, vmid int) inventory.Probe {
	pr := inventory.Probe{Site: c.Name(), VMID: vmid, Existence: inventory.ExistenceUnknown}
	if !inventory.ValidVMID(vmid) {
		pr.Reason = "it is no VMID (100 to 999999999)"
		return pr
	}
	data, e := c.get(ctx, fmt.Sprintf("/cluster/nextid?vmid=%d", vmid))
	pr.Existence, pr.Reason = normalize.NextID(data, e, vmid)
	switch pr.Existence {
	case inventory.Free:
		if c.notQuorate() {
			pr.Existence = inventory.ExistenceUnknown
			pr.Reason = "free by the word of a part of the cluster that is not quorate"
		}
	case inventory.ExistenceUnknown:
	case inventory.Exists:
		data, e := c.get(ctx, fmt.Sprintf("%s?path=/vms/%d", pathPermissions, vmid))
		if e == nil {
			pr.MayAudit = normalize.MayAuditVM(data, vmid)
		}
	}
	return pr
}

func (c *Collector) notQuorate() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.quorate != nil && !*c.quorate
}
