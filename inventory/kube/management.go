package kube

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/proxaudit/proxaudit/inventory"
)

// concurrentLists is how many kinds are listed at a time.
const concurrentLists = 4

// ManagementOptions narrows what is read of a management cluster.
type ManagementOptions struct {
	// Namespaces to read; empty means all.
	Namespaces []string
	// Adoption reads the CustomResourceDefinitions of the groups of interest too, and what is kept of the Secrets of the
	// declared clusters if ReadSecrets allows it.
	Adoption bool
	// Controllers reads the providers' Pods and leases, and the Events about declared objects.
	Controllers bool
	// ReadSecrets is the user's leave to read Secrets, each by its name.
	ReadSecrets bool
}

// CollectManagement reads the declared objects of a management cluster. It never fails: what could not be read is in
// the fragment's Coverage.
func (c *Client) CollectManagement(ctx context.Context, o ManagementOptions) *inventory.Snapshot {
	t := &tally{}
	ctx = withTally(ctx, t)
	namespaces := slices.Compact(slices.Sorted(slices.Values(o.Namespaces)))
	m := &managementReader{c: c, namespaces: namespaces, options: o, snap: &inventory.Snapshot{
		Management: &inventory.Management{Context: c.context, Kubeconfig: c.target.Kubeconfig, Namespaces: namespaces},
	}}
	m.read(ctx)
	m.snap.Requests = []inventory.Requests{t.requests(inventory.ManagementSource)}
	c.scrubCoverage(m.snap)
	m.snap.Sort()
	return m.snap
}

type managementReader struct {
	c          *Client
	namespaces []string
	options    ManagementOptions
	snap       *inventory.Snapshot
	// got is the objects of each kind, by scope.
	got map[string]*collected
	// gone is set when the server stopped answering in the middle: each further list would cost a timeout.
	gone atomic.Pointer[error]
}

// collected is what came of one kind.
type collected struct {
	kind    kind
	objects []object
	cov     inventory.Coverage
	// broken are the objects that could not be used, by name, with the reason.
	broken []string
}

func (m *managementReader) read(ctx context.Context) {
	d, err := m.c.discover(ctx)
	if err != nil {
		m.unreachable(m.c.explain(err))
		return
	}
	m.snap.Management.Served = d.served
	// Without its version a server is as good; the reason stands in the discovery entry.
	version, versionErr := m.c.serverVersion(ctx)
	m.snap.Management.Version = version
	m.snap.Coverage = append(m.snap.Coverage, m.discoveryCoverage(d, versionErr))

	m.got = map[string]*collected{}
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(concurrentLists)
	for _, k := range append(slices.Clone(kinds), kindDeployment) {
		g.Go(func() error {
			got := m.readKind(ctx, d, k)
			mu.Lock()
			defer mu.Unlock()
			m.got[k.scope()] = got
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		panic("unreachable: no list returns an error")
	}
	m.normalise()
	if m.options.Adoption {
		m.crds(ctx)
		m.storedSecrets(ctx)
	} else if m.options.Controllers && m.options.ReadSecrets {
		m.storedSecrets(ctx)
	}
	if m.options.Controllers {
		m.providerPods(ctx)
		m.leases(ctx)
		m.events(ctx)
	}
}

// unreachable gives every question the one answer that there was.
func (m *managementReader) unreachable(f failure) {
	scopes := []inventory.Coverage{{Scope: inventory.ScopeDiscovery}, {Scope: scopeProviders, Optional: true}}
	for _, k := range kinds {
		scopes = append(scopes, inventory.Coverage{Scope: k.scope(), Optional: !k.needed})
	}
	for _, cov := range scopes {
		cov.Source, cov.State, cov.Reason, cov.Remedy = inventory.ManagementSource, f.state, f.reason, f.remedy
		m.snap.Coverage = append(m.snap.Coverage, cov)
	}
	if m.options.Adoption {
		m.snap.Coverage = append(m.snap.Coverage,
			withFailure(inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeCRDs, Optional: true}, f),
			m.secretsCoverage(f))
	} else if m.options.Controllers && m.options.ReadSecrets {
		m.snap.Coverage = append(m.snap.Coverage, m.secretsCoverage(f))
	}
	if m.options.Controllers {
		for _, scope := range []string{inventory.ScopeProviderPods, inventory.ScopeLeases, inventory.ScopeEvents} {
			m.snap.Coverage = append(m.snap.Coverage, withFailure(inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, Optional: true}, f))
		}
	}
}

func (m *managementReader) discoveryCoverage(d *discovered, versionErr error) inventory.Coverage {
	cov := inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeDiscovery,
		State: inventory.Complete, Asked: len(groupsOfInterest), Got: len(groupsOfInterest)}
	failed := d.failedGroups()
	if len(failed) == 0 {
		if versionErr != nil {
			cov.State, cov.Optional = inventory.Partial, true
			cov.Reason = "the server's version was not readable: " + m.c.reason(versionErr)
		}
		return cov
	}
	cov.State, cov.Failed = inventory.Partial, len(failed)
	cov.Got -= len(failed)
	cov.Reason = "discovery of " + strings.Join(failed, ", ") + " failed: " + firstFailure(d, failed[0])
	cov.Remedy = "kubectl get apiservices shows which API is not available, and why"
	// A group that no verdict rests on leaves the run complete.
	cov.Optional = !slices.Contains(failed, inventory.GroupCluster) && !slices.Contains(failed, inventory.GroupInfrastructure)
	return cov
}

func firstFailure(d *discovered, group string) string {
	var all []string
	for gv, err := range d.failed {
		if gv.Group == group {
			all = append(all, oneLine(err.Error()))
		}
	}
	slices.Sort(all)
	return all[0]
}

// readKind lists one kind in every namespace that was asked for.
func (m *managementReader) readKind(ctx context.Context, d *discovered, k kind) *collected {
	got := &collected{kind: k, cov: inventory.Coverage{Source: inventory.ManagementSource, Scope: k.scope(), Optional: !k.needed}}
	version, selector := "v1", providerLabel
	namespaces := m.namespaces
	if k.scope() != scopeProviders {
		selector = ""
	} else {
		// Providers live in namespaces of their own.
		namespaces = nil
	}
	if len(namespaces) == 0 || k.clusterScoped {
		namespaces = []string{""}
	}
	var first *listing
	// Once the server is gone, what would take a question is not asked.
	ask := m.gone.Load() == nil || !d.groupsOnly || len(d.served[k.group]) == 0
	if k.scope() != scopeProviders && ask {
		var state inventory.State
		version, state, got.cov.Reason = m.c.locate(ctx, d, k, namespaces[0], func(version string) error {
			l := m.c.list(ctx, k, version, namespaces[0], "")
			first = &l
			return l.err
		})
		if version == "" {
			got.cov.State = state
			if state != inventory.Absent {
				got.cov.Remedy = "kubectl api-resources --api-group=" + k.group + " shows what the server offers"
			} else {
				got.cov.Reason = ""
			}
			return got
		}
	}
	lists := make([]listing, len(namespaces))
	for i, ns := range namespaces {
		if i == 0 && first != nil {
			lists[i] = *first
		} else if err := m.gone.Load(); err != nil {
			lists[i].err = *err
			continue
		} else {
			lists[i] = m.c.list(ctx, k, version, ns, selector)
		}
		if err := lists[i].err; err != nil && m.c.explain(err).whole {
			m.gone.CompareAndSwap(nil, &err)
		}
		for _, raw := range lists[i].items {
			o, err := m.c.parse(k, version, raw)
			if err != nil {
				got.broken = append(got.broken, err.Error())
				continue
			}
			got.objects = append(got.objects, o)
		}
	}
	got.cov = m.c.listCoverage(got.cov, k, namespaces, lists)
	return got
}

// collectionPath is the URL path of a list.
func collectionPath(k kind, version, namespace string) string {
	path := "/apis/" + k.group + "/" + version
	if k.group == "" {
		path = "/api/" + version
	}
	if namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + k.resource
}
