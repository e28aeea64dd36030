package inventorytest

import (
	"math/rand/v2"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// Split takes a fleet apart as scans would see it that divide it (scan --site for each site, scan --rest): which of them
// reads a cluster is drawn where its site does not say it. The probes are those that each part knows to ask for.
func Split(whole *inventory.Snapshot, rng *rand.Rand) []*inventory.Snapshot {
	owner := map[string]int{}
	for i := range whole.Clusters {
		c := &whole.Clusters[i]
		owner[c.Key] = rng.IntN(len(whole.Sites)+1) - 1
		for k := range whole.Sites {
			if c.Site == whole.Sites[k].Name {
				owner[c.Key] = k
			}
		}
		if whole.Management != nil && whole.Management.ClusterName == c.Key {
			owner[c.Key] = -1
		}
	}
	out := []*inventory.Snapshot{portion(whole, -1, owner)}
	for k := range whole.Sites {
		out = append(out, portion(whole, k, owner))
	}
	return out
}

// portion is what the scan of one site sees; of -1, the scan of the rest.
func portion(whole *inventory.Snapshot, site int, owner map[string]int) *inventory.Snapshot {
	s := &inventory.Snapshot{FormatVersion: whole.FormatVersion, CollectedAt: whole.CollectedAt, Coverage: []inventory.Coverage{}}
	read := map[string]bool{}
	for k := range whole.Sites {
		own := whole.Sites[k]
		source := inventory.SiteSource(own.Name)
		if k == site {
			s.Sites = append(s.Sites, own)
			read[source] = true
			continue
		}
		s.Sites = append(s.Sites, inventory.Site{Name: own.Name, URL: own.URL, Regions: own.Regions})
		s.Coverage = append(s.Coverage, inventory.LeaveOut(source, inventory.ScopeGuests))
	}
	for i := range whole.Clusters {
		c := whole.Clusters[i]
		source := inventory.ClusterSource(c.Key)
		asked := whole.CoverageOf(source, inventory.ScopeNodes)
		if site >= 0 {
			c.Declared = nil
		}
		switch {
		case owner[c.Key] == site:
			read[source] = true
		case asked != nil && asked.State == inventory.NotAsked:
			c = inventory.Cluster{Key: c.Key, Declared: c.Declared, Selector: c.Selector, Site: c.Site}
			s.Coverage = append(s.Coverage, *asked)
		default:
			c = inventory.Cluster{Key: c.Key, Declared: c.Declared, Selector: c.Selector, Site: c.Site}
			s.Coverage = append(s.Coverage, inventory.LeaveOut(source, inventory.ScopeNodes))
		}
		s.Clusters = append(s.Clusters, c)
	}
	switch {
	case site < 0:
		s.Management, s.Machines, s.ProxmoxMachines, s.Groups = whole.Management, whole.Machines, whole.ProxmoxMachines, whole.Groups
		s.Providers, s.Events, s.StoredSecrets = whole.Providers, whole.Events, whole.StoredSecrets
		read[inventory.ManagementSource] = true
	case whole.Management != nil:
		s.Management = &inventory.Management{}
		for _, scope := range []string{inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines} {
			s.Coverage = append(s.Coverage, inventory.LeaveOut(inventory.ManagementSource, scope))
		}
	}
	ofSite := func(name string) bool { return read[inventory.SiteSource(name)] }
	s.VMs = keep(whole.VMs, func(v *inventory.VM) bool { return ofSite(v.Site) })
	s.Tasks = keep(whole.Tasks, func(v *inventory.Task) bool { return ofSite(v.Site) })
	s.Nodes = keep(whole.Nodes, func(n *inventory.Node) bool { return read[inventory.ClusterSource(n.Cluster)] })
	s.Objects = keep(whole.Objects, func(o *inventory.Object) bool {
		return o.Cluster == "" && site < 0 || o.Cluster != "" && read[inventory.ClusterSource(o.Cluster)]
	})
	s.Coverage = append(s.Coverage, keep(whole.Coverage, func(c *inventory.Coverage) bool { return read[c.Source] })...)
	for _, k := range inventory.UnresolvedOf(s).VMIDs {
		if p := whole.ProbeOf(k); p != nil && ofSite(k.Site) {
			s.Probes = append(s.Probes, *p)
		}
	}
	s.Sort()
	return s
}

func keep[T any](in []T, which func(*T) bool) []T {
	return slices.DeleteFunc(slices.Clone(in), func(v T) bool { return !which(&v) })
}
