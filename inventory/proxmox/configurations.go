package proxmox

import (
	"context"
	"fmt"
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
			if wanted := l.c.cfg.Configurations; wanted != nil && !wanted(inventory.Key{Site: l.site.Name, VMID: vm.VMID}) {
				vm.ConfigError = notAskedFor
				continue
			}
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
