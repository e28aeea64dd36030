package collect

import (
	"context"
	"sync"

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
	r.leaveOut(s)
	var declared []inventory.Cluster
	if r.management != nil {
		declared = r.management.Clusters
		r.management.Clusters = nil
		s.Append(r.management)
	}
	r.settleSelf(declared)
	seen := r.workloads()
	seen = append(seen, r.fromSecrets(ctx, declared, seen)...)
	b := newClusters(s, &r.plan)
	for _, f := range seen {
		b.addRead(f)
	}
	b.addDeclared(declared)
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
	allowed, others := map[string]bool{}, map[string]bool{}
	for i := range r.plan.Workloads {
		allowed[r.plan.Workloads[i].Key] = r.plan.Workloads[i].ReadSecret
		others[r.plan.Workloads[i].Key] = r.plan.Workloads[i].LeftOut
	}
	out := make([]*inventory.Snapshot, len(declared))
	var wg sync.WaitGroup
	slots := make(chan struct{}, workloadsAtOnce)
	for i := range declared {
		d := &declared[i]
		if d.Declared == nil || (!r.plan.ReadSecrets && !allowed[d.Key]) || others[d.Key] || knownAlready(d, seen) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = r.readBySecret(ctx, d)
		})
	}
	wg.Wait()
	var kept []*inventory.Snapshot
	for _, f := range out {
		if f != nil {
			kept = append(kept, f)
		}
	}
	if asked := r.client.SecretRequests(); asked.Count > 0 {
		kept = append(kept, &inventory.Snapshot{Requests: []inventory.Requests{asked}})
	}
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
