package proxmox

import (
	"context"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// followMoved deals with guests that were not where the list had them: they moved to another node, or were deleted,
// while the run went on. The list is read once more, and what has moved is read where it is now; both count as
// retries.
func (l *listing) followMoved(ctx context.Context, f *fetch) {
	var lost []int
	for i, e := range f.failed {
		if e.Kind == transport.Missing || e.Status == 403 {
			lost = append(lost, i)
		}
	}
	if len(lost) == 0 || f.over != nil {
		return
	}
	slices.Sort(lost)
	ctx = transport.AsRetry(ctx)
	l.c.cfg.Logf("%d guests were not where the list had them; reading the list once more", len(lost))
	data, e := l.c.get(ctx, pathResources)
	if e != nil {
		return
	}
	vms, bad, err := normalize.Guests(data)
	if err != nil {
		return
	}
	now := make(map[int]*inventory.VM, len(vms))
	for i := range vms {
		now[vms[i].VMID] = &vms[i]
	}
	var again []int
	gone := map[int]bool{}
	for _, i := range lost {
		vm := &l.vms[i]
		row := now[vm.VMID]
		switch {
		case row == nil && f.failed[i].Kind == transport.Missing && l.whole && len(bad) == 0:
			// Proxmox says that the file is not there, which it says only to those who may see the guest, and a
			// list that is whole no longer has it either: it was deleted since the run began.
			gone[i] = true
		case row != nil && row.Type == vm.Type && row.Node != vm.Node:
			vm.Node = row.Node
			if l.site.NodeStatus(vm.Node) == inventory.NodeOffline {
				vm.ConfigError = "moved to node " + vm.Node + ", which is offline"
				continue
			}
			again = append(again, i)
		}
	}
	f.run(ctx, again)
	l.drop(f, gone)
	l.addUnlistedNodes()
}

// drop takes guests that were deleted during the run out of the list.
func (l *listing) drop(f *fetch, gone map[int]bool) {
	if len(gone) == 0 {
		return
	}
	var kept []inventory.VM
	failed := map[int]*transport.Error{}
	var ids []int
	for i := range l.vms {
		if gone[i] {
			ids = append(ids, l.vms[i].VMID)
			continue
		}
		if e := f.failed[i]; e != nil {
			failed[len(kept)] = e
		}
		kept = append(kept, l.vms[i])
	}
	l.vms, f.failed = kept, failed
	l.c.cfg.Logf("deleted during the run: %s", numbers(ids))
}
