package inventory

import "slices"

// Compact drops what a sorted Snapshot lists twice: a guest that moved between two rows of one answer, an object that two
// pages of a list share. Twice the same is one, and not two that claim the same identity. Of two rows of a guest the one
// with a configuration stays.
func (s *Snapshot) Compact() {
	at := 0
	for i := range s.VMs {
		if i > 0 && s.VMs[i].Key() == s.VMs[at-1].Key() {
			if s.VMs[at-1].Config == nil && s.VMs[i].Config != nil {
				s.VMs[at-1] = s.VMs[i]
			}
			continue
		}
		s.VMs[at] = s.VMs[i]
		at++
	}
	s.VMs = s.VMs[:at]
	s.Machines = slices.CompactFunc(s.Machines, func(a, b Machine) bool { return sameObject(&a.Meta, &b.Meta) })
	s.ProxmoxMachines = slices.CompactFunc(s.ProxmoxMachines, func(a, b ProxmoxMachine) bool { return sameObject(&a.Meta, &b.Meta) })
	s.Nodes = slices.CompactFunc(s.Nodes, func(a, b Node) bool { return a.Cluster == b.Cluster && a.Name == b.Name })
}

func sameObject(a, b *Meta) bool { return a.Namespace == b.Namespace && a.Name == b.Name }
