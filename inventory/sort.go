package inventory

import (
	"cmp"
	"slices"
	"time"
)

// Sort brings every list of the Snapshot into one order, so that two runs that saw the same print the same. Lists
// whose own order carries meaning (interfaces, conditions) are left as they are.
func (s *Snapshot) Sort() { *s = *s.Ordered() }

// Sorted returns a copy whose lists are in the one order, and may be changed. The copy shares everything below the lists.
func (s *Snapshot) Sorted() *Snapshot {
	c := *s
	c.Sites = slices.Clone(s.Sites)
	for i := range c.Sites {
		c.Sites[i].Nodes = slices.Clone(c.Sites[i].Nodes)
	}
	c.VMs = slices.Clone(s.VMs)
	c.Clusters = slices.Clone(s.Clusters)
	c.Machines = slices.Clone(s.Machines)
	c.ProxmoxMachines = slices.Clone(s.ProxmoxMachines)
	c.Nodes = slices.Clone(s.Nodes)
	c.Groups = slices.Clone(s.Groups)
	c.Providers = slices.Clone(s.Providers)
	c.Tasks = slices.Clone(s.Tasks)
	c.Events = slices.Clone(s.Events)
	c.StoredSecrets = slices.Clone(s.StoredSecrets)
	c.Probes = slices.Clone(s.Probes)
	c.Coverage = slices.Clone(s.Coverage)
	c.Requests = slices.Clone(s.Requests)
	c.Objects = slices.Clone(s.Objects)
	c.Parts = slices.Clone(s.Parts)
	c.Sort()
	return &c
}

// Ordered is the Snapshot in the one order, for reading only: it shares the lists that are in order already. Those of a large
// fleet, which the collection has sorted, are not copied for every report.
func (s *Snapshot) Ordered() *Snapshot {
	c := *s
	c.Sites = sorted(s.Sites, func(a, b *Site) int { return cmp.Compare(a.Name, b.Name) })
	byName := func(a, b *ProxmoxNode) int { return cmp.Compare(a.Name, b.Name) }
	if slices.ContainsFunc(c.Sites, func(s Site) bool { return !inOrder(s.Nodes, byName) }) {
		c.Sites = slices.Clone(c.Sites)
		for i := range c.Sites {
			c.Sites[i].Nodes = sorted(c.Sites[i].Nodes, byName)
		}
	}
	c.VMs = sorted(s.VMs, func(a, b *VM) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.VMID, b.VMID), cmp.Compare(a.Node, b.Node))
	})
	c.Clusters = sorted(s.Clusters, func(a, b *Cluster) int { return cmp.Compare(a.Key, b.Key) })
	c.Machines = sorted(s.Machines, func(a, b *Machine) int { return compareMeta(&a.Meta, &b.Meta) })
	c.ProxmoxMachines = sorted(s.ProxmoxMachines, func(a, b *ProxmoxMachine) int { return compareMeta(&a.Meta, &b.Meta) })
	c.Nodes = sorted(s.Nodes, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Name, b.Name))
	})
	c.Groups = sorted(s.Groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), compareMeta(&a.Meta, &b.Meta))
	})
	c.Providers = sorted(s.Providers, func(a, b *Provider) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	c.Tasks = sorted(s.Tasks, func(a, b *Task) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), a.Start.Compare(b.Start), cmp.Compare(a.UPID, b.UPID))
	})
	c.Events = sorted(s.Events, compareEvents)
	c.StoredSecrets = sorted(s.StoredSecrets, func(a, b *StoredSecret) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	c.Probes = sorted(s.Probes, func(a, b *Probe) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.VMID, b.VMID))
	})
	c.Coverage = sorted(s.Coverage, func(a, b *Coverage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	c.Requests = sorted(s.Requests, func(a, b *Requests) int { return cmp.Compare(a.Source, b.Source) })
	c.Parts = sorted(s.Parts, func(a, b *Part) int { return cmp.Compare(a.File, b.File) })
	c.Objects = sorted(s.Objects, func(a, b *Object) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.APIVersion, b.APIVersion),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return &c
}

func compareMeta(a, b *Meta) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// sorted is the list itself if it is in order, else a sorted copy.
func sorted[T any](list []T, compare func(a, b *T) int) []T {
	if inOrder(list, compare) {
		return list
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b T) int { return compare(&a, &b) })
	return list
}

func inOrder[T any](list []T, compare func(a, b *T) int) bool {
	for i := 1; i < len(list); i++ {
		if compare(&list[i-1], &list[i]) > 0 {
			return false
		}
	}
	return true
}

// compareEvents orders them by what they are about, the latest last.
func compareEvents(a, b *Event) int {
	return cmp.Or(cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(a.Object.Name, b.Object.Name),
		compareTimes(a.Last, b.Last), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Reporter, b.Reporter),
		cmp.Compare(a.Type, b.Type), cmp.Compare(a.Count, b.Count))
}

func compareTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	default:
		return a.Compare(*b)
	}
}
