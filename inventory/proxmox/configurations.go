package proxmox

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// configurations reads the configuration of every QEMU guest on a node that is not known to be offline: Proxmox has
// no call that returns several, and the configuration is where the identity stands.
func (l *listing) configurations(ctx context.Context) {
	l.addUnlistedNodes()
	var ask []int
	for i := range l.vms {
		vm := &l.vms[i]
		if l.site.NodeStatus(vm.Node) == inventory.NodeOffline {
			// For up to five minutes Proxmox shows what a dead node said last; that is no status.
			vm.Status, vm.UptimeSeconds = inventory.StatusUnknown, 0
			if vm.Type == inventory.GuestQEMU {
				vm.ConfigError = "node " + vm.Node + " is offline"
			}
		} else if vm.Type == inventory.GuestQEMU {
			ask = append(ask, i)
		}
	}
	f := &fetch{l: l, failed: map[int]*transport.Error{}, total: len(ask)}
	f.run(ctx, ask)
	l.followMoved(ctx, f)
	l.coverNodes(f)
}

// addUnlistedNodes makes sure that every node that hosts a guest stands in the site, though the answer about nodes
// may have failed.
func (l *listing) addUnlistedNodes() {
	known := map[string]bool{}
	for _, n := range l.site.Nodes {
		known[n.Name] = true
	}
	for i := range l.vms {
		if name := l.vms[i].Node; !known[name] {
			known[name] = true
			l.site.Nodes = append(l.site.Nodes, inventory.ProxmoxNode{Name: name, Status: inventory.NodeUnknown})
		}
	}
}

// fetch reads configurations, a few at a time per Proxmox node.
type fetch struct {
	l     *listing
	total int

	mu   sync.Mutex
	done int
	// failed holds why a guest's configuration is missing, by index.
	failed map[int]*transport.Error
	// over is set when no further request can bring anything: the token is no longer accepted, or the run ends.
	over *transport.Error
}

// run reads the configurations of the guests with these indices. Each node has its own workers, so that a slow node
// holds up only its own guests; the transport bounds the sum.
func (f *fetch) run(ctx context.Context, indices []int) {
	byNode := map[string][]int{}
	for _, i := range indices {
		node := f.l.vms[i].Node
		byNode[node] = append(byNode[node], i)
	}
	var wg sync.WaitGroup
	for _, queue := range byNode {
		next := make(chan int, len(queue))
		for _, i := range queue {
			next <- i
		}
		close(next)
		for range min(f.l.c.cfg.PerNode, len(queue)) {
			wg.Go(func() {
				for i := range next {
					f.one(ctx, i)
				}
			})
		}
	}
	wg.Wait()
}

// one reads one configuration into its guest. No other goroutine touches this guest.
func (f *fetch) one(ctx context.Context, i int) {
	vm := &f.l.vms[i]
	e := f.stopped()
	if e == nil {
		var data any
		if data, e = f.l.c.get(ctx, configPath(vm)); e == nil {
			e = apply(vm, data)
		}
	}
	if e != nil {
		vm.ConfigError = e.Short()
	}
	f.note(i, e)
}

func configPath(vm *inventory.VM) string {
	return fmt.Sprintf("/nodes/%s/qemu/%d/config?current=1", vm.Node, vm.VMID)
}

// apply puts a configuration into its guest. The configuration's name, tags and template flag replace those of the
// guest list, which come from broadcasts up to ten seconds old, or are missing.
func apply(vm *inventory.VM, data any) *transport.Error {
	cfg, err := normalize.ParseConfig(data, vm.VMID)
	if err != nil {
		return &transport.Error{Kind: transport.Malformed, Method: "GET", Path: configPath(vm), Reason: err.Error()}
	}
	vm.Config, vm.ConfigError = &cfg.VM, ""
	vm.Name, vm.Tags, vm.Template = cfg.Name, cfg.Tags, &cfg.Template
	if vm.Lock == "" {
		vm.Lock = cfg.VM.Lock
	}
	if len(cfg.Problems) > 0 {
		return &transport.Error{Kind: transport.Malformed, Method: "GET", Path: configPath(vm),
			Reason: "read in part: " + firstFew(cfg.Problems)}
	}
	return nil
}

func (f *fetch) stopped() *transport.Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

func (f *fetch) note(i int, e *transport.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e == nil {
		delete(f.failed, i)
	} else {
		f.failed[i] = e
		if f.over == nil && (e.Status == 401 || e.Kind == transport.Canceled) {
			f.over = e
		}
	}
	f.done = min(f.done+1, f.total)
	f.l.c.cfg.Progress(f.done, f.total)
}

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

// coverNodes writes the coverage of nodes and configurations, and corrects the state of nodes that did not answer.
func (l *listing) coverNodes(f *fetch) {
	byNode := map[string][]int{}
	for i := range l.vms {
		if l.vms[i].Type == inventory.GuestQEMU {
			byNode[l.vms[i].Node] = append(byNode[l.vms[i].Node], i)
		}
	}
	for i := range l.site.Nodes {
		node := &l.site.Nodes[i]
		if node.Status == inventory.NodeOffline {
			l.coverOffline(node.Name, len(byNode[node.Name]))
		} else if guests := byNode[node.Name]; len(guests) > 0 {
			l.coverAsked(node, guests, f)
		}
	}
}

// coverOffline is for a node that the cluster itself says is offline. The guest list does not suffer from that (the
// cluster's file system has every guest's name of file on every node), so that a node without guests hides nothing.
func (l *listing) coverOffline(node string, guests int) {
	l.cover(inventory.Coverage{Scope: inventory.NodeScope(node), State: inventory.Failed, Asked: 1, Failed: 1,
		Reason: "the cluster says that node " + node + " is offline",
		Remedy: "start it, or if it is gone for good: pvecm delnode " + node, Optional: guests == 0})
	if guests > 0 {
		l.cover(inventory.Coverage{Scope: inventory.ConfigScope(node), State: inventory.Failed, Asked: guests, Failed: guests,
			Reason: fmt.Sprintf("node %s is offline: Proxmox serves no configuration of its guests (%d)", node, guests)})
	}
}

func (l *listing) coverAsked(node *inventory.ProxmoxNode, guests []int, f *fetch) {
	var why tally
	kinds := map[transport.Kind]int{}
	failed := 0
	var last, skipped *transport.Error
	for _, i := range guests {
		e := f.failed[i]
		switch {
		case e == nil && l.vms[i].ConfigError == "":
			continue
		case e == nil:
			why.add(l.vms[i].VMID, l.vms[i].ConfigError)
		default:
			kinds[e.Kind]++
			last = e
			if e.Kind == transport.Skipped {
				skipped = e
			}
			why.add(l.vms[i].VMID, e.Short())
		}
		failed++
	}
	cov := inventory.Coverage{Scope: inventory.ConfigScope(node.Name), State: inventory.Complete,
		Asked: len(guests), Got: len(guests) - failed, Failed: failed, Reason: why.String()}
	if last != nil {
		cov.Remedy = l.c.remedy(last)
	}
	switch {
	case failed == 0:
	case failed < len(guests) || kinds[transport.Malformed] > 0:
		cov.State = inventory.Partial
	case kinds[transport.Refused] == failed:
		cov.State = inventory.Refused
	default:
		cov.State = inventory.Failed
	}
	l.cover(cov)
	nodeCov := answered(inventory.NodeScope(node.Name))
	if down := kinds[transport.NodeDown] + kinds[transport.Skipped]; down > 0 && (skipped != nil || down == len(guests)) {
		// The cluster may still call it online; nothing that it should have answered came back.
		node.Status = inventory.NodeUnknown
		reason := last
		if skipped != nil {
			reason = skipped
		}
		nodeCov = inventory.Coverage{Scope: inventory.NodeScope(node.Name), State: inventory.Failed, Asked: 1, Failed: 1,
			Reason: "node " + node.Name + " does not answer: " + reason.Short(), Remedy: l.c.remedy(reason)}
	} else if len(guests) == failed && kinds[transport.Canceled]+kinds[transport.Unreachable] == failed {
		nodeCov = l.c.unanswered(inventory.NodeScope(node.Name), last)
	}
	l.cover(nodeCov)
}
