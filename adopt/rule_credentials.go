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
	Remedy: "Give the cluster credentials of its own for its site (leave out --controller-credentials; --credentials-secret names a Secret that no cluster of another site has).",
	check: func(r *Rule, p *planner) []Finding {
		if p.site == "" {
			return nil
		}
		if p.future.secret != "" {
			secret := p.namespace + "/" + p.future.secret
			// One that is there already says it itself, if it was read, or by the VMs that CAPMOX manages with it.
			sites := p.managedSites(secret)
			if stored := storedSecret(p.s, secret); stored != nil && stored.Server != "" {
				sites = p.sitesOrAddress(stored.Server)
			}
			if len(sites) > 0 && !slices.Equal(sites, []string{p.site}) {
				return []Finding{r.of(clusterRef(p.cluster.Key), fmt.Sprintf("the VMs are on site %s, and the credentials in the Secret %s lead to %s",
					p.site, secret, strings.Join(sites, ", ")))}
			}
			// CAPMOX's own access, if it has one, goes before the Secret.
			if own := p.ownSites(); len(own) > 0 && !slices.Equal(own, []string{p.site}) {
				return []Finding{r.advise(clusterRef(p.cluster.Key), "Take CAPMOX's own access out of its environment (the Secret that its Deployment names), start CAPMOX anew "+
					"(kubectl rollout restart: it has what the Secret said when it started), and give each ProxmoxCluster a Secret of its own.",
					fmt.Sprintf("the VMs are on site %s, and CAPMOX has credentials of its own, which lead to %s and go before those in a Secret", p.site, strings.Join(own, ", ")))}
			}
			return nil
		}
		sites := p.ownSites()
		own, seen := FindOwnAccess(p.s)
		switch {
		case seen && own == nil:
			return []Finding{r.advise(clusterRef(p.cluster.Key), "Leave out --controller-credentials, so that the cluster gets a Secret with credentials of its own.", "CAPMOX has no credentials of its own in its environment")}
		case len(sites) == 0:
			return []Finding{r.of(clusterRef(p.cluster.Key), "neither the Secret that CAPMOX's Deployment takes its own credentials from (--read-secrets) nor a machine that it manages with them shows which site they lead to")}
		case !slices.Contains(sites, p.site) || len(sites) > 1:
			return []Finding{r.of(clusterRef(p.cluster.Key), fmt.Sprintf("the VMs are on site %s, and CAPMOX's own credentials lead to %s", p.site, strings.Join(sites, ", ")))}
		}
		return nil
	},
}

// ownSites are the sites that CAPMOX's own access leads to: the one that its address names, or, where that was not seen, those of the
// VMs that it manages by it; none if it has no such access.
func (p *planner) ownSites() []string {
	own, seen := FindOwnAccess(p.s)
	if seen && own == nil {
		return nil
	}
	if seen && own.Server != "" {
		return p.sitesOrAddress(own.Server)
	}
	return p.managedSites("")
}

// sitesOrAddress are the sites that an address leads to, or the address itself where it leads to none that was scanned: that is none
// that the VMs are known to be on.
func (p *planner) sitesOrAddress(server string) []string {
	if at := sitesAt(p.s, server); len(at) > 0 {
		return at
	}
	return []string{server}
}

// managedSites are the sites of the VMs of other clusters whose ProxmoxCluster names a Secret (NAMESPACE/NAME); empty stands
// for those that name none.
func (p *planner) managedSites(secret string) []string {
	var out []string
	for i := range p.s.ProxmoxMachines {
		pm := &p.s.ProxmoxMachines[i]
		c := clusterOf(p.s, pm.Cluster)
		if pm.Cluster == p.cluster.Key || c == nil || c.Declared == nil || c.Declared.Infrastructure == nil || c.Declared.Infrastructure.CredentialsSecret != secret {
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
