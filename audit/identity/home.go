package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// homeScanned is true if something says that an entity's VM would lie in one of the scanned sites. A management cluster
// may run machines in sites that this run did not scan, where the same VMIDs exist: a VMID that is free, or another
// guest's, in a scanned site says nothing about those.
func (j *judge) homeScanned(e *Entity) bool {
	if c := j.clusters[e.Cluster]; c != nil && c.Site != "" {
		return j.sites[c.Site] != nil
	}
	nodes := j.nodesKey(e.Cluster)
	if len(j.homes[nodes]) > 0 {
		return true
	}
	for _, n := range e.Nodes {
		// A region is a name of ours for a site, if the configuration says so.
		if region, ok := j.pointer(n); ok && j.mapped(region) {
			return true
		}
	}
	if !j.nodesRead(nodes) || j.loose.cluster(nodes).ready > 0 {
		// The cluster runs, and none of its machines was found; or nobody could ask whether it does.
		return false
	}
	for _, i := range e.ProxmoxMachines {
		if slices.ContainsFunc(j.hostsOf(i), j.scannedHost) {
			return true
		}
	}
	for _, n := range e.Nodes {
		if region, ok := j.pointer(n); ok && region != "" {
			return true
		}
	}
	return false
}

// atHomeOf keeps the addresses in the sites where an entity's cluster has its VMs. That is known only if all of its members
// were seen: one that was not may lie in another site, and then so may this one.
func (j *judge) atHomeOf(e *Entity, addresses []addressClaim) []addressClaim {
	if len(j.uuidGaps) > 0 || len(j.declaredGaps) > 0 || !j.nodesRead(j.nodesKey(e.Cluster)) {
		return addresses
	}
	var out []addressClaim
	for _, a := range addresses {
		if j.atHome(e.Cluster, a.key.Site) {
			out = append(out, a)
		}
	}
	return out
}

// pointer is the region in which a Node names a VMID, by its providerID or annotation.
func (j *judge) pointer(n int) (region string, ok bool) {
	named := j.s.Nodes[n].VMIDs()
	if len(named) == 0 {
		return "", false
	}
	return named[0].Region, true
}

// mapped is true if the configuration gives a site this region.
func (j *judge) mapped(region string) bool {
	for i := range j.s.Sites {
		if region != "" && slices.Contains(j.s.Sites[i].Regions, region) {
			return true
		}
	}
	return false
}

// hostsOf are the Proxmox hosts that a ProxmoxMachine or its cluster names.
func (j *judge) hostsOf(pm int) []string {
	p := &j.s.ProxmoxMachines[pm]
	out := []string{p.ProxmoxNode, p.SourceNode}
	if c := j.clusters[p.Cluster]; c != nil && c.Declared != nil && c.Declared.Infrastructure != nil {
		out = append(out, c.Declared.Infrastructure.AllowedNodes...)
	}
	return slices.DeleteFunc(out, func(h string) bool { return h == "" })
}

// reachesBeyond is true if a cluster has machines in sites that were not scanned, whatever it has in those that were: one of
// its Nodes runs and no VM is it, or CAPMOX placed this machine on a host that no scanned site has. A VMID that is free here
// says nothing then, unless the configuration says where the cluster lies.
func (j *judge) reachesBeyond(e *Entity) bool {
	if j.siteIsSaid(e) {
		return false
	}
	for _, n := range e.Nodes {
		if region, ok := j.pointer(n); ok && region != "" {
			// It names a region of none of the scanned sites.
			return true
		}
	}
	return j.loose.cluster(j.nodesKey(e.Cluster)).adrift != "" || j.placedElsewhere(e)
}

// siteUnknown says why nothing is known about the site where a machine would be.
func (j *judge) siteUnknown(e *Entity) {
	e.unknown(ReasonSiteUnknown, homeNeed(e))
	if n := j.loose.cluster(j.nodesKey(e.Cluster)).adrift; n != "" && !j.siteIsSaid(e) {
		e.Notes = append(e.Notes, "Node "+n+" of its cluster is Ready and is no VM of a scanned site")
	}
}

// siteIsSaid is true if the configuration says in which site a cluster lies, or a Node of this machine names the
// region of a scanned one.
func (j *judge) siteIsSaid(e *Entity) bool {
	return j.placed(e.Cluster) || slices.ContainsFunc(e.Nodes, func(n int) bool {
		region, ok := j.pointer(n)
		return ok && region != "" && len(j.s.SitesOfRegion(region)) > 0
	})
}

// howSure is the confidence that a machine is gone. Where others of its cluster are no VM of a scanned site either, a site
// that was not scanned may have stopped answering as a whole, with this one in it.
func (j *judge) howSure(e *Entity) Confidence {
	if others := j.loose.cluster(j.nodesKey(e.Cluster)).lost - len(e.Nodes); others > 0 && !j.siteIsSaid(e) {
		e.Notes = append(e.Notes, "other Nodes of the cluster are no VM of a scanned site either: all of them may be in one that was not scanned")
		return Medium
	}
	return High
}

// placedElsewhere is true if CAPMOX says that a machine was placed on a Proxmox host of none of the scanned sites.
func (j *judge) placedElsewhere(e *Entity) bool {
	return slices.ContainsFunc(e.ProxmoxMachines, func(i int) bool {
		host := j.s.ProxmoxMachines[i].ProxmoxNode
		return host != "" && !j.scannedHost(host)
	})
}

// scannedHost is true for a host of a scanned site.
func (j *judge) scannedHost(name string) bool { return j.hosts[name] }

// gapsBeside is true if guests of any other site were not all seen.
func (j *judge) gapsBeside(site string) bool {
	for i := range j.s.Sites {
		if name := j.s.Sites[i].Name; name != site && j.siteGaps[name] {
			return true
		}
	}
	return false
}

// homeNeed names what would tell where an entity's VMs lie.
func homeNeed(e *Entity) inventory.Need {
	if e.Cluster == "" {
		return inventory.AnySite
	}
	return need(inventory.ClusterSource(e.Cluster), inventory.ScopeSite)
}
