package identity

import "github.com/proxaudit/proxaudit/inventory"

// fact is a piece of evidence between a claim and a VM, as the resolver notes it. Nearly all facts tie managed machines
// together and are never shown: whole Evidence for each would be most of the memory of an analysis.
type fact struct {
	kind     Kind
	strength Strength
	// vm is the VM's index.
	vm                int
	left, right, note string
	against           bool
}

func (f *fact) evidence(from inventory.Subject, s *inventory.Snapshot) Evidence {
	return Evidence{Kind: f.kind, Strength: f.strength, From: from, To: inventory.VMSubject(s.VMs[f.vm].Key()),
		Left: f.left, Right: f.right, Against: f.against, Note: f.note}
}

// factArena hands out room for facts in large pieces.
type factArena struct{ free []fact }

// take returns an empty list with room for n facts.
func (a *factArena) take(n int) []fact {
	if n > len(a.free) {
		a.free = make([]fact, max(n, 1024))
	}
	l := a.free[:0:n]
	a.free = a.free[n:]
	return l
}
