package collect

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// contradict is for two clusters of the configuration whose contexts lead to one API server. One of the two is a mistake,
// and nobody can tell which: whose Nodes these are is not known, and the other's were never read. Both stay, with what the
// configuration says of each, so that no VM of either is taken for one without a Node.
func (b *clusters) contradict(first, f *inventory.Snapshot) {
	into, key := &first.Clusters[0], &f.Clusters[0]
	reason := fmt.Sprintf("clusters %q (%s) and %q (%s) of the configuration are one cluster: whose Nodes it has is not known, and the other's were not read",
		into.Key, into.Access, key.Key, key.Access)
	remedy := "correct the context of one of them in proxaudit.yaml (clusters[]), or leave one out"
	b.log("%s", reason)
	if c := b.s.CoverageOf(inventory.ClusterSource(into.Key), inventory.ScopeNodes); c != nil {
		c.State, c.Reason, c.Remedy = inventory.Partial, reason, remedy
	}
	b.s.Clusters = append(b.s.Clusters, inventory.Cluster{Key: key.Key, Access: key.Access, Kubeconfig: key.Kubeconfig, Server: key.Server})
	b.s.Coverage = append(b.s.Coverage, inventory.Coverage{Source: inventory.ClusterSource(key.Key), Scope: inventory.ScopeNodes,
		State: inventory.Failed, Asked: 1, Failed: 1, Reason: reason, Remedy: remedy})
}
