package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// known is true if a source answered a question in full.
func (x *index) known(source, scope string) bool {
	c := x.coverage[need(source, scope)]
	return c != nil && (c.State == inventory.Complete || c.State == inventory.Absent)
}

func need(source, scope string) inventory.Need { return inventory.Need{Source: source, Scope: scope} }

// nodesRead is true if all Nodes of a cluster were seen.
func (x *index) nodesRead(cluster string) bool {
	return x.known(inventory.ClusterSource(cluster), inventory.ScopeNodes)
}

// declaredMissing lists what was not seen of the declared side. Without a management cluster nothing is missing:
// machines are then classed without Machines.
func (x *index) declaredMissing() []inventory.Need {
	if x.s.Management == nil {
		// A snapshot file that could not be read may be the one that has it.
		return slices.Clone(x.lost)
	}
	var out []inventory.Need
	for _, scope := range []string{inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines} {
		if !x.known(inventory.ManagementSource, scope) {
			out = append(out, need(inventory.ManagementSource, scope))
		}
	}
	if len(x.s.Management.Namespaces) > 0 {
		out = append(out, need(inventory.ManagementSource, inventory.ScopeOtherNamespaces))
	}
	return out
}

// guestsMissing lists, for a site, why its guest list may be short.
func (x *index) guestsMissing(site string) []inventory.Need {
	s := x.sites[site]
	src := inventory.SiteSource(site)
	if s == nil || !x.known(src, inventory.ScopeGuests) || !s.Visibility.Complete {
		return []inventory.Need{need(src, inventory.ScopeGuests)}
	}
	return nil
}

// uuidsMissing lists why a UUID that no VM shows may still be some VM's: a guest list that may be short, or a
// configuration that was not read.
func (x *index) uuidsMissing() []inventory.Need {
	out := slices.Clone(x.lost)
	for i := range x.s.Sites {
		out = append(out, x.guestsMissing(x.s.Sites[i].Name)...)
	}
	for i := range x.s.VMs {
		vm := &x.s.VMs[i]
		if candidate(vm) && vm.Config == nil {
			out = append(out, configNeed(x, vm))
		}
	}
	slices.SortFunc(out, inventory.CompareNeeds)
	return slices.Compact(out)
}

// namesMissing lists why a VM may exist under a name that no list shows: a guest list that may be short, or a row of a
// host that sends no status, which has no name.
func (x *index) namesMissing() []inventory.Need {
	out := slices.Clone(x.lost)
	for i := range x.s.Sites {
		out = append(out, x.guestsMissing(x.s.Sites[i].Name)...)
	}
	for i := range x.s.VMs {
		vm := &x.s.VMs[i]
		if candidate(vm) && vm.Name == "" && vm.Config == nil {
			out = append(out, configNeed(x, vm))
		}
	}
	slices.SortFunc(out, inventory.CompareNeeds)
	return slices.Compact(out)
}

// configNeed names the coverage entry because of which a VM's configuration is not there.
func configNeed(x *index, vm *inventory.VM) inventory.Need {
	src := inventory.SiteSource(vm.Site)
	if s := x.sites[vm.Site]; s != nil && s.NodeStatus(vm.Node) != inventory.NodeOnline {
		return need(src, inventory.NodeScope(vm.Node))
	}
	return need(src, inventory.ConfigScope(vm.Node))
}

// unreadClusters are the clusters whose Nodes were not all seen, aliases resolved, sorted. A cluster that only its
// Machines speak of is one too.
func (b *builder) unreadClusters() []string {
	seen := map[string]bool{}
	var out []string
	look := func(key string) {
		if key == "" || seen[key] {
			return
		}
		seen[key] = true
		if !b.nodesRead(b.nodesKey(key)) {
			out = append(out, key)
		}
	}
	for i := range b.s.Clusters {
		look(b.s.Clusters[i].Key)
	}
	for i := range b.s.Machines {
		look(b.s.Machines[i].Cluster)
	}
	for i := range b.s.ProxmoxMachines {
		look(b.s.ProxmoxMachines[i].Cluster)
	}
	for i := range b.s.Nodes {
		look(b.s.Nodes[i].Cluster)
	}
	slices.Sort(out)
	return out
}

func nodesNeed(clusters []string) []inventory.Need {
	out := make([]inventory.Need, 0, len(clusters))
	for _, c := range clusters {
		out = append(out, need(inventory.ClusterSource(c), inventory.ScopeNodes))
	}
	return out
}
