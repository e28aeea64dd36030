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
			server := ""
			if stored := storedSecret(p.s, secret); stored != nil {
				server = stored.Server
			}
			sites := p.sitesOf(server, secret)
			if len(sites) > 0 && !slices.Equal(sites, []string{p.site}) {
				return []Finding{r.unknownSite(p, server, sites, fmt.Sprintf("the VMs are on site %s, and the credentials in the Secret %s lead to %s", p.site, secret, strings.Join(sites, ", ")), r.Remedy)}
			}
			// CAPMOX's own access, if it has one, goes before the Secret.
			if own := p.ownSites(); len(own) > 0 && !slices.Equal(own, []string{p.site}) {
				server := ""
				if access, seen := FindOwnAccess(p.s); seen && access != nil {
					server = access.Server
				}
				return []Finding{r.unknownSite(p, server, own,
					fmt.Sprintf("the VMs are on site %s, and CAPMOX has credentials of its own, which lead to %s and go before those in a Secret", p.site, strings.Join(own, ", ")),
					"Take CAPMOX's own access out of its environment (the Secret that its Deployment names), start CAPMOX anew "+
						"(kubectl rollout restart: it has what the Secret said when it started), and give each ProxmoxCluster a Secret of its own.")}
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
			server := ""
			if seen {
				server = own.Server
			}
			return []Finding{r.unknownSite(p, server, sites, fmt.Sprintf("the VMs are on site %s, and CAPMOX's own credentials lead to %s", p.site, strings.Join(sites, ", ")), r.Remedy)}
		}
		return nil
	},
}

// unknownSite is the finding about credentials that lead elsewhere, or, if it is their address alone that is known, to where nobody knows: taking
// them away may stop clusters that work.
func (r *Rule) unknownSite(p *planner, server string, sites []string, detail, remedy string) Finding {
	if server != "" && slices.Equal(sites, []string{server}) {
		detail += ", and which site that is, is not known"
		remedy = "If it is another name of site " + p.site + ", give that site this address in proxaudit.yaml (sites[].url), or put the site's into CAPMOX's credentials. If it is another site: " + remedy
	}
	return r.advise(clusterRef(p.cluster.Key), remedy, detail)
}

// ownSites are the sites that CAPMOX's own access leads to: the one that its address names, or, where that was not seen, those of the
// VMs that it manages by it; none if it has no such access.
func (p *planner) ownSites() []string {
	own, seen := FindOwnAccess(p.s)
	if seen && own == nil {
		return nil
	}
	server := ""
	if seen {
		server = own.Server
	}
	return p.sitesOf(server, "")
}

// sitesOf are the sites that an address leads to. One that is no scanned site's may be another name of it: then the VMs tell that CAPMOX
// manages with the credentials in the Secret, or with its own if there is none. The address itself stands for a site that is not known.
func (p *planner) sitesOf(server, secret string) []string {
	if at := sitesAt(p.s, server); len(at) > 0 {
		return at
	}
	if at := p.managedSites(secret); len(at) > 0 || server == "" {
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
