package kube

import (
	"context"
	"errors"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// Counting makes a context that counts what is asked with it, and what it has counted so far, as a source's.
func Counting(ctx context.Context) (context.Context, func(source string) inventory.Requests) {
	t := &tally{}
	return withTally(ctx, t), t.requests
}

// DeclaredClusters lists the Cluster objects alone, by the keys that a run would give them. The error says why the list is not
// whole; an API server without Cluster API has none.
func (c *Client) DeclaredClusters(ctx context.Context, namespaces ...string) ([]inventory.Cluster, error) {
	d, err := c.discover(ctx)
	if err != nil {
		return nil, errors.New(c.explain(err).reason)
	}
	m := &managementReader{c: c, namespaces: namespaces, snap: &inventory.Snapshot{}}
	got := m.readKind(ctx, d, kindCluster)
	switch got.cov.State {
	case inventory.Absent:
		return nil, nil
	case inventory.Complete:
	default:
		return nil, errors.New(got.cov.Reason)
	}
	var names []clusterName
	for _, o := range got.objects {
		names = append(names, clusterName{o.namespace, o.name})
	}
	keys := newClusterKeys(names, nil)
	var out []inventory.Cluster
	for _, o := range got.objects {
		declared, err := declaredCluster(o)
		if err != nil {
			return nil, err
		}
		out = append(out, inventory.Cluster{Key: keys.of(o.namespace, o.name), Declared: declared})
	}
	slices.SortFunc(out, func(a, b inventory.Cluster) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return out, nil
}
