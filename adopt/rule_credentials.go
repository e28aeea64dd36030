package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleCredentials = Rule{
	ID: "PXA212", Blocks: true, Destroys: true,
	Title:  "CAPMOX cannot see the cluster's site",
	Why:    "CAPMOX looks VMs up by VMID at the Proxmox that its credentials lead to. On another site that number is another guest's, or nobody's.",
	Remedy: "Give the cluster credentials of its own for its site (leave out --controller-credentials; --credentials-secret names the Secret).",
	check: func(r *Rule, p *planner) []Finding {
		if p.future.secret != "" || p.site == "" {
			return nil
		}
		// What CAPMOX's own credentials lead to is told by the VMs that it manages with them.
		sites := p.controllerSites()
		switch {
		case len(sites) == 0:
			return []Finding{r.of(clusterRef(p.cluster.Key), "no machine that CAPMOX manages with its own credentials shows which site they lead to")}
		case !slices.Contains(sites, p.site) || len(sites) > 1:
			return []Finding{r.of(clusterRef(p.cluster.Key), fmt.Sprintf("the VMs are on site %s, and CAPMOX's own credentials lead to %s", p.site, strings.Join(sites, ", ")))}
		}
		return nil
	},
}

// controllerSites are the sites of the VMs whose ProxmoxCluster names no credentials.
func (p *planner) controllerSites() []string {
	var out []string
	for i := range p.s.ProxmoxMachines {
		pm := &p.s.ProxmoxMachines[i]
		c := clusterOf(p.s, pm.Cluster)
		if pm.Cluster == p.cluster.Key || c == nil || c.Declared == nil || c.Declared.Infrastructure == nil || c.Declared.Infrastructure.CredentialsSecret != "" {
			continue
		}
		e := p.g.Of(inventory.Subject{Kind: inventory.SubjectProxmoxMachine, Scope: pm.Namespace, Name: pm.Name})
		if e == nil || len(e.VMs) != 1 || !pm.Ready {
			continue
		}
		out = append(out, p.s.VMs[e.VMs[0]].Site)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func clusterOf(s *inventory.Snapshot, key string) *inventory.Cluster {
	for i := range s.Clusters {
		if s.Clusters[i].Key == key {
			return &s.Clusters[i]
		}
	}
	return nil
}
