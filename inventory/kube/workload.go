package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/proxaudit/proxaudit/inventory"
)

// WorkloadOptions says what is read of a workload cluster beside its Nodes.
type WorkloadOptions struct {
	// Adoption reads kube-system/kubelet-config and the static Pods too, and notes the CA of the server's certificate.
	Adoption bool
}

// CollectWorkload reads a workload cluster: its Nodes, its version and kube-system/kubeadm-config. The key is the
// cluster's name in the Snapshot. It never fails: what could not be read is in the fragment's Coverage.
func (c *Client) CollectWorkload(ctx context.Context, key string, o WorkloadOptions) *inventory.Snapshot {
	t := &tally{}
	ctx = withTally(ctx, t)
	w := &workloadReader{c: c, options: o, source: inventory.ClusterSource(key), cluster: inventory.Cluster{
		Key: key, Access: c.access, Kubeconfig: c.target.Kubeconfig, Server: c.Server(),
	}, snap: &inventory.Snapshot{}}
	w.read(ctx)
	w.snap.Clusters = []inventory.Cluster{w.cluster}
	w.snap.Requests = []inventory.Requests{t.requests(w.source)}
	c.scrubCoverage(w.snap)
	w.snap.Sort()
	return w.snap
}

type workloadReader struct {
	c       *Client
	options WorkloadOptions
	source  string
	cluster inventory.Cluster
	snap    *inventory.Snapshot
}

func (w *workloadReader) read(ctx context.Context) {
	access := inventory.Coverage{Source: w.source, Scope: inventory.ScopeAccess, State: inventory.Complete, Asked: 1, Got: 1}
	discovery := inventory.Coverage{Source: w.source, Scope: inventory.ScopeDiscovery, State: inventory.Complete, Asked: 1, Got: 1, Optional: true}
	version, err := w.c.serverVersion(ctx)
	w.cluster.Version = version
	if err != nil {
		f := w.c.explain(err)
		discovery = withFailure(discovery, f)
		if f.whole {
			// One clear reason for everything: asking on would cost a timeout each.
			w.add(withFailure(access, f), discovery,
				withFailure(inventory.Coverage{Source: w.source, Scope: inventory.ScopeNodes}, f),
				withFailure(inventory.Coverage{Source: w.source, Scope: inventory.ScopeKubeadm, Optional: true}, f))
			w.adoption(ctx, f)
			return
		}
	}
	if f := w.nodes(ctx); f.whole {
		// /version is open to everybody, so that bad credentials show here first.
		w.add(withFailure(access, f), discovery,
			withFailure(inventory.Coverage{Source: w.source, Scope: inventory.ScopeKubeadm, Optional: true}, f))
		w.adoption(ctx, f)
		return
	}
	w.add(access, discovery)
	f := w.kubeadm(ctx)
	// Every connection shows it, whether somebody asks for it or not: it tells the cluster from another of its name.
	w.cluster.ServingCAs = w.c.wire.roots.list()
	w.adoption(ctx, f)
}

// adoption reads what only the adoption of the cluster needs. Once the server is gone, its last failure is the reason for
// all that follows: each further question would cost a timeout.
func (w *workloadReader) adoption(ctx context.Context, f failure) {
	if !w.options.Adoption {
		return
	}
	for _, q := range []struct {
		scope string
		ask   func(context.Context) failure
	}{{inventory.ScopeKubelet, w.kubelet}, {inventory.ScopeStaticPods, w.staticPods}} {
		if f.whole {
			w.add(withFailure(inventory.Coverage{Source: w.source, Scope: q.scope, Optional: true}, f))
			continue
		}
		f = q.ask(ctx)
	}
	w.servingCA(f)
}

func (w *workloadReader) add(cov ...inventory.Coverage) {
	w.snap.Coverage = append(w.snap.Coverage, cov...)
}

func withFailure(cov inventory.Coverage, f failure) inventory.Coverage {
	cov.State, cov.Reason, cov.Remedy, cov.Got = f.state, f.reason, f.remedy, 0
	return cov
}

// nodes returns the failure of the list, if it failed.
func (w *workloadReader) nodes(ctx context.Context) (f failure) {
	l := w.c.list(ctx, kindNode, "v1", "", "")
	cov := inventory.Coverage{Source: w.source, Scope: inventory.ScopeNodes}
	cov = w.c.listCoverage(cov, kindNode, []string{""}, []listing{l})
	var broken []string
	for _, raw := range l.items {
		o, err := w.c.parse(kindNode, "v1", raw)
		var n inventory.Node
		if err == nil {
			n, err = node(o, w.cluster.Key)
		}
		if err != nil {
			broken = append(broken, err.Error())
			continue
		}
		w.snap.Nodes = append(w.snap.Nodes, n)
	}
	addBroken(&cov, broken)
	w.add(cov)
	if l.err != nil {
		f = w.c.explain(l.err)
	}
	return f
}

// kubeadmConfigPath is where kubeadm keeps the cluster's configuration (kubeadm constants.go: KubeadmConfigConfigMap).
const kubeadmConfigPath = "/api/v1/namespaces/kube-system/configmaps/kubeadm-config"

// kubeadm reads kubeadm-config. A cluster that kubeadm did not make has none.
func (w *workloadReader) kubeadm(ctx context.Context) (f failure) {
	cov := inventory.Coverage{Source: w.source, Scope: inventory.ScopeKubeadm, State: inventory.Complete, Asked: 1, Got: 1, Optional: true}
	body, _, err := w.c.get(ctx, kubeadmConfigPath, nil, "")
	switch {
	case apierrors.IsNotFound(err):
		cov.State, cov.Asked, cov.Got = inventory.Absent, 0, 0
	case err != nil:
		f = w.c.explain(err)
		cov = withFailure(cov, f)
		if cov.State == inventory.Refused && cov.Remedy == "" {
			cov.Remedy = kubeadmRule
		}
	default:
		if w.cluster.Kubeadm, err = w.c.clean.kubeadmConfig(body); err != nil {
			cov.State, cov.Got, cov.Failed, cov.Reason = inventory.Failed, 0, 1, oneLine(err.Error())
			cov.Remedy = "kubectl -n kube-system get configmap kubeadm-config -o yaml shows what stands there"
		}
	}
	w.add(cov)
	return f
}
