package collect

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// selfPrefix stands before the management cluster's own key where another cluster has the name.
const selfPrefix = "management:"

// settleSelf gives the management cluster a key of its own if the one that it has, which is only a context's name where
// the configuration does not name it, is another cluster's. Its Nodes would else pass for that cluster's, and that
// cluster's VMs for orphans.
func (r *run) settleSelf(declared []inventory.Cluster) {
	if r.self == nil {
		return
	}
	key := r.self.Clusters[0].Key
	if !r.isAnothers(key, declared) {
		return
	}
	r.plan.logf("the management cluster's context is called like the cluster %q, and nothing says that they are one: "+
		"it is listed as %q (management.name in proxaudit.yaml names it)", key, selfPrefix+key)
	rekey(r.self, key, selfPrefix+key)
	r.timings[inventory.ClusterSource(selfPrefix+key)] = r.timings[inventory.ClusterSource(key)]
	if r.management != nil {
		r.management.Management.ClusterName = selfPrefix + key
	}
}

func (r *run) isAnothers(key string, declared []inventory.Cluster) bool {
	for _, f := range r.workloadSeen {
		if f != nil && f.Clusters[0].Key == key {
			return !sameCluster(f, r.self)
		}
	}
	if r.plan.Management.Key != "" {
		return false
	}
	for i := range declared {
		if d := &declared[i]; d.Key == key && d.Declared != nil {
			return !sameEndpoint(d.Declared.ControlPlaneEndpoint, r.self.Clusters[0].Server) && !r.holdsNodeOf(key)
		}
	}
	return false
}

// holdsNodeOf is true if a Machine of a declared cluster names a Node of the management cluster.
func (r *run) holdsNodeOf(cluster string) bool {
	names := map[string]bool{}
	for i := range r.self.Nodes {
		names[r.self.Nodes[i].Name] = true
	}
	return slices.ContainsFunc(r.management.Machines, func(m inventory.Machine) bool {
		return m.Cluster == cluster && names[m.NodeRef]
	})
}

// rekey gives the one cluster of a fragment another key.
func rekey(f *inventory.Snapshot, from, to string) {
	f.Clusters[0].Key = to
	for i := range f.Nodes {
		f.Nodes[i].Cluster = to
	}
	source := inventory.ClusterSource(from)
	for i := range f.Coverage {
		if f.Coverage[i].Source == source {
			f.Coverage[i].Source = inventory.ClusterSource(to)
		}
	}
	for i := range f.Requests {
		if f.Requests[i].Source == source {
			f.Requests[i].Source = inventory.ClusterSource(to)
		}
	}
}
