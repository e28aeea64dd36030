package inventorytest

import "github.com/proxaudit/proxaudit/inventory"

// everything is the coverage of a run in which all was answered.
func everything(s *inventory.Snapshot) []inventory.Coverage {
	var out []inventory.Coverage
	add := func(source, scope string) {
		out = append(out, inventory.Coverage{Source: source, Scope: scope, State: inventory.Complete, Asked: 1, Got: 1})
	}
	for i := range s.Sites {
		src := inventory.SiteSource(s.Sites[i].Name)
		for _, scope := range []string{inventory.ScopeVersion, inventory.ScopePermissions, inventory.ScopeClusterStatus, inventory.ScopeGuests, inventory.ScopeProbes} {
			add(src, scope)
		}
		for _, n := range s.Sites[i].Nodes {
			add(src, inventory.NodeScope(n.Name))
			add(src, inventory.ConfigScope(n.Name))
		}
	}
	for i := range s.Clusters {
		add(inventory.ClusterSource(s.Clusters[i].Key), inventory.ScopeNodes)
	}
	if s.Management != nil {
		for _, scope := range []string{inventory.ScopeDiscovery, inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines} {
			add(inventory.ManagementSource, scope)
		}
	}
	return out
}

// Probe answers what the lists of a view leave open by what the whole fleet has, as the second pass of a collection
// would.
func Probe(view, whole *inventory.Snapshot) {
	there := map[inventory.Key]bool{}
	for i := range whole.VMs {
		there[whole.VMs[i].Key()] = true
	}
	for _, k := range inventory.UnresolvedOf(view).VMIDs {
		if view.ProbeOf(k) != nil {
			continue
		}
		p := inventory.Probe{Site: k.Site, VMID: k.VMID, Existence: inventory.Free}
		if there[k] {
			p.Existence = inventory.Exists
		}
		view.Probes = append(view.Probes, p)
	}
}
