package collect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// declaredScopes are those of the management cluster on which verdicts rest.
var declaredScopes = []string{inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines}

// management takes what the management cluster declares. One that only an old scan has read, or that every scan left to
// another, is one that was not read: that there are no Machines in these files says nothing.
func (m *merger) management() {
	for _, p := range m.fresh {
		m.s.Machines = append(m.s.Machines, p.s.Machines...)
		m.s.ProxmoxMachines = append(m.s.ProxmoxMachines, p.s.ProxmoxMachines...)
		m.s.Groups = append(m.s.Groups, p.s.Groups...)
		m.s.Providers = append(m.s.Providers, p.s.Providers...)
		m.s.Events = append(m.s.Events, p.s.Events...)
		m.s.StoredSecrets = append(m.s.StoredSecrets, p.s.StoredSecrets...)
		for i := range p.s.Objects {
			if p.s.Objects[i].Cluster == "" {
				m.s.Objects = append(m.s.Objects, p.s.Objects[i])
			}
		}
	}
	if p := readBy(m.fresh, inventory.ManagementSource); p != nil {
		own := *p.s.Management
		m.s.Management = &own
		m.s.Coverage = append(m.s.Coverage, of(p.s.Coverage, inventory.ManagementSource)...)
		return
	}
	if p := readBy(m.stale, inventory.ManagementSource); p != nil {
		m.s.Management = &inventory.Management{Context: p.s.Management.Context, Kubeconfig: p.s.Management.Kubeconfig}
		for _, scope := range declaredScopes {
			m.s.Coverage = append(m.s.Coverage, m.late(p, inventory.ManagementSource, scope))
		}
		return
	}
	for _, p := range append(m.fresh, m.stale...) {
		if p.s.Management != nil {
			own := *p.s.Management
			m.s.Management = &own
			m.s.Coverage = append(m.s.Coverage, of(p.s.Coverage, inventory.ManagementSource)...)
			return
		}
	}
}

func of(all []inventory.Coverage, source string) []inventory.Coverage {
	var out []inventory.Coverage
	for _, c := range all {
		if c.Source == source {
			out = append(out, c)
		}
	}
	return out
}

// clusters knows a cluster again that two scans have: as a declared Cluster, by the configuration, as the management
// cluster itself. It is the work that join does for the answers of one scan, done by the same code.
func (m *merger) clusters() {
	plan := &Plan{Logf: m.opt.Logf, Workloads: slices.Clone(m.opt.Workloads)}
	read, declared := m.fragments()
	for _, f := range read {
		if c := &f.Clusters[0]; c.Access != "" && !strings.HasPrefix(c.Access, "secret ") && !m.isSelf(c.Key) {
			plan.Workloads = give(plan.Workloads, c.Key)
		}
	}
	b := newClusters(m.s, plan)
	for _, f := range read {
		b.addRead(f)
	}
	b.addDeclared(declared)
	for _, w := range m.configured() {
		b.addConfigured(&w)
	}
	m.unreadClusters(b)
	b.noteUnread()
}

// give says that the configuration gives access to a cluster.
func give(all []Workload, key string) []Workload {
	access := &kube.Target{}
	for i := range all {
		if all[i].Key == key {
			all[i].Target = access
			return all
		}
	}
	return append(all, Workload{Key: key, Target: access})
}

func (m *merger) isSelf(key string) bool {
	return m.s.Management != nil && m.s.Management.ClusterName == key
}

// fragments are the clusters that were read, each as it was before the joining of its own scan: the configured ones first,
// then the management cluster itself. What was declared is apart.
func (m *merger) fragments() (read []*inventory.Snapshot, declared []inventory.Cluster) {
	var self *inventory.Snapshot
	for _, p := range m.fresh {
		by := map[string]*inventory.Snapshot{}
		for _, c := range p.s.Clusters {
			if c.Declared != nil {
				declared = append(declared, inventory.Cluster{Key: c.Key, Declared: c.Declared})
			}
			source := inventory.ClusterSource(c.Key)
			if !p.read[source] {
				continue
			}
			c.Declared = nil
			f := &inventory.Snapshot{Clusters: []inventory.Cluster{c}}
			by[c.Key] = f
			if p.isSelf(source) {
				self = f
			} else {
				read = append(read, f)
			}
		}
		for _, n := range p.s.Nodes {
			if f := by[n.Cluster]; f != nil {
				f.Nodes = append(f.Nodes, n)
			} else {
				m.s.Nodes = append(m.s.Nodes, n)
			}
		}
		// Which Nodes are another cluster's too is found again.
		for _, c := range p.s.Coverage {
			if f := by[strings.TrimPrefix(c.Source, inventory.ClusterSource(""))]; f != nil && isCluster(c.Source) && c.Scope != inventory.ScopeSharedNodes {
				f.Coverage = append(f.Coverage, c)
			}
		}
		for _, o := range p.s.Objects {
			if f := by[o.Cluster]; f != nil && o.Cluster != "" {
				f.Objects = append(f.Objects, o)
			}
		}
	}
	slices.SortStableFunc(read, func(a, b *inventory.Snapshot) int { return cmp.Compare(a.Clusters[0].Key, b.Clusters[0].Key) })
	if self != nil {
		m.selfKey(self, read)
		read = append(read, self)
	}
	return read, declared
}

// selfKey gives the management cluster a key of its own where another cluster has the one that it has, as settleSelf does
// for one scan.
func (m *merger) selfKey(self *inventory.Snapshot, read []*inventory.Snapshot) {
	key := self.Clusters[0].Key
	for _, f := range read {
		if f.Clusters[0].Key != key || sameCluster(f, self) {
			continue
		}
		rekey(self, key, selfPrefix+key)
		// What its own scan took for its selector is the other's.
		self.Clusters[0].Selector, self.Clusters[0].Site = inventory.Selector{}, ""
		m.s.Management.ClusterName = selfPrefix + key
		return
	}
}

// configured is what the scans know of clusters by their configuration, read or not.
func (m *merger) configured() []Workload {
	var out []Workload
	for _, p := range append(m.fresh, m.stale...) {
		for _, c := range p.s.Clusters {
			if !p.isSelf(inventory.ClusterSource(c.Key)) || !c.Selector.IsZero() || c.Site != "" {
				out = append(out, Workload{Key: c.Key, Selector: c.Selector, Site: c.Site})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Workload) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// unreadClusters says why a cluster was not read, where a scan knows: one that is too old, else one that had no access,
// else one that left it to another.
func (m *merger) unreadClusters(b *clusters) {
	known := func(c inventory.Coverage) {
		key := strings.TrimPrefix(c.Source, inventory.ClusterSource(""))
		if _, dropped := b.same[key]; dropped || c.Scope != inventory.ScopeNodes || m.s.CoverageOf(c.Source, c.Scope) != nil || b.find(key) == nil {
			return
		}
		m.s.Coverage = append(m.s.Coverage, c)
	}
	for _, p := range m.stale {
		for _, source := range sources(p.read) {
			if isCluster(source) {
				known(m.late(p, source, inventory.ScopeNodes))
			}
		}
	}
	for _, last := range []bool{false, true} {
		for _, p := range append(m.fresh, m.stale...) {
			for _, c := range p.s.Coverage {
				if isCluster(c.Source) && !p.read[c.Source] && c.LeftOut() == last {
					known(c)
				}
			}
		}
	}
}

// rest takes what belongs to no site, cluster or management cluster, and the counts.
func (m *merger) rest() {
	for _, p := range m.fresh {
		for _, c := range p.s.Coverage {
			if !isSite(c.Source) && !isCluster(c.Source) && c.Source != inventory.ManagementSource && m.s.CoverageOf(c.Source, c.Scope) == nil {
				m.s.Coverage = append(m.s.Coverage, c)
			}
		}
		m.s.Requests = append(m.s.Requests, p.s.Requests...)
	}
}
