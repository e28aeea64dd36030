package collect

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// clusters builds the Snapshot's list of clusters.
type clusters struct {
	s   *inventory.Snapshot
	log func(string, ...any)
	// kept are the fragments of the clusters that were read and are in the Snapshot.
	kept []*inventory.Snapshot
	// byNode finds the kept fragments that hold a Node, by its UID.
	byNode map[string][]int
	// given are the keys to which the configuration gives access of their own.
	given map[string]bool
	// named are the entries that name their Cluster object.
	named []Workload
	// same maps the key of a cluster that was dropped to the one that it turned out to be.
	same map[string]string
	// leftOut are the keys that another scan reads.
	leftOut map[string]bool
}

func newClusters(s *inventory.Snapshot, plan *Plan) *clusters {
	b := &clusters{s: s, log: plan.logf, byNode: map[string][]int{}, given: map[string]bool{}, same: map[string]string{}, leftOut: map[string]bool{}}
	for i := range plan.Workloads {
		if plan.Workloads[i].Target != nil {
			b.given[plan.Workloads[i].Key] = true
		}
		b.leftOut[plan.Workloads[i].Key] = plan.Workloads[i].LeftOut
		if plan.Workloads[i].DeclaredName != "" {
			b.named = append(b.named, plan.Workloads[i])
		}
	}
	return b
}

// addRead adds a cluster whose API was asked. The same cluster met again (through another context) is there once: its
// Nodes would otherwise all be there twice. One that only shares some Nodes with another is kept whole, whatever the reason
// is: the VM of a Node that was left out would look like an orphan.
func (b *clusters) addRead(f *inventory.Snapshot) {
	shared := b.sharing(f)
	for _, i := range shared {
		if sameCluster(b.kept[i], f) {
			b.merge(b.kept[i], f)
			return
		}
	}
	if len(shared) > 0 {
		b.noteShared(f, shared)
	}
	for i := range f.Nodes {
		if uid := f.Nodes[i].UID; uid != "" {
			b.byNode[uid] = append(b.byNode[uid], len(b.kept))
		}
	}
	b.kept = append(b.kept, f)
	b.s.Append(f)
}

// sharing lists the kept fragments that hold a Node of f, in the order in which they were kept.
func (b *clusters) sharing(f *inventory.Snapshot) []int {
	var out []int
	for i := range f.Nodes {
		out = append(out, b.byNode[f.Nodes[i].UID]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// merge drops a fragment in favour of one of the same cluster, but for the Nodes that only it has: they joined between
// the two reads.
func (b *clusters) merge(first, f *inventory.Snapshot) {
	key, into := f.Clusters[0].Key, first.Clusters[0].Key
	contradiction := key != into && b.given[key] && b.given[into]
	if contradiction {
		b.contradict(first, f)
	} else {
		b.log("cluster %q is the same as %q: read once", key, into)
		b.same[key] = into
	}
	if !contradiction && b.s.Management != nil && b.s.Management.ClusterName == key {
		b.s.Management.ClusterName = into
	}
	b.s.Requests = append(b.s.Requests, f.Requests...)
	have := nodesByUID(first)
	for _, n := range f.Nodes {
		if have[n.UID] != nil {
			continue
		}
		n.Cluster = into
		b.s.Nodes = append(b.s.Nodes, n)
	}
}

// noteShared says of a cluster that some of its Nodes are another's too: no verdict needs to know why, and a person does.
func (b *clusters) noteShared(f *inventory.Snapshot, with []int) {
	key := f.Clusters[0].Key
	others := make([]string, 0, len(with))
	for _, i := range with {
		others = append(others, fmt.Sprintf("%q", b.kept[i].Clusters[0].Key))
	}
	shared := 0
	for i := range f.Nodes {
		if len(b.byNode[f.Nodes[i].UID]) > 0 {
			shared++
		}
	}
	reason := fmt.Sprintf("%d of the %d Nodes of cluster %q have the UID of a Node of %s, and the rest differs: both are kept whole",
		shared, len(f.Nodes), key, strings.Join(others, " and "))
	b.log("%s", reason)
	b.s.Coverage = append(b.s.Coverage, inventory.Coverage{Source: inventory.ClusterSource(key),
		Scope: inventory.ScopeSharedNodes, State: inventory.Partial, Asked: len(f.Nodes), Got: len(f.Nodes) - shared, Optional: true,
		Reason: reason,
		Remedy: "of a cluster that was restored from the other's etcd backup, delete the Node objects that are not its own; " +
			"if the two are one cluster, give it once in proxaudit.yaml (clusters[])"})
}

// addDeclared joins Cluster objects to the clusters that were read: by the key, and what is left by the control-plane
// endpoint. A cluster that was read is one Cluster's at most.
func (b *clusters) addDeclared(declared []inventory.Cluster) {
	var left []inventory.Cluster
	for _, d := range declared {
		c := b.findNamed(d.Declared)
		if c == nil {
			c = b.find(d.Key)
		}
		if c == nil || !b.declare(c, d) {
			left = append(left, d)
		}
	}
	var unread []inventory.Cluster
	for _, d := range left {
		if c := b.findEndpoint(d.Declared); c == nil || !b.declare(c, d) {
			unread = append(unread, d)
		}
	}
	b.s.Clusters = append(b.s.Clusters, unread...)
}

// findNamed is the cluster that was read and whose entry in the configuration names this Cluster object.
func (b *clusters) findNamed(d *inventory.DeclaredCluster) *inventory.Cluster {
	if d == nil {
		return nil
	}
	for _, w := range b.named {
		if w.DeclaredName == d.Name && (w.DeclaredNamespace == "" || w.DeclaredNamespace == d.Namespace) {
			return b.find(w.Key)
		}
	}
	return nil
}

func (b *clusters) declare(c *inventory.Cluster, d inventory.Cluster) bool {
	if c.Declared != nil {
		return false
	}
	c.Declared = d.Declared
	if c.Key != d.Key {
		b.same[d.Key] = c.Key
		b.rename(d.Key, c.Key)
	}
	return true
}

func (b *clusters) findEndpoint(d *inventory.DeclaredCluster) *inventory.Cluster {
	if d == nil {
		return nil
	}
	for i := range b.s.Clusters {
		if c := &b.s.Clusters[i]; c.Declared == nil && sameEndpoint(d.ControlPlaneEndpoint, c.Server) {
			return c
		}
	}
	return nil
}

// addConfigured adds what the configuration says of a cluster. Of one that it gives access to under one name and describes
// under another (the declared one), each entry may say a part.
func (b *clusters) addConfigured(w *Workload) {
	c := b.find(w.Key)
	if c == nil {
		b.s.Clusters = append(b.s.Clusters, inventory.Cluster{Key: w.Key})
		c = &b.s.Clusters[len(b.s.Clusters)-1]
	}
	if c.Selector.IsZero() {
		c.Selector = w.Selector
	} else if !w.Selector.IsZero() {
		b.log("cluster %q is the same as %q, whose selector counts", w.Key, c.Key)
	}
	if c.Site == "" {
		c.Site = w.Site
	}
}

func (b *clusters) find(key string) *inventory.Cluster {
	if first, ok := b.same[key]; ok {
		key = first
	}
	for i := range b.s.Clusters {
		if b.s.Clusters[i].Key == key {
			return &b.s.Clusters[i]
		}
	}
	return nil
}

// rename makes declared objects refer to a cluster by the key under which it was read.
func (b *clusters) rename(from, to string) {
	for i := range b.s.Machines {
		if b.s.Machines[i].Cluster == from {
			b.s.Machines[i].Cluster = to
		}
	}
	for i := range b.s.ProxmoxMachines {
		if b.s.ProxmoxMachines[i].Cluster == from {
			b.s.ProxmoxMachines[i].Cluster = to
		}
	}
	for i := range b.s.Groups {
		if b.s.Groups[i].Cluster == from {
			b.s.Groups[i].Cluster = to
		}
	}
}

// noteUnread says of every cluster that nobody asked that its Nodes are missing.
func (b *clusters) noteUnread() {
	for i := range b.s.Clusters {
		key := b.s.Clusters[i].Key
		if b.s.CoverageOf(inventory.ClusterSource(key), inventory.ScopeNodes) != nil {
			continue
		}
		if b.leftOut[key] {
			b.s.Coverage = append(b.s.Coverage, inventory.LeaveOut(inventory.ClusterSource(key), inventory.ScopeNodes))
			continue
		}
		b.s.Coverage = append(b.s.Coverage, inventory.Coverage{Source: inventory.ClusterSource(key),
			Scope: inventory.ScopeNodes, State: inventory.NotAsked,
			Reason: "the run had no access to its API server",
			Remedy: fmt.Sprintf("give it a kubeconfig or context in proxaudit.yaml (clusters[], name: %s), or allow its kubeconfig Secret with --read-secrets", key)})
	}
}

// sameEndpoint compares a control-plane endpoint (host:port) with an API server's URL. Loopback addresses are nobody's:
// a tunnel to one cluster must not be taken for another.
func sameEndpoint(endpoint, server string) bool {
	u, err := url.Parse(server)
	if err != nil || endpoint == "" || u.Host == "" {
		return false
	}
	host, port := strings.TrimSuffix(u.Hostname(), "."), u.Port()
	if port == "" {
		port = "443"
	}
	if host == "" || strings.EqualFold(host, "localhost") {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
		return false
	}
	return strings.EqualFold(endpoint, net.JoinHostPort(host, port))
}
