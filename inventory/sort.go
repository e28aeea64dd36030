package inventory

import (
	"cmp"
	"slices"
)

// Sort brings every list of the Snapshot into one order, so that two runs that saw the same print the same. Lists
// whose own order carries meaning (interfaces, conditions) are left as they are.
func (s *Snapshot) Sort() {
	slices.SortFunc(s.Sites, func(a, b Site) int { return cmp.Compare(a.Name, b.Name) })
	for i := range s.Sites {
		slices.SortFunc(s.Sites[i].Nodes, func(a, b ProxmoxNode) int { return cmp.Compare(a.Name, b.Name) })
	}
	slices.SortFunc(s.VMs, func(a, b VM) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.VMID, b.VMID), cmp.Compare(a.Node, b.Node))
	})
	slices.SortFunc(s.Clusters, func(a, b Cluster) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortFunc(s.Machines, func(a, b Machine) int { return compareMeta(&a.Meta, &b.Meta) })
	slices.SortFunc(s.ProxmoxMachines, func(a, b ProxmoxMachine) int { return compareMeta(&a.Meta, &b.Meta) })
	slices.SortFunc(s.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), compareMeta(&a.Meta, &b.Meta))
	})
	slices.SortFunc(s.Providers, func(a, b Provider) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(s.Probes, func(a, b Probe) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.VMID, b.VMID))
	})
	slices.SortFunc(s.Coverage, func(a, b Coverage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	slices.SortFunc(s.Requests, func(a, b Requests) int { return cmp.Compare(a.Source, b.Source) })
	slices.SortFunc(s.Objects, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.APIVersion, b.APIVersion),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

func compareMeta(a, b *Meta) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// Sorted returns a copy whose lists are in the one order. The copy shares everything below the lists.
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
	c.Probes = slices.Clone(s.Probes)
	c.Coverage = slices.Clone(s.Coverage)
	c.Requests = slices.Clone(s.Requests)
	c.Objects = slices.Clone(s.Objects)
	c.Sort()
	return &c
}
