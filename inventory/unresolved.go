package inventory

import (
	"cmp"
	"slices"
)

// Unresolved is what the lists of pass 1 left open, for pass 2 to ask about.
type Unresolved struct {
	// VMIDs are addresses that a ProxmoxMachine or Node names and that no guest list shows: each is probed.
	VMIDs []Key
	// Guests are running VMs that no UUID ties to a Machine or Node: the ones that a guest agent may tell about.
	Guests []Key
}

// UnresolvedOf computes what is still open in a Snapshot. It is pure, and its answer is sorted.
func UnresolvedOf(s *Snapshot) Unresolved {
	listed := make(map[Key]bool, len(s.VMs))
	for i := range s.VMs {
		listed[s.VMs[i].Key()] = true
	}
	return Unresolved{VMIDs: unlisted(s, listed), Guests: unmatched(s)}
}

func unlisted(s *Snapshot, listed map[Key]bool) []Key {
	asked := map[Key]bool{}
	var out []Key
	ask := func(sites []string, vmid int) {
		for _, site := range sites {
			k := Key{Site: site, VMID: vmid}
			if ValidVMID(vmid) && !listed[k] && !asked[k] {
				asked[k] = true
				out = append(out, k)
			}
		}
	}
	siteOf := make(map[string]string, len(s.Clusters))
	for i := range s.Clusters {
		siteOf[s.Clusters[i].Key] = s.Clusters[i].Site
	}
	all := make([]string, 0, len(s.Sites))
	for i := range s.Sites {
		all = append(all, s.Sites[i].Name)
	}
	for i := range s.ProxmoxMachines {
		pm := &s.ProxmoxMachines[i]
		if pm.VMID == nil {
			continue
		}
		if site := siteOf[pm.Cluster]; site != "" {
			ask([]string{site}, *pm.VMID)
		} else {
			ask(all, *pm.VMID)
		}
	}
	for i := range s.Nodes {
		for _, named := range s.Nodes[i].VMIDs() {
			ask(s.SitesOfRegion(named.Region), named.VMID)
		}
	}
	slices.SortFunc(out, CompareKeys)
	return out
}

// CompareKeys orders VMs by site, then by VMID.
func CompareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.VMID, b.VMID))
}

// SitesOfRegion are the sites that the Proxmox cloud controller manager knows under a region's name. A site without
// configured regions answers to its own name and its Proxmox cluster's; an empty region is the only site there is.
func (s *Snapshot) SitesOfRegion(region string) []string {
	if region == "" {
		if len(s.Sites) == 1 {
			return []string{s.Sites[0].Name}
		}
		return nil
	}
	var out []string
	for i := range s.Sites {
		site := &s.Sites[i]
		names := site.Regions
		if len(names) == 0 {
			names = []string{site.Name, site.ClusterName}
		}
		if slices.Contains(names, region) {
			out = append(out, site.Name)
		}
	}
	return out
}

func unmatched(s *Snapshot) []Key {
	known := make(map[string]bool, len(s.Nodes)+len(s.Machines))
	for i := range s.Nodes {
		known[s.Nodes[i].SystemUUID] = true
		known[ParseProviderID(s.Nodes[i].ProviderID).UUID] = true
	}
	for i := range s.ProxmoxMachines {
		known[ParseProviderID(s.ProxmoxMachines[i].ProviderID).UUID] = true
	}
	for i := range s.Machines {
		known[ParseProviderID(s.Machines[i].ProviderID).UUID] = true
	}
	var out []Key
	for i := range s.VMs {
		vm := &s.VMs[i]
		if vm.Type != GuestQEMU || vm.IsTemplate() || vm.Status != "running" || vm.Config == nil || !vm.Config.AgentEnabled {
			continue
		}
		if u := vm.UUID(); u == "" || !known[u] {
			out = append(out, vm.Key())
		}
	}
	slices.SortFunc(out, CompareKeys)
	return out
}
