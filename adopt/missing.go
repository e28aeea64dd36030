package adopt

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

func isConfigScope(scope string) bool { return strings.HasPrefix(scope, inventory.ConfigScope("")) }

// part is a part of the world on which rules rest: what was not seen of it says nothing, least of all that something is not there.
type part string

const (
	// partNodes are the cluster's Nodes, partKubeadm its kubeadm-config, partPods its static Pods.
	partNodes   part = "nodes"
	partKubeadm part = "kubeadm-config"
	partPods    part = "static Pods"
	// partGuests are the guests of all sites with their configurations: only then is it known which VM a Node is, and that no other has
	// its UUID.
	partGuests part = "guests"
	// partName is what the Cluster object is called, if it is there already: the names and labels of all others come from it.
	partName part = "clusters"
	// partProviders are the Deployments of the providers, partManaged the machines that CAPMOX has already, partAccess what is known of
	// its own access to Proxmox.
	partProviders part = "providers"
	partManaged   part = "managed machines"
	partAccess    part = "access"
)

// rests are the parts that each rule rests on. Where one of them was not seen in full the rule has no finding: it would be made of
// what is not known. The plan is incomplete then, and says what is missing. PXA216 is about many things, and asks for each.
var rests = map[string][]part{
	ruleNotRunning.ID:         {partNodes, partGuests},
	ruleVMName.ID:             {partNodes, partGuests, partKubeadm, partName},
	ruleNoUUID.ID:             {partNodes, partGuests},
	ruleProviderID.ID:         {partNodes, partGuests},
	ruleEvenEtcd.ID:           {partNodes, partKubeadm},
	ruleUncovered.ID:          {partNodes, partGuests, partKubeadm, partPods},
	ruleSkew.ID:               {partNodes, partKubeadm, partPods},
	ruleProviders.ID:          {partProviders},
	ruleHealthCheck.ID:        {partNodes, partGuests, partName},
	rulePool.ID:               {partNodes, partGuests, partKubeadm, partName},
	ruleSites.ID:              {partNodes, partGuests},
	ruleCredentials.ID:        {partNodes, partGuests, partName, partProviders, partManaged, partAccess},
	ruleIdentity.ID:           {partNodes, partGuests},
	ruleDeclared.ID:           {partNodes, partGuests, partKubeadm, partName},
	ruleNoKubeadm.ID:          {partKubeadm},
	ruleInputs.ID:             {},
	ruleNetwork.ID:            {partNodes, partGuests},
	ruleObjectName.ID:         {partName},
	ruleBootstrapMark.ID:      {partNodes, partGuests},
	ruleProvenPair.ID:         {partProviders},
	ruleFiles.ID:              {partKubeadm, partPods},
	ruleArguments.ID:          {partKubeadm, partPods},
	ruleOtherStaticPods.ID:    {partPods},
	ruleLost.ID:               {partKubeadm},
	ruleNotReady.ID:           {partNodes, partGuests},
	ruleNotReproduced.ID:      {partNodes, partGuests},
	ruleLeftOver.ID:           {partNodes, partGuests},
	ruleServingCA.ID:          {partNodes},
	ruleInaccurateTemplate.ID: {partNodes, partGuests},
	ruleLeftOut.ID:            {partNodes, partGuests},
}

// Rests names the parts of the world that a rule rests on; there is nothing for what is no rule.
func Rests(rule string) (parts []string, known bool) {
	all, known := rests[rule]
	for _, x := range all {
		parts = append(parts, string(x))
	}
	return parts, known
}

// sees is true if all of these parts were seen in full.
func (p *planner) sees(parts ...part) bool {
	return !slices.ContainsFunc(parts, func(x part) bool { return len(p.unseen(x)) > 0 })
}

// unseen are the sources of a part that did not say all.
func (p *planner) unseen(x part) []inventory.Need {
	cluster := inventory.ClusterSource(p.cluster.Key)
	switch x {
	case partNodes:
		return unknownOf(p.s, cluster, inventory.ScopeNodes)
	case partKubeadm:
		return unknownOf(p.s, cluster, inventory.ScopeKubeadm)
	case partPods:
		return unknownOf(p.s, cluster, inventory.ScopeStaticPods)
	case partGuests:
		if len(p.s.Sites) == 0 {
			return []inventory.Need{inventory.AnySite}
		}
		return p.unseenGuests()
	case partName:
		return unknownOf(p.s, inventory.ManagementSource, inventory.ScopeClusters)
	case partProviders:
		return unknownOf(p.s, inventory.ManagementSource, inventory.ScopeProviders)
	case partManaged:
		return append(unknownOf(p.s, inventory.ManagementSource, inventory.ScopeMachines, inventory.ScopeProxmoxMachines), p.unseenNamespaces()...)
	case partAccess:
		return p.unseenAccess()
	}
	return nil
}

// unseenGuests are the guests of all sites, and their configurations, that were not seen: any of them may have the UUID that a
// member's VM has too.
func (p *planner) unseenGuests() []inventory.Need {
	if p.guestsKnown {
		return p.guests
	}
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
	p.guests, p.guestsKnown = slices.Compact(out), true
	return p.guests
}

// unseenAccess is what would say where CAPMOX's credentials lead: the Secret of its own access, if nothing else tells, and the hosts
// of the sites, if an address is none that is known.
func (p *planner) unseenAccess() []inventory.Need {
	if p.site == "" {
		return nil
	}
	var out []inventory.Need
	var servers []string
	own, seen := FindOwnAccess(p.s)
	switch {
	case own != nil:
		servers = append(servers, own.Server)
	case !seen && p.opt.Future.ControllerCredentials && len(p.ownSites()) == 0:
		out = unknownOf(p.s, inventory.ManagementSource, inventory.ScopeSecrets)
	}
	if stored := storedSecret(p.s, p.namespace+"/"+p.future.secret); stored != nil {
		servers = append(servers, stored.Server)
	}
	for _, server := range servers {
		if server == "" || len(sitesAt(p.s, server)) > 0 {
			continue
		}
		for i := range p.s.Sites {
			out = append(out, unknownOf(p.s, inventory.SiteSource(p.s.Sites[i].Name), inventory.ScopeClusterStatus)...)
		}
	}
	return out
}

// unseenNamespaces is there for a run that was told which namespaces to read.
func (p *planner) unseenNamespaces() []inventory.Need {
	if m := p.s.Management; (m == nil || len(m.Namespaces) == 0) && p.s.CoverageOf(inventory.ManagementSource, inventory.ScopeOtherNamespaces) == nil {
		return nil
	}
	return unknownOf(p.s, inventory.ManagementSource, inventory.ScopeOtherNamespaces)
}

// undecided is true for a member whose VM is not known because something was not seen.
func (m *member) undecided() bool {
	return m.entity != nil && m.entity.Class == identity.Unknown && len(m.entity.Missing) > 0
}

// missing are the sources without which a bundle would be a guess.
func (p *planner) missing() []inventory.Need {
	var out []inventory.Need
	for _, x := range []part{partNodes, partKubeadm, partPods, partGuests, partAccess} {
		out = append(out, p.unseen(x)...)
	}
	for _, m := range p.members {
		if m.undecided() && !m.whole() {
			out = append(out, m.entity.Missing...)
		}
	}
	out = append(out, p.elsewhere()...)
	// Without a management cluster nobody knows what is in the way there. Its namespaces that were not read may declare one of
	// the VMs.
	out = append(out, unknownOf(p.s, inventory.ManagementSource, managementScopes...)...)
	out = append(out, p.unseenNamespaces()...)
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
