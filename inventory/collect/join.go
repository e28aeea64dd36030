package collect

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// join makes one Snapshot of the fragments. The work in it is to know a cluster again that is met under two names: as a
// declared Cluster, in the configuration, as the management cluster itself.
func (r *run) join(ctx context.Context) (*inventory.Snapshot, error) {
	s := &inventory.Snapshot{}
	for _, f := range r.siteSeen {
		s.Append(f)
	}
	if err := sitesDiffer(s); err != nil {
		return nil, err
	}
	var declared []inventory.Cluster
	if r.management != nil {
		declared = r.management.Clusters
		r.management.Clusters = nil
		s.Append(r.management)
	}
	seen := r.workloads()
	seen = append(seen, r.fromSecrets(ctx, declared, seen)...)
	b := &clusters{s: s, log: r.plan.logf, byNode: map[string]string{}, same: map[string]string{}}
	for _, f := range seen {
		b.addRead(f)
	}
	for _, d := range declared {
		b.addDeclared(d)
	}
	for i := range r.plan.Workloads {
		b.addConfigured(&r.plan.Workloads[i])
	}
	b.noteUnread()
	return s, nil
}

// workloads are the fragments of clusters whose API was asked: the configured ones first, then the management cluster
// itself, so that a cluster that is both keeps the configuration's name.
func (r *run) workloads() []*inventory.Snapshot {
	var out []*inventory.Snapshot
	for _, f := range r.workloadSeen {
		if f != nil {
			out = append(out, f)
		}
	}
	if r.self != nil {
		out = append(out, r.self)
	}
	return out
}

// fromSecrets reads the declared clusters that nothing gives access to through their kubeconfig Secret, where that is
// allowed.
func (r *run) fromSecrets(ctx context.Context, declared []inventory.Cluster, seen []*inventory.Snapshot) []*inventory.Snapshot {
	if r.client == nil {
		return nil
	}
	allowed := map[string]bool{}
	for i := range r.plan.Workloads {
		allowed[r.plan.Workloads[i].Key] = r.plan.Workloads[i].ReadSecret
	}
	out := make([]*inventory.Snapshot, len(declared))
	var g errgroup.Group
	g.SetLimit(workloadsAtOnce)
	var mu sync.Mutex
	for i := range declared {
		d := &declared[i]
		if d.Declared == nil || (!r.plan.ReadSecrets && !allowed[d.Key]) || knownAlready(d, seen) {
			continue
		}
		g.Go(func() error {
			f := r.readBySecret(ctx, d)
			mu.Lock()
			defer mu.Unlock()
			out[i] = f
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		r.plan.logf("reading kubeconfig secrets: %v", err)
	}
	var kept []*inventory.Snapshot
	for _, f := range out {
		if f != nil {
			kept = append(kept, f)
		}
	}
	kept = append(kept, &inventory.Snapshot{Requests: []inventory.Requests{r.client.SecretRequests()}})
	return kept
}

func (r *run) readBySecret(ctx context.Context, d *inventory.Cluster) *inventory.Snapshot {
	kubeconfig, err := r.client.WorkloadKubeconfig(ctx, d.Declared.Namespace, d.Declared.Name)
	if err != nil {
		return &inventory.Snapshot{Clusters: []inventory.Cluster{{Key: d.Key}},
			Coverage: []inventory.Coverage{failed(inventory.ClusterSource(d.Key), inventory.ScopeNodes, err)}}
	}
	return r.readWorkload(ctx, d.Key, kube.Target{Data: kubeconfig, Timeout: r.plan.Management.Timeout,
		Origin: "secret " + d.Declared.Namespace + "/" + d.Declared.Name + "-kubeconfig"})
}

func knownAlready(d *inventory.Cluster, seen []*inventory.Snapshot) bool {
	for _, f := range seen {
		for i := range f.Clusters {
			if f.Clusters[i].Key == d.Key || sameEndpoint(d.Declared.ControlPlaneEndpoint, f.Clusters[i].Server) {
				return true
			}
		}
	}
	return false
}

// clusters builds the Snapshot's list of clusters.
type clusters struct {
	s   *inventory.Snapshot
	log func(string, ...any)
	// byNode finds a cluster that was read before by one of its Nodes' UIDs.
	byNode map[string]string
	// same maps the key of a cluster that was dropped to the one that it turned out to be.
	same map[string]string
}

// addRead adds a cluster whose API was asked. The same cluster met again (through another context) is dropped whole: its
// Nodes would otherwise all be there twice, and look like conflicts.
func (b *clusters) addRead(f *inventory.Snapshot) {
	for i := range f.Nodes {
		if first, ok := b.byNode[f.Nodes[i].UID]; ok && f.Nodes[i].UID != "" && len(f.Clusters) == 1 {
			b.log("cluster %q is the same as %q: read once", f.Clusters[0].Key, first)
			if b.s.Management != nil && b.s.Management.ClusterName == f.Clusters[0].Key {
				b.s.Management.ClusterName = first
			}
			b.same[f.Clusters[0].Key] = first
			b.s.Requests = append(b.s.Requests, f.Requests...)
			return
		}
	}
	for i := range f.Nodes {
		b.byNode[f.Nodes[i].UID] = f.Nodes[i].Cluster
	}
	b.s.Append(f)
}

// addDeclared joins a Cluster object to the cluster that was read: by its key, else by its control-plane endpoint.
func (b *clusters) addDeclared(d inventory.Cluster) {
	if c := b.find(d.Key); c != nil {
		c.Declared = d.Declared
		if c.Key != d.Key {
			b.rename(d.Key, c.Key)
		}
		return
	}
	for i := range b.s.Clusters {
		c := &b.s.Clusters[i]
		if c.Declared == nil && d.Declared != nil && sameEndpoint(d.Declared.ControlPlaneEndpoint, c.Server) {
			c.Declared = d.Declared
			b.rename(d.Key, c.Key)
			return
		}
	}
	b.s.Clusters = append(b.s.Clusters, d)
}

func (b *clusters) addConfigured(w *Workload) {
	c := b.find(w.Key)
	if c == nil {
		b.s.Clusters = append(b.s.Clusters, inventory.Cluster{Key: w.Key})
		c = &b.s.Clusters[len(b.s.Clusters)-1]
	}
	c.Selector, c.Site = w.Selector, w.Site
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
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = "443"
	}
	if host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" {
		return false
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return strings.EqualFold(endpoint, host+":"+port)
}

// sitesDiffer refuses two sites that are one: all their VMs would be there twice, and each would look like a conflict.
func sitesDiffer(s *inventory.Snapshot) error {
	names := map[string]int{}
	for i := range s.Sites {
		if first, ok := names[s.Sites[i].Name]; ok {
			return fmt.Errorf("two sites are called %q (%s and %s): name them in proxaudit.yaml (sites[].name)",
				s.Sites[i].Name, s.Sites[first].URL, s.Sites[i].URL)
		}
		names[s.Sites[i].Name] = i
	}
	type address struct {
		node   string
		vmid   int
		digest string
	}
	first := map[address]int{}
	for i := range s.VMs {
		vm := &s.VMs[i]
		if vm.Config == nil || vm.Config.Digest == "" || vm.UUID() == "" {
			continue
		}
		a := address{vm.Node, vm.VMID, vm.Config.Digest}
		if j, ok := first[a]; ok && s.VMs[j].Site != vm.Site {
			x, y := &s.Sites[names[s.VMs[j].Site]], &s.Sites[names[vm.Site]]
			if sameNodes(x, y) {
				return fmt.Errorf("sites %s and %s are the same Proxmox cluster (same hosts, and VM %d has the same "+
					"configuration on host %s in both): give it once", describe(x), describe(y), vm.VMID, vm.Node)
			}
		}
		first[a] = i
	}
	return nil
}

func sameNodes(a, b *inventory.Site) bool {
	if len(a.Nodes) != len(b.Nodes) {
		return false
	}
	ips := map[string]string{}
	for _, n := range a.Nodes {
		ips[n.Name] = n.IP
	}
	for _, n := range b.Nodes {
		if ip, ok := ips[n.Name]; !ok || ip != n.IP {
			return false
		}
	}
	return true
}
