package proxmox

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// coverNodes writes the coverage of nodes and configurations, and corrects the state of nodes that did not answer.
func (l *listing) coverNodes(f *fetch) {
	byNode := map[string][]int{}
	spared := map[string]int{}
	for i := range l.vms {
		switch {
		case l.vms[i].ConfigError == notAskedFor:
			spared[l.vms[i].Node]++
		case l.vms[i].Type == inventory.GuestQEMU:
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
		l.coverSpared(node.Name, spared[node.Name])
	}
}

// notAskedFor is the ConfigError of a guest that Config.Configurations left out.
const notAskedFor = "not asked for"

// coverSpared says that configurations were left out on purpose: whoever needs them has no verdict, and the run is whole
// without.
func (l *listing) coverSpared(node string, guests int) {
	if guests == 0 {
		return
	}
	reason := fmt.Sprintf("those of %d other guests were not asked for", guests)
	for i := range l.snapshot.Coverage {
		c := &l.snapshot.Coverage[i]
		if c.Scope == inventory.ConfigScope(node) {
			c.Asked += guests
			if c.State == inventory.Complete {
				c.State, c.Reason, c.Optional = inventory.Partial, reason, true
			}
			return
		}
	}
	l.cover(inventory.Coverage{Scope: inventory.ConfigScope(node), State: inventory.NotAsked, Asked: guests, Reason: reason, Optional: true})
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
