package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/proxaudit/proxaudit/inventory"
)

var (
	kindLease = kind{group: "coordination.k8s.io", resource: "leases", kind: "Lease", versions: []string{"v1"}}
	kindEvent = kind{resource: "events", kind: "Event", versions: []string{"v1"}}
)

// ask lists a kind in some namespaces for the coverage entry of a scope, and hands each item to a function, which says if it is of
// use. Nobody's verdict fails for want of it.
func (m *managementReader) ask(ctx context.Context, scope, selector string, k kind, namespaces []string, use func(json.RawMessage) (bool, error)) {
	cov := inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, Optional: true}
	if err := m.gone.Load(); err != nil {
		m.snap.Coverage = append(m.snap.Coverage, withFailure(cov, m.c.explain(*err)))
		return
	}
	lists := make([]listing, len(namespaces))
	var broken []string
	for i, ns := range namespaces {
		l := m.c.listQuery(ctx, listQuery{kind: k, version: k.versions[0], namespace: ns, selector: selector})
		if l.err != nil && m.c.explain(l.err).whole {
			m.gone.CompareAndSwap(nil, &l.err)
		}
		kept := l.items[:0]
		for _, raw := range l.items {
			switch useful, err := use(raw); {
			case err != nil:
				broken = append(broken, err.Error())
			case !useful:
				continue
			}
			kept = append(kept, raw)
		}
		l.items, l.remaining = kept, 0
		lists[i] = l
		if m.gone.Load() != nil {
			lists = lists[:i+1]
			namespaces = namespaces[:i+1]
			break
		}
	}
	cov = m.c.listCoverage(cov, k, namespaces, lists)
	addBroken(&cov, broken)
	m.snap.Coverage = append(m.snap.Coverage, cov)
}

// providerPod is what is read of a Pod. Its environment is not.
type providerPodObject struct {
	objectMeta
	Status struct {
		Phase      string     `json:"phase"`
		Message    string     `json:"message"`
		Conditions conditions `json:"conditions"`
		Containers []struct {
			RestartCount int32 `json:"restartCount"`
			State        struct {
				Waiting *struct {
					Reason  string `json:"reason"`
					Message string `json:"message"`
				} `json:"waiting"`
			} `json:"state"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// providerPods lists the Pods that carry the providers' label, as their Deployments' templates do (clusterctl's provider contract), and
// gives each to the Deployment in its namespace whose name it continues. Only the providers' namespaces are asked: a role for these is enough.
func (m *managementReader) providerPods(ctx context.Context) {
	namespaces := m.providerNamespaces(inventory.ScopeProviderPods)
	if namespaces == nil {
		return
	}
	m.ask(ctx, inventory.ScopeProviderPods, providerLabel, kindPod, namespaces, func(raw json.RawMessage) (bool, error) {
		var o providerPodObject
		if err := kjson.Unmarshal(raw, &o); err != nil {
			return false, errors.New(cmp.Or(o.Metadata.Name, "a Pod") + ": " + decodeReason(err))
		}
		p := m.providerOf(o.Metadata.Namespace, o.Metadata.Name)
		if p == nil {
			return false, nil
		}
		pod := inventory.ProviderPod{Name: o.Metadata.Name, Phase: o.Status.Phase, Ready: o.Status.Conditions.holds("Ready"), Message: m.c.clean.text(o.Status.Message), CreatedAt: utc(o.Metadata.CreationTimestamp)}
		for _, c := range o.Status.Containers {
			pod.Restarts = max(pod.Restarts, c.RestartCount)
			if w := c.State.Waiting; w != nil && pod.Waiting == "" {
				pod.Waiting, pod.Message = w.Reason, m.c.clean.text(w.Message)
			}
		}
		for _, c := range o.Status.Conditions {
			if c.Type == "PodScheduled" && c.Status == "False" && pod.Waiting == "" {
				pod.Waiting, pod.Message = c.Reason, m.c.clean.text(c.Message)
			}
		}
		p.Pods = append(p.Pods, pod)
		return true, nil
	})
	for i := range m.snap.Providers {
		slices.SortFunc(m.snap.Providers[i].Pods, func(a, b inventory.ProviderPod) int { return strings.Compare(a.Name, b.Name) })
	}
}

// providerOf is the Deployment whose Pods have names of that form: NAME-HASH-SUFFIX (kubernetes pkg/controller/deployment). The longest
// name that fits counts.
func (m *managementReader) providerOf(namespace, pod string) *inventory.Provider {
	var best *inventory.Provider
	for i := range m.snap.Providers {
		p := &m.snap.Providers[i]
		if p.Namespace == namespace && strings.HasPrefix(pod, p.Name+"-") && (best == nil || len(p.Name) > len(best.Name)) {
			best = p
		}
	}
	return best
}

// leases are those that a Pod of a provider holds, or held: the holder's name is POD_UUID (controller-runtime pkg/leaderelection).
func (m *managementReader) leases(ctx context.Context) {
	namespaces := m.providerNamespaces(inventory.ScopeLeases)
	if namespaces == nil {
		return
	}
	m.ask(ctx, inventory.ScopeLeases, "", kindLease, namespaces, func(raw json.RawMessage) (bool, error) {
		var o struct {
			objectMeta
			Spec struct {
				HolderIdentity       string `json:"holderIdentity"`
				LeaseDurationSeconds int32  `json:"leaseDurationSeconds"`
				RenewTime            string `json:"renewTime"`
			} `json:"spec"`
		}
		if err := kjson.Unmarshal(raw, &o); err != nil {
			return false, errors.New(cmp.Or(o.Metadata.Name, "a Lease") + ": " + decodeReason(err))
		}
		holder, _, _ := strings.Cut(o.Spec.HolderIdentity, "_")
		p := m.providerOf(o.Metadata.Namespace, holder)
		if p == nil {
			return false, nil
		}
		p.Leases = append(p.Leases, inventory.Lease{Name: o.Metadata.Name, Holder: o.Spec.HolderIdentity, Renewed: microTime(o.Spec.RenewTime), Seconds: o.Spec.LeaseDurationSeconds})
		return true, nil
	})
	for i := range m.snap.Providers {
		slices.SortFunc(m.snap.Providers[i].Leases, func(a, b inventory.Lease) int { return strings.Compare(a.Name, b.Name) })
	}
}

// providerNamespaces are those that the providers' Deployments are in; nil, with the coverage entry that says so, if none was seen.
func (m *managementReader) providerNamespaces(scope string) []string {
	var out []string
	for i := range m.snap.Providers {
		out = append(out, m.snap.Providers[i].Namespace)
	}
	if len(out) == 0 {
		m.snap.Coverage = append(m.snap.Coverage, inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, State: inventory.NotAsked,
			Optional: true, Reason: "no provider's Deployment was seen, and so none of the namespaces that they are in"})
		return nil
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// microTime reads a time of Kubernetes' newer APIs, which has parts of a second; nil if it is none.
func microTime(text string) *time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}
