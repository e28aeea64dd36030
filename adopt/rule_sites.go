package adopt

import "strings"

var ruleSites = Rule{
	ID: "PXA211", Blocks: true, Destroys: true,
	Title: "VMs of the cluster are on several sites",
	Why: "A ProxmoxCluster knows one Proxmox API. A VM on another site is looked for by its VMID on the wrong one, where that number may be " +
		"another guest's, or nobody's.",
	Remedy: "Adopt clusters whose VMs are on one site. Move the VMs of the other site (qm remote-migrate), or replace those Nodes by new ones first.",
	check: func(r *Rule, p *planner) []Finding {
		if len(p.sites) < 2 {
			return nil
		}
		var details []string
		for _, site := range p.sites {
			var names []string
			for _, m := range p.members {
				if m.vm != nil && m.vm.Site == site {
					names = append(names, m.name())
				}
			}
			details = append(details, "site "+site+": "+strings.Join(names, ", "))
		}
		return []Finding{r.of(clusterRef(p.cluster.Key), details...)}
	},
}
