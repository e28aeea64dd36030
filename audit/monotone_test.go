package audit_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestNotSeenIsNeverNotThere is the promise of the whole program: with a source less, a verdict may become unknown, and
// never one that says that something is not there. Each random fleet is judged once as a whole and once for each fault.
func TestNotSeenIsNeverNotThere(t *testing.T) {
	const fleets = 2000
	counts := map[identity.Class]int{}
	views := 0
	for seed := range uint64(fleets) {
		rng := rand.New(rand.NewPCG(seed, 7))
		whole := inventorytest.Random(rng)
		full := resolve(whole)
		for i := range full.Entities {
			counts[full.Entities[i].Class]++
		}
		for _, v := range inventorytest.Degrade(whole, rng) {
			views++
			compare(t, seed, full, v)
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	if views < 10*fleets {
		t.Errorf("only %d views of %d fleets", views, fleets)
	}
	for _, c := range identity.Classes() {
		if counts[c] == 0 {
			t.Errorf("no random fleet has a machine of class %s: the comparison says nothing about it", c)
		}
	}
}

func resolve(s *inventory.Snapshot) *identity.Graph {
	s = s.Sorted()
	s.Compact()
	return identity.Resolve(s, identity.Options{Grace: audit.DefaultGrace})
}

func compare(t *testing.T, seed uint64, full *identity.Graph, v inventorytest.View) {
	t.Helper()
	part := resolve(v.Snapshot)
	inConflict := map[*identity.Entity]bool{}
	eachSubject(v.Snapshot, func(sub inventory.Subject) {
		if was := full.Of(sub); was != nil && was.Class == identity.Conflict {
			inConflict[part.Of(sub)] = true
		}
	})
	eachSubject(v.Snapshot, func(sub inventory.Subject) {
		was, is := full.Of(sub), part.Of(sub)
		if was == nil || is == nil {
			t.Fatalf("seed %d, %s: %s has no entity", seed, v.Fault, sub)
		}
		if is.Class == identity.OrphanVM && deniedByConfiguration(full, was) {
			return
		}
		if v.Silent && restoredElsewhere(full, was, is) {
			return
		}
		if problem := accuses(was, is, v, inConflict[is]); problem != "" {
			t.Errorf("seed %d, %s: %s is %s (%s) and was %s (%s): %s\nevidence now:\n%sevidence of the whole:\n%sthe whole:\n%s", seed, v.Fault, sub,
				is.Class, is.Reason, was.Class, was.Reason, problem, audittest.List(is.Evidence()), audittest.List(was.Evidence()), dump(full.Snapshot))
		}
	})
}

// deniedByConfiguration is true for a VM that is the Node of a cluster whose configuration says that it is none of its own
// (a selector that does not select it, another site), and that another cluster's selector selects: the explicit word of a
// person stands against what a source would have told.
func deniedByConfiguration(full *identity.Graph, was *identity.Entity) bool {
	if len(was.VMs) == 0 {
		return false
	}
	homes := map[string]bool{}
	for _, n := range was.Nodes {
		homes[full.Snapshot.Nodes[n].Cluster] = true
	}
	for _, ev := range was.Evidence() {
		if ev.From.Kind == inventory.SubjectNode {
			homes[ev.From.Scope] = true
		}
	}
	vm, denied, selected := &full.Snapshot.VMs[was.VMs[0]], len(homes) > 0, false
	for i := range full.Snapshot.Clusters {
		c := &full.Snapshot.Clusters[i]
		m, err := identity.CompileSelector(c.Selector)
		if err != nil {
			return false
		}
		_, says := m.Match(vm)
		match := says == identity.Matches && (c.Site == "" || c.Site == vm.Site)
		selected = selected || match
		if homes[c.Key] {
			denied = denied && !match && (!c.Selector.IsZero() || c.Site != "" && c.Site != vm.Site)
		}
	}
	return selected && denied
}

// onlyUUIDsDiffer is true for a VM that is unknown only because a VMID and a name fit it, while the UUIDs differ.
func onlyUUIDsDiffer(was *identity.Entity) bool {
	doubts := 0
	for _, ev := range was.Evidence() {
		if ev.Against {
			doubts++
			if !strings.Contains(ev.Note, "the UUIDs differ") {
				return false
			}
		}
	}
	return was.Reason == identity.ReasonAmbiguous && doubts > 0
}

// restoredElsewhere is true for a machine that runs under another VMID than the one that it was known by, in a place that
// is hidden without a word: no question that Proxmox answers would show it.
func restoredElsewhere(full *identity.Graph, was, is *identity.Entity) bool {
	if len(was.VMs) == 0 {
		return false
	}
	at := inventory.VMSubject(full.Snapshot.VMs[was.VMs[0]].Key())
	probed := false
	for _, ev := range is.Evidence() {
		if ev.Kind == identity.KindProbe {
			probed = true
			if ev.To == at {
				return false
			}
		}
	}
	return probed
}

// accuses says what a verdict asserts to be absent although nothing new was seen; empty if it asserts nothing of the kind.
// disputed is true if one of its members was in a conflict before: who of them is right is what the missing source told.
func accuses(was, is *identity.Entity, v inventorytest.View, disputed bool) string {
	silent := v.Silent
	if is.Class == was.Class || v.Default && (was.Reason == identity.ReasonAmbiguous || is.Class != identity.GhostMachine && is.Class != identity.GhostNode) {
		// An address that only an agent tells of is the last thing to tie what has no UUID. Where no agent is asked, names
		// have to do, and that is no fault of a source.
		return ""
	}
	// A conflict that loses one of its sides for want of a source is what the other side says; what these classes call
	// absent was read in full.
	conflict := was.Class == identity.Conflict
	switch is.Class {
	case identity.GhostMachine, identity.GhostNode:
		if silent && was.Reason == identity.ReasonAmbiguous {
			// The VM that raised the doubt is hidden without a word.
			return ""
		}
		if was.Class == identity.GhostMachine || was.Class == identity.GhostNode {
			return ""
		}
		if conflict && len(was.VMs) == 0 {
			// Several claimed what is gone, and one of them was not seen.
			return ""
		}
		return "something is called gone"
	case identity.OrphanVM:
		if was.Reason == identity.ReasonSharedUUID {
			// The VM that shares its UUID was not seen. Whoever stated that UUID would be joined to this one now.
			return ""
		}
		if onlyUUIDsDiffer(was) {
			// Its own UUID says that it is nobody's; the doubt came from one whose VM could not be told.
			return ""
		}
		if silent && len(was.Nodes)+len(was.Machines)+len(was.ProxmoxMachines) == 0 {
			// What the other VMs of a pool are cannot be known where the pool is hidden without a word.
			return ""
		}
		return "a VM is called an orphan"
	case identity.ForeignNode:
		if silent {
			// A UUID cannot be probed.
			return ""
		}
		return "a Node is called foreign"
	case identity.NonNode:
		if conflict || silent {
			return ""
		}
		return "a Machine is called no Node"
	case identity.DetachedInfra:
		if conflict || len(was.Machines) == 0 || v.Snapshot.Known(inventory.ManagementSource, inventory.ScopeMachines) {
			// All Machines were read, and none refers to it: only the VM that was not seen tied it to one.
			return ""
		}
		return "a ProxmoxMachine is called ownerless"
	case identity.Adoptable:
		if conflict || silent {
			// That two share an address shows only where agents are asked.
			return ""
		}
		return "a Node is called undeclared"
	case identity.Conflict:
		if disputed || silent {
			return ""
		}
		return "two are said to claim one"
	default:
		return ""
	}
}

func eachSubject(s *inventory.Snapshot, f func(inventory.Subject)) {
	for i := range s.VMs {
		f(inventory.VMSubject(s.VMs[i].Key()))
	}
	for i := range s.Machines {
		f(inventory.Subject{Kind: inventory.SubjectMachine, Scope: s.Machines[i].Namespace, Name: s.Machines[i].Name})
	}
	for i := range s.ProxmoxMachines {
		f(inventory.Subject{Kind: inventory.SubjectProxmoxMachine, Scope: s.ProxmoxMachines[i].Namespace, Name: s.ProxmoxMachines[i].Name})
	}
	for i := range s.Nodes {
		f(inventory.Subject{Kind: inventory.SubjectNode, Scope: s.Nodes[i].Cluster, Name: s.Nodes[i].Name})
	}
}

func dump(s *inventory.Snapshot) string {
	c := *s
	c.Coverage, c.Requests = nil, nil
	out := ""
	for _, part := range []struct {
		name string
		list []any
	}{{"vm", anys(c.VMs)}, {"machine", anys(c.Machines)}, {"pm", anys(c.ProxmoxMachines)}, {"node", anys(c.Nodes)},
		{"cluster", anys(c.Clusters)}, {"site", anys(c.Sites)}, {"probe", anys(c.Probes)}} {
		for _, o := range part.list {
			b, err := json.Marshal(o)
			if err != nil {
				b = []byte(err.Error())
			}
			out += part.name + " " + string(b) + "\n"
		}
	}
	return out
}

func anys[T any](in []T) []any {
	out := make([]any, 0, len(in))
	for _, v := range in {
		out = append(out, v)
	}
	return out
}
