package identity

import "github.com/proxaudit/proxaudit/inventory"

// fact is a piece of evidence between a claim and a VM, as the resolver notes it.
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
