package adopt

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

func isConfigScope(scope string) bool { return strings.HasPrefix(scope, inventory.ConfigScope("")) }

// missing are the sources without which a bundle would be a guess.
func (p *planner) missing() []inventory.Need {
	var out []inventory.Need
	cluster := inventory.ClusterSource(p.cluster.Key)
	out = append(out, unknownOf(p.s, cluster, inventory.ScopeNodes, inventory.ScopeKubeadm, inventory.ScopeStaticPods)...)
	if len(p.s.Sites) == 0 {
		out = append(out, inventory.AnySite)
	}
	out = append(out, p.unseenGuests()...)
	out = append(out, p.elsewhere()...)
	// Without a management cluster nobody knows what is in the way there. Its namespaces that were not read may declare one of
	// the VMs.
	out = append(out, unknownOf(p.s, inventory.ManagementSource, managementScopes...)...)
	if m := p.s.Management; m != nil && len(m.Namespaces) > 0 || p.s.CoverageOf(inventory.ManagementSource, inventory.ScopeOtherNamespaces) != nil {
		out = append(out, unknownOf(p.s, inventory.ManagementSource, inventory.ScopeOtherNamespaces)...)
	}
	slices.SortFunc(out, inventory.CompareNeeds)
	return slices.Compact(out)
}

// unseenGuests are the guests of all sites, and their configurations, that were not seen: any of them may have the UUID that a
// member's VM has too.
func (p *planner) unseenGuests() []inventory.Need {
	var out []inventory.Need
	for i := range p.s.Sites {
		site := &p.s.Sites[i]
		source := inventory.SiteSource(site.Name)
		if !site.Visibility.Complete || !p.s.Known(source, inventory.ScopeGuests) {
			out = append(out, inventory.Need{Source: source, Scope: inventory.ScopeGuests})
		}
		for _, c := range p.s.Coverage {
			if c.Source == source && isConfigScope(c.Scope) && c.State != inventory.Complete && c.State != inventory.Absent {
				out = append(out, c.Need())
			}
		}
	}
	for i := range p.s.VMs {
		if v := &p.s.VMs[i]; v.Type == inventory.GuestQEMU && v.Config == nil {
			out = append(out, inventory.Need{Source: inventory.SiteSource(v.Site), Scope: inventory.ConfigScope(v.Node)})
		}
	}
	slices.SortFunc(out, inventory.CompareNeeds)
	return slices.Compact(out)
}

// elsewhere are the Nodes of other clusters, if they were not seen and matter: the VM of a Node that is not Ready may have joined
// another cluster since. One that is Ready heartbeats from where it is.
func (p *planner) elsewhere() []inventory.Need {
	if !slices.ContainsFunc(p.s.Nodes, func(n inventory.Node) bool { return n.Cluster == p.cluster.Key && n.Ready != "True" }) {
		return nil
	}
	var out []inventory.Need
	for i := range p.s.Clusters {
		if key := p.s.Clusters[i].Key; key != p.cluster.Key {
			out = append(out, unknownOf(p.s, inventory.ClusterSource(key), inventory.ScopeNodes)...)
		}
	}
	return out
}

// managementScopes are the kinds among which something may be in the way: an object of the same name, a MachineHealthCheck,
// a Machine that declares one of the VMs already, a pool with the same addresses.
var managementScopes = []string{
	inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines, inventory.ScopeProviders,
	"machinehealthchecks." + inventory.GroupCluster, "machinesets." + inventory.GroupCluster, "machinedeployments." + inventory.GroupCluster,
	"kubeadmcontrolplanes." + inventory.GroupControlPlane, "kubeadmconfigs." + inventory.GroupBootstrap,
	"kubeadmconfigtemplates." + inventory.GroupBootstrap, "proxmoxclusters." + inventory.GroupInfrastructure,
	"proxmoxmachinetemplates." + inventory.GroupInfrastructure, "inclusterippools.ipam.cluster.x-k8s.io", "globalinclusterippools.ipam.cluster.x-k8s.io",
}
