package collect

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
)

// workloadsAtOnce bounds how many workload clusters are read at a time: each costs a few small requests, and a cluster
// that does not answer costs its timeout.
const workloadsAtOnce = 16

// run is one collection in the making.
type run struct {
	plan    Plan
	sites   []*proxmox.Collector
	mu      sync.Mutex
	timings Timings
	// seen are the fragments of pass 1, by where they came from, so that their order does not depend on who was first.
	siteSeen     []*inventory.Snapshot
	management   *inventory.Snapshot
	self         *inventory.Snapshot
	workloadSeen []*inventory.Snapshot
	client       *kube.Client
	// hashKey keys the hashes that stand in for secret fields: one for all, so that equality survives in the Snapshot.
	hashKey []byte
}

// Run collects. Its error is a mistake in the plan or the end of ctx; whatever a source did not answer is coverage.
func Run(ctx context.Context, plan Plan) (*inventory.Snapshot, Timings, error) {
	if plan.Now.IsZero() {
		plan.Now = time.Now()
	}
	// Several sources talk at a time.
	plan.Logf = oneAtATime(plan.Logf)
	// Which of two names of one cluster is kept must not depend on an order that means nothing.
	plan.Workloads = slices.Clone(plan.Workloads)
	slices.SortFunc(plan.Workloads, func(a, b Workload) int { return cmp.Compare(a.Key, b.Key) })
	r := &run{plan: plan, timings: Timings{}, hashKey: make([]byte, 32)}
	if _, err := rand.Read(r.hashKey); err != nil {
		return nil, nil, fmt.Errorf("no random bytes from the system: %w", err)
	}
	if err := r.open(); err != nil {
		return nil, nil, err
	}
	defer r.close()
	if err := r.list(ctx); err != nil {
		return nil, nil, err
	}
	s, err := r.join(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.resolve(ctx, s)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	s.FormatVersion = inventory.FormatVersion
	s.CollectedAt = plan.Now.UTC().Truncate(time.Second)
	s.ToolVersion = plan.ToolVersion
	s.Requests = sumRequests(s.Requests)
	if s.Coverage == nil {
		s.Coverage = []inventory.Coverage{}
	}
	s.Sort()
	return s, r.timings, nil
}

// open makes the site collectors and the management cluster's client, so that a mistake in the plan shows before anything
// is asked.
func (r *run) open() error {
	if err := r.plan.check(); err != nil {
		return err
	}
	if err := r.openManagement(); err != nil {
		return err
	}
	for i := range r.plan.Sites {
		cfg := r.plan.Sites[i]
		cfg.GuestAgent = r.plan.GuestAgent
		cfg.Adoption, cfg.Tasks, cfg.Now, cfg.TaskWindow = r.plan.Adoption, r.plan.Controllers, r.plan.Now, r.plan.TaskWindow
		if cfg.Logf == nil {
			cfg.Logf = r.plan.Logf
		}
		cfg.Configurations = r.plan.Configurations
		name := cfg.Site
		if name == "" {
			name = cfg.URL
		}
		cfg.Progress = func(done, total int) { r.plan.progress(inventory.SiteSource(name), done, total) }
		c, err := proxmox.New(cfg)
		if err != nil {
			r.close()
			return err
		}
		r.sites = append(r.sites, c)
	}
	return nil
}

func (r *run) close() {
	for _, c := range r.sites {
		c.Close()
	}
}

// list is pass 1.
func (r *run) list(ctx context.Context) error {
	r.siteSeen = make([]*inventory.Snapshot, len(r.sites))
	r.workloadSeen = make([]*inventory.Snapshot, len(r.plan.Workloads))
	var g errgroup.Group
	for i, c := range r.sites {
		g.Go(func() error {
			start := time.Now()
			r.siteSeen[i] = c.Collect(ctx)
			r.took(inventory.SiteSource(c.Name()), start)
			return nil
		})
	}
	if r.plan.Management != nil {
		g.Go(func() error { r.readManagement(ctx); return nil })
	}
	slots := make(chan struct{}, workloadsAtOnce)
	for i := range r.plan.Workloads {
		w := &r.plan.Workloads[i]
		if w.Target == nil {
			continue
		}
		g.Go(func() error {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			defer func() { <-slots }()
			r.workloadSeen[i] = r.readWorkload(ctx, w.Key, *w.Target)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (r *run) took(source string, start time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timings[source] += time.Since(start)
}

// readManagement reads the declared objects, and the Nodes of the management cluster itself: they are VMs like any
// others, and would look like orphans if nobody had listed them.
func (r *run) readManagement(ctx context.Context) {
	defer r.took(inventory.ManagementSource, time.Now())
	client := r.client
	key := client.Context()
	if name := r.plan.Management.Key; name != "" {
		key = name
	}
	counted, discovery := kube.Counting(ctx)
	if r.plan.ManagementIfServed {
		serves, err := client.ServesClusterAPI(counted)
		if err == nil && !serves {
			r.plan.logf("context %q does not serve Cluster API: VMs and Nodes are classed without Machines", client.Context())
			r.readSelf(ctx, client, key)
			r.self.Requests = append(r.self.Requests, discovery(inventory.ClusterSource(key)))
			return
		}
	}
	r.plan.progress(inventory.ManagementSource, 0, 1)
	r.management = client.CollectManagement(ctx, kube.ManagementOptions{Namespaces: r.plan.Namespaces,
		Adoption: r.plan.Adoption, Controllers: r.plan.Controllers, ReadSecrets: r.plan.ReadSecrets})
	// The Client asks what is served once, so that the first who wants to know pays.
	r.management.Requests = append(r.management.Requests, discovery(inventory.ManagementSource))
	if !r.plan.ManagementIfServed {
		refuseNoManagement(r.management)
	}
	if asked := r.management.Management.Namespaces; len(asked) > 0 {
		r.management.Coverage = append(r.management.Coverage, otherNamespaces(asked))
	}
	r.readSelf(ctx, client, key)
	r.management.Management.ClusterName = key
	r.plan.progress(inventory.ManagementSource, 1, 1)
}

func (r *run) readSelf(ctx context.Context, client *kube.Client, key string) {
	defer r.took(inventory.ClusterSource(key), time.Now())
	r.self = client.CollectWorkload(ctx, key, r.workloadOptions())
}

func (r *run) workloadOptions() kube.WorkloadOptions {
	return kube.WorkloadOptions{Adoption: r.plan.Adoption}
}

func (r *run) readWorkload(ctx context.Context, key string, target kube.Target) *inventory.Snapshot {
	source := inventory.ClusterSource(key)
	defer r.took(source, time.Now())
	target = r.target(target)
	target.Key = key
	r.plan.progress(source, 0, 1)
	defer r.plan.progress(source, 1, 1)
	client, err := kube.Connect(target)
	if err != nil {
		return &inventory.Snapshot{Clusters: []inventory.Cluster{{Key: key}},
			Coverage: []inventory.Coverage{failed(source, inventory.ScopeNodes, err)}}
	}
	return client.CollectWorkload(ctx, key, r.workloadOptions())
}

// target completes a Target with what all of a run have in common.
func (r *run) target(t kube.Target) kube.Target {
	if t.Logf == nil {
		t.Logf = r.plan.Logf
	}
	if len(t.HashKey) == 0 {
		t.HashKey = r.hashKey
	}
	return t
}

// otherNamespaces says what the choice of namespaces left out. It is optional: a verdict that hangs on it is unknown, and
// makes the run incomplete by itself.
func otherNamespaces(read []string) inventory.Coverage {
	return inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeOtherNamespaces,
		State: inventory.NotAsked, Optional: true,
		Reason: "only " + strings.Join(read, ", ") + " was read: what other namespaces declare was not seen",
		Remedy: "leave out -n/--namespace to read all of them"}
}

func failed(source, scope string, err error) inventory.Coverage {
	return inventory.Coverage{Source: source, Scope: scope, State: inventory.Failed, Asked: 1, Failed: 1, Reason: err.Error(),
		Remedy: "proxaudit doctor checks each source and says what to do"}
}
