package audit

import (
	"cmp"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// Inventory lists every machine of the Snapshot in one row: VM, ProxmoxMachine, Machine and Node that are one.
func Inventory(s *inventory.Snapshot, opt Options) *InventoryReport {
	r := analyse(s, opt)
	out := &InventoryReport{Envelope: r.envelope(KindInventory), Summary: r.summary(), Items: make([]Item, 0, len(r.graph.Entities))}
	for i := range r.graph.Entities {
		out.Items = append(out.Items, r.item(&r.graph.Entities[i]))
	}
	out.Summary.countItems(out.Items)
	SortItems(out.Items)
	return out
}

// SortItems orders by cluster, then site and subject; machines of no cluster come last.
func SortItems(items []Item) {
	sortLarge(items, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(none(a.Cluster), none(b.Cluster)), cmp.Compare(a.Cluster, b.Cluster),
			compareRefs(&a.Subject, &b.Subject))
	})
}

func none(s string) int {
	if s == "" {
		return 1
	}
	return 0
}

func (r *result) item(e *identity.Entity) Item {
	refs := refsOf(r.s, e)
	it := Item{Class: e.Class, Subject: refs[0], Cluster: e.Cluster, Holds: holdsOf(r.s, e),
		Confidence: e.Confidence, Notes: e.Notes}
	for _, ref := range refs {
		switch ref.Kind {
		case inventory.SubjectVM:
			it.VMs = append(it.VMs, ref)
		case inventory.SubjectMachine:
			it.Machines = append(it.Machines, ref)
		case inventory.SubjectProxmoxMachine:
			it.Infra = append(it.Infra, ref)
		case inventory.SubjectNode:
			it.Nodes = append(it.Nodes, ref)
		}
	}
	it.Rivals = r.rivals(e)
	if len(e.VMs) > 0 {
		it.Status = r.s.VMs[e.VMs[0]].Status
	}
	if len(e.Nodes) > 0 {
		n := &r.s.Nodes[e.Nodes[0]]
		it.NodeReady, it.Addresses = readiness(n), n.InternalIPs
	}
	if len(it.Addresses) == 0 {
		it.Addresses = declaredAddresses(r.s, e)
	}
	it.Since, it.AgeSeconds = r.since(e)
	it.Link = strongest(e)
	if e.Class.IsFinding() {
		it.severity = ruleOf(e).Severity
	}
	it.Fingerprint = r.fingerprint(e, refs[0])
	return it
}

// declaredAddresses are those of a Machine that has no Node to tell them, else of its ProxmoxMachine.
func declaredAddresses(s *inventory.Snapshot, e *identity.Entity) []string {
	for _, i := range e.Machines {
		if a := s.Machines[i].Addresses; len(a) > 0 {
			return a
		}
	}
	for _, i := range e.ProxmoxMachines {
		if a := s.ProxmoxMachines[i].Addresses; len(a) > 0 {
			return a
		}
	}
	return nil
}

// strongest is the best evidence that ties a VM to something; nil if nothing does.
func strongest(e *identity.Entity) *identity.Evidence {
	if len(e.VMs) == 0 {
		return nil
	}
	for _, ev := range e.Evidence() {
		if !ev.Against && ev.Strength != "" && ev.To.Kind == inventory.SubjectVM {
			return &ev
		}
	}
	return nil
}
