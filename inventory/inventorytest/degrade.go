package inventorytest

import (
	"math/rand/v2"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// View is what a run saw of a fleet when something did not answer.
type View struct {
	// Fault says what did not answer.
	Fault    string
	Snapshot *inventory.Snapshot
	// Default is true for a view that a run without --guest-agent has anyway.
	Default bool
	// Silent is true for a fault that no source tells of (a role NoAccess on a pool): only a probe shows it.
	Silent bool
}

// Degrade gives every view of a fleet in which one source, or part of one, did not answer.
func Degrade(whole *inventory.Snapshot, rng *rand.Rand) []View {
	var out []View
	add := func(fault string, spoil func(*inventory.Snapshot)) {
		s := whole.Sorted()
		s.Probes = nil
		spoil(s)
		Probe(s, whole)
		s.Sort()
		out = append(out, View{Fault: fault, Snapshot: s})
	}
	for i := range whole.Sites {
		site := whole.Sites[i].Name
		add("the guest list of "+site+" failed", func(s *inventory.Snapshot) { hide(s, site, inventory.Failed, func(*inventory.VM) bool { return true }) })
		add("the token sees some guests of "+site, func(s *inventory.Snapshot) {
			hide(s, site, inventory.Partial, func(*inventory.VM) bool { return rng.IntN(3) == 0 })
		})
		add("a NoAccess hole in "+site, func(s *inventory.Snapshot) {
			s.VMs = slices.DeleteFunc(s.VMs, func(v inventory.VM) bool { return v.Site == site && rng.IntN(3) == 0 })
		})
		out[len(out)-1].Silent = true
		for _, n := range whole.Sites[i].Nodes {
			add("host "+n.Name+" of "+site+" is off", func(s *inventory.Snapshot) { off(s, site, n.Name) })
			add("some configurations on "+n.Name+" of "+site+" failed", func(s *inventory.Snapshot) { unread(s, site, n.Name, rng) })
		}
		add("no probe of "+site+" was answered", func(s *inventory.Snapshot) {
			for _, k := range inventory.UnresolvedOf(s).VMIDs {
				if k.Site == site {
					s.Probes = append(s.Probes, inventory.Probe{Site: k.Site, VMID: k.VMID, Existence: inventory.ExistenceUnknown, Reason: "595"})
				}
			}
			set(s, inventory.SiteSource(site), inventory.ScopeProbes, inventory.Failed)
		})
		add("no guest agent of "+site+" answers", func(s *inventory.Snapshot) {
			for i := range s.VMs {
				s.VMs[i].Agent = nil
			}
		})
		out[len(out)-1].Default = true
		add("the cluster status of "+site+" is refused", func(s *inventory.Snapshot) {
			for i := range s.Sites {
				if s.Sites[i].Name == site {
					s.Sites[i].Nodes = nil
				}
			}
			set(s, inventory.SiteSource(site), inventory.ScopeClusterStatus, inventory.Refused)
		})
	}
	for i := range whole.Clusters {
		key := whole.Clusters[i].Key
		for _, state := range []inventory.State{inventory.Failed, inventory.NotAsked, inventory.Partial} {
			add("the Nodes of "+key+" are "+string(state), func(s *inventory.Snapshot) {
				s.Nodes = slices.DeleteFunc(s.Nodes, func(n inventory.Node) bool {
					return n.Cluster == key && (state != inventory.Partial || rng.IntN(2) == 0)
				})
				set(s, inventory.ClusterSource(key), inventory.ScopeNodes, state)
			})
		}
	}
	if whole.Management != nil {
		declared(rng, add)
	}
	return out
}

// declared spoils the management cluster's lists.
func declared(rng *rand.Rand, add func(string, func(*inventory.Snapshot))) {
	for _, state := range []inventory.State{inventory.Failed, inventory.Refused, inventory.Partial} {
		gone := func() bool { return state != inventory.Partial || rng.IntN(2) == 0 }
		add("the Machines are "+string(state), func(s *inventory.Snapshot) {
			s.Machines = slices.DeleteFunc(s.Machines, func(inventory.Machine) bool { return gone() })
			set(s, inventory.ManagementSource, inventory.ScopeMachines, state)
		})
		add("the ProxmoxMachines are "+string(state), func(s *inventory.Snapshot) {
			s.ProxmoxMachines = slices.DeleteFunc(s.ProxmoxMachines, func(inventory.ProxmoxMachine) bool { return gone() })
			set(s, inventory.ManagementSource, inventory.ScopeProxmoxMachines, state)
		})
		add("the Clusters are "+string(state), func(s *inventory.Snapshot) {
			// A cluster that only its Cluster object made known is not known at all then, and nobody reads its Nodes.
			for i := range s.Clusters {
				s.Clusters[i].Declared = nil
			}
			s.Clusters = slices.DeleteFunc(s.Clusters, func(c inventory.Cluster) bool {
				lost := c.Selector.IsZero() && c.Site == "" && gone()
				if lost {
					s.Nodes = slices.DeleteFunc(s.Nodes, func(n inventory.Node) bool { return n.Cluster == c.Key })
					s.Coverage = slices.DeleteFunc(s.Coverage, func(o inventory.Coverage) bool { return o.Source == inventory.ClusterSource(c.Key) })
				}
				return lost
			})
			set(s, inventory.ManagementSource, inventory.ScopeClusters, state)
		})
	}
	add("only the namespace c0 is read", func(s *inventory.Snapshot) {
		s.Management = &inventory.Management{Context: "mgmt", Namespaces: []string{"c0"}}
		s.Machines = slices.DeleteFunc(s.Machines, func(m inventory.Machine) bool { return m.Namespace != "c0" })
		s.ProxmoxMachines = slices.DeleteFunc(s.ProxmoxMachines, func(m inventory.ProxmoxMachine) bool { return m.Namespace != "c0" })
	})
	add("the management cluster does not answer", func(s *inventory.Snapshot) {
		s.Machines, s.ProxmoxMachines = nil, nil
		for i := range s.Clusters {
			s.Clusters[i].Declared = nil
		}
		for _, scope := range []string{inventory.ScopeDiscovery, inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines} {
			set(s, inventory.ManagementSource, scope, inventory.Failed)
		}
	})
}

func set(s *inventory.Snapshot, source, scope string, state inventory.State) {
	if c := s.CoverageOf(source, scope); c != nil {
		c.State, c.Reason, c.Got, c.Failed = state, "a fault", 0, 1
	}
}

func hide(s *inventory.Snapshot, site string, state inventory.State, which func(*inventory.VM) bool) {
	s.VMs = slices.DeleteFunc(s.VMs, func(v inventory.VM) bool { return v.Site == site && which(&v) })
	for i := range s.Sites {
		if s.Sites[i].Name == site {
			s.Sites[i].Visibility = inventory.Visibility{Reasons: []string{"a fault"}}
		}
	}
	set(s, inventory.SiteSource(site), inventory.ScopeGuests, state)
}

// off is a host that went down more than five minutes ago: its rows keep tags, pool and lock.
func off(s *inventory.Snapshot, site, host string) {
	for i := range s.Sites {
		if s.Sites[i].Name != site {
			continue
		}
		s.Sites[i].Nodes = slices.Clone(s.Sites[i].Nodes)
		for n := range s.Sites[i].Nodes {
			if s.Sites[i].Nodes[n].Name == host {
				s.Sites[i].Nodes[n].Status = inventory.NodeOffline
			}
		}
	}
	for i := range s.VMs {
		if v := &s.VMs[i]; v.Site == site && v.Node == host {
			v.Name, v.Template, v.Config, v.Agent, v.Status, v.UptimeSeconds = "", nil, nil, nil, inventory.StatusUnknown, 0
			v.ConfigError = "the host is off"
		}
	}
	set(s, inventory.SiteSource(site), inventory.NodeScope(host), inventory.Failed)
	set(s, inventory.SiteSource(site), inventory.ConfigScope(host), inventory.Failed)
}

func unread(s *inventory.Snapshot, site, host string, rng *rand.Rand) {
	for i := range s.VMs {
		if v := &s.VMs[i]; v.Site == site && v.Node == host && v.Type == inventory.GuestQEMU && rng.IntN(2) == 0 {
			v.Config, v.ConfigError, v.Agent = nil, "595", nil
		}
	}
	set(s, inventory.SiteSource(site), inventory.ConfigScope(host), inventory.Partial)
}
