package collect

import "github.com/proxaudit/proxaudit/inventory"

// leaveOut adds what the scan leaves to another: known by name, and not read.
func (r *run) leaveOut(s *inventory.Snapshot) {
	for _, site := range r.plan.LeftOut.Sites {
		c := inventory.LeaveOut(inventory.SiteSource(site.Name), inventory.ScopeGuests)
		s.Sites = append(s.Sites, unreadSite(site.Name, "", site.URL, site.Regions, c.Reason))
		s.Coverage = append(s.Coverage, c)
	}
	if r.plan.LeftOut.Management {
		s.Management = &inventory.Management{}
		for _, scope := range declaredScopes {
			s.Coverage = append(s.Coverage, inventory.LeaveOut(inventory.ManagementSource, scope))
		}
	}
}

// namedByOthers are the VMs that the Nodes and ProxmoxMachines of other scans name and that no list of this one shows. A
// site-only scan knows of no Machine, and a VMID that nobody asked about is never known to be free.
func namedByOthers(s, others *inventory.Snapshot) []inventory.Key {
	if others == nil {
		return nil
	}
	asked := &inventory.Snapshot{Sites: s.Sites, VMs: s.VMs, ProxmoxMachines: others.ProxmoxMachines, Nodes: others.Nodes, Clusters: others.Clusters}
	return inventory.UnresolvedOf(asked).VMIDs
}

// Expect adds what the configuration names and none of the files has. A site without a file is one whose scan did not run,
// and not one that is empty.
func Expect(s *inventory.Snapshot, sites []LeftOutSite, workloads []Workload, management bool) {
	const reason = "no file of --from has it: its scan did not run, or wrote to another folder"
	missing := func(source, scope string) inventory.Coverage {
		return inventory.Coverage{Source: source, Scope: scope, State: inventory.Failed, Asked: 1, Failed: 1, Reason: reason,
			Remedy: "run proxaudit scan for it, or take it out of proxaudit.yaml"}
	}
	known := map[string]bool{}
	for _, c := range s.Coverage {
		known[c.Source] = true
	}
	for i := range s.Sites {
		known[inventory.SiteSource(s.Sites[i].Name)] = true
	}
	for i := range s.Clusters {
		known[inventory.ClusterSource(s.Clusters[i].Key)] = true
	}
	for _, site := range sites {
		if source := inventory.SiteSource(site.Name); !known[source] && site.Name != "" {
			s.Sites = append(s.Sites, unreadSite(site.Name, "", site.URL, site.Regions, reason))
			s.Coverage = append(s.Coverage, missing(source, inventory.ScopeGuests))
		}
	}
	for _, w := range workloads {
		if source := inventory.ClusterSource(w.Key); !known[source] {
			s.Clusters = append(s.Clusters, inventory.Cluster{Key: w.Key, Selector: w.Selector, Site: w.Site})
			s.Coverage = append(s.Coverage, missing(source, inventory.ScopeNodes))
		}
	}
	if management && s.Management == nil {
		s.Management = &inventory.Management{}
		for _, scope := range declaredScopes {
			s.Coverage = append(s.Coverage, missing(inventory.ManagementSource, scope))
		}
	}
	s.Sort()
}
