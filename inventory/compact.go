package inventory

// Compact drops what a sorted Snapshot lists twice: a guest that moved between two rows of one answer, an object that two
// pages of a list share. Twice the same is one, and not two that claim the same identity. Of two rows of a guest the one
// with a configuration stays. Lists are replaced and never written to: another Snapshot may share them.
func (s *Snapshot) Compact() {
	s.VMs = compacted(s.VMs, func(kept, next *VM) bool { return kept.Key() == next.Key() },
		func(kept, next *VM) bool { return kept.Config == nil && next.Config != nil })
	s.Machines = compacted(s.Machines, func(a, b *Machine) bool { return sameObject(&a.Meta, &b.Meta) }, nil)
	s.ProxmoxMachines = compacted(s.ProxmoxMachines, func(a, b *ProxmoxMachine) bool { return sameObject(&a.Meta, &b.Meta) }, nil)
	s.Nodes = compacted(s.Nodes, func(a, b *Node) bool { return a.Cluster == b.Cluster && a.Name == b.Name }, nil)
}

// compacted is the list itself if no two neighbours are the same, else a copy with one of each; of two that are the same
// the second stays if it is better.
func compacted[T any](list []T, same, better func(kept, next *T) bool) []T {
	first := 1
	for first < len(list) && !same(&list[first-1], &list[first]) {
		first++
	}
	if first >= len(list) {
		return list
	}
	out := append(make([]T, 0, len(list)-1), list[:first]...)
	for i := first; i < len(list); i++ {
		last := &out[len(out)-1]
		switch {
		case !same(last, &list[i]):
			out = append(out, list[i])
		case better != nil && better(last, &list[i]):
			*last = list[i]
		}
	}
	return out
}

func sameObject(a, b *Meta) bool { return a.Namespace == b.Namespace && a.Name == b.Name }
