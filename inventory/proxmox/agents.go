package proxmox

import (
	"context"
	"fmt"
	"sync"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// Agents asks the guest agents of these guests for their addresses, one guest at a time per Proxmox node: an agent
// that does not answer blocks one of the node's three workers for three seconds. Guests that cannot have an answer
// (not running, templates, containers, agent not enabled) are not asked, and have no entry in the map unless their
// configuration says that there is no agent. The fragment holds coverage and the requests of this pass. An agent that
// does not answer is normal, so that nothing here makes a run incomplete.
func (c *Collector) Agents(ctx context.Context, guests []inventory.VM) (map[int]*inventory.Agent, *inventory.Snapshot) {
	p := c.newPass()
	agents := map[int]*inventory.Agent{}
	byNode := map[string][]*inventory.VM{}
	asked := 0
	for i := range guests {
		vm := &guests[i]
		if vm.Type != inventory.GuestQEMU || vm.Status != "running" || vm.IsTemplate() {
			continue
		}
		if vm.Config != nil && !vm.Config.AgentEnabled {
			agents[vm.VMID] = &inventory.Agent{Error: "the guest agent is not enabled in the configuration"}
			continue
		}
		byNode[vm.Node] = append(byNode[vm.Node], vm)
		asked++
	}
	cov := inventory.Coverage{Scope: inventory.ScopeAgent, State: inventory.Complete, Asked: asked, Optional: true}
	var why tally
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, vms := range byNode {
		wg.Go(func() {
			for _, vm := range vms {
				agent, e := c.agent(ctx, vm)
				mu.Lock()
				agents[vm.VMID] = agent
				if agent.Error == "" {
					cov.Got++
				} else {
					cov.Failed++
					cov.State = inventory.Partial
					why.add(vm.VMID, agent.Error)
				}
				if e != nil && e.Kind == transport.Refused && cov.Remedy == "" {
					cov.Remedy = c.remedy(e)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	cov.Reason = why.String()
	p.cover(cov)
	return agents, p.finish()
}

func (c *Collector) agent(ctx context.Context, vm *inventory.VM) (*inventory.Agent, *transport.Error) {
	data, e := c.get(ctx, fmt.Sprintf("/nodes/%s/qemu/%d/agent/network-get-interfaces", vm.Node, vm.VMID))
	if e != nil {
		return &inventory.Agent{Error: e.Short()}, e
	}
	return normalize.Agent(data), nil
}
