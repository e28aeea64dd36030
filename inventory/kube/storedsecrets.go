package kube

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/inventory"
)

// concurrentSecrets is how many Secrets are read at a time.
const concurrentSecrets = 8

// maxNamedSecrets and maxRules bound a remedy: the names of a namespace, and the namespaces.
const (
	maxNamedSecrets = 20
	maxRules        = 3
)

// secretUse is what a Secret is for, which decides what is looked at in it beside the names of its keys.
type secretUse int

// The uses, those in which more is looked at first.
const (
	// usePair has a certificate and its key, or a public key and its private one.
	usePair secretUse = iota
	useKubeconfig
	// useCredentials is CAPMOX's access to Proxmox, of which the server and the token's ID are looked at.
	useCredentials
	// useNames is for bootstrap data, of which nothing but the names of the keys is looked at.
	useNames
)

type wantedSecret struct {
	namespace, name string
	use             secretUse
}

func (w wantedSecret) String() string { return w.namespace + "/" + w.name }

// hasExternalEtcd is true for a cluster whose control plane reaches an etcd of its own with a client certificate.
func hasExternalEtcd(s *inventory.Snapshot, plane *inventory.Ref) bool {
	return plane != nil && slices.ContainsFunc(s.Objects, func(o inventory.Object) bool {
		if o.Cluster != "" || o.Kind != kindKubeadmControlPlane.kind || o.Namespace != plane.Namespace || o.Name != plane.Name {
			return false
		}
		external, found, err := unstructured.NestedMap(o.Content, "spec", "kubeadmConfigSpec", "clusterConfiguration", "etcd", "external")
		return err == nil && found && len(external) > 0
	})
}

// wantedSecrets are the Secrets by name that the declared clusters need (cluster-api util/secret: Purpose). Nothing but CAPMOX's own
// access is wanted where no Cluster object declares a cluster.
func wantedSecrets(s *inventory.Snapshot) []wantedSecret {
	var out []wantedSecret
	declared := map[string]bool{}
	for i := range s.Clusters {
		d := s.Clusters[i].Declared
		if d == nil {
			continue
		}
		declared[s.Clusters[i].Key] = true
		for _, purpose := range []string{"ca", "etcd", "proxy", "sa"} {
			out = append(out, wantedSecret{d.Namespace, d.Name + "-" + purpose, usePair})
		}
		if hasExternalEtcd(s, d.ControlPlaneRef) {
			out = append(out, wantedSecret{d.Namespace, d.Name + "-apiserver-etcd-client", usePair})
		}
		out = append(out, wantedSecret{d.Namespace, d.Name + "-kubeconfig", useKubeconfig})
		if d.Infrastructure == nil {
			continue
		}
		if namespace, name, ok := strings.Cut(d.Infrastructure.CredentialsSecret, "/"); ok {
			out = append(out, wantedSecret{namespace, name, useCredentials})
		}
	}
	for i := range s.Machines {
		if m := &s.Machines[i]; m.DataSecretName != "" && declared[m.Cluster] {
			out = append(out, wantedSecret{m.Namespace, m.DataSecretName, useNames})
		}
	}
	// Where CAPMOX looks counts before anything is declared.
	for i := range s.Providers {
		for _, v := range s.Providers[i].Access {
			if namespace, name, ok := strings.Cut(v.Secret, "/"); ok {
				out = append(out, wantedSecret{namespace, name, useCredentials})
			}
		}
	}
	slices.SortFunc(out, func(a, b wantedSecret) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name), cmp.Compare(a.use, b.use))
	})
	return slices.CompactFunc(out, func(a, b wantedSecret) bool { return a.namespace == b.namespace && a.name == b.name })
}

// secretsCoverage is the entry of a run that could not ask for any Secret, for want of leave or because of a failure.
func (m *managementReader) secretsCoverage(f failure) inventory.Coverage {
	if !m.options.ReadSecrets {
		f = failure{state: inventory.NotAsked, reason: "no leave to read Secrets was given, so that none was",
			remedy: "allow it with --read-secrets; docs/permissions.md has the rule that the reader then needs"}
	}
	return withFailure(inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeSecrets, Optional: true}, f)
}

// storedSecrets reads the Secrets of the declared clusters, each with one GET by its name: a role can allow that without
// allowing all Secrets of a namespace.
func (m *managementReader) storedSecrets(ctx context.Context) {
	if !m.options.ReadSecrets {
		m.snap.Coverage = append(m.snap.Coverage, m.secretsCoverage(failure{}))
		return
	}
	wanted := wantedSecrets(m.snap)
	found := make([]inventory.StoredSecret, len(wanted))
	errs := make([]error, len(wanted))
	var g errgroup.Group
	g.SetLimit(concurrentSecrets)
	for i, w := range wanted {
		g.Go(func() error {
			if err := m.gone.Load(); err != nil {
				errs[i] = *err
				return nil
			}
			found[i], errs[i] = m.c.storedSecret(ctx, w)
			if errs[i] != nil && m.c.explain(errs[i]).whole {
				m.gone.CompareAndSwap(nil, &errs[i])
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		panic("unreachable: no question returns an error")
	}
	cov := inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeSecrets, State: inventory.Complete,
		Asked: len(wanted), Optional: true}
	var reasons []string
	var refused []wantedSecret
	for i, w := range wanted {
		if errs[i] == nil {
			cov.Got++
			m.snap.StoredSecrets = append(m.snap.StoredSecrets, found[i])
			continue
		}
		cov.Failed++
		f := m.c.explain(errs[i])
		if f.whole {
			reasons = append(reasons, f.reason)
		} else {
			reasons = append(reasons, "secret "+w.String()+": "+f.reason)
		}
		if f.state == inventory.Refused {
			refused = append(refused, w)
		}
		cov.Remedy = first(cov.Remedy, f.remedy)
	}
	unknown := m.mayNeedMore()
	switch {
	case cov.Failed > 0 && cov.Got == 0 && len(refused) == cov.Failed:
		cov.State = inventory.Refused
	case cov.Failed > 0 && cov.Got == 0:
		cov.State = inventory.Failed
	case cov.Failed > 0 || len(unknown) > 0:
		cov.State = inventory.Partial
	}
	if len(refused) > 0 && cov.Remedy == "" {
		cov.Remedy = secretsRule(refused)
	}
	if len(unknown) > 0 {
		reasons = append(reasons, "which Secrets are needed is not known in full, for these were not read in full: "+strings.Join(unknown, ", "))
		cov.Remedy = first(cov.Remedy, "the entries of "+strings.Join(unknown, " and ")+" say what to do")
	}
	cov.Reason = joinReasons(reasons)
	m.snap.Coverage = append(m.snap.Coverage, cov)
}

// mayNeedMore lists the kinds that name Secrets and were not read in full.
func (m *managementReader) mayNeedMore() []string {
	var out []string
	for _, k := range []kind{kindCluster, kindMachine, kindProxmoxCluster} {
		if !m.snap.Known(inventory.ManagementSource, k.scope()) {
			out = append(out, k.scope())
		}
	}
	return out
}

// storedSecret reads one Secret. No error of it quotes what the Secret holds.
func (c *Client) storedSecret(ctx context.Context, w wantedSecret) (inventory.StoredSecret, error) {
	path := "/api/v1/namespaces/" + url.PathEscape(w.namespace) + "/secrets/" + url.PathEscape(w.name)
	body, _, err := c.get(ctx, path, nil, "")
	switch {
	case apierrors.IsNotFound(err):
		return inventory.StoredSecret{Namespace: w.namespace, Name: w.name, Absent: true}, nil
	case err != nil:
		return inventory.StoredSecret{}, err
	}
	s, ok := decodeSecret(body, w)
	if !ok {
		return inventory.StoredSecret{}, &notKubernetes{path: path, err: errNoSecret}
	}
	return s, nil
}

// secretsRule is the rule of a Role for what was refused, in each namespace.
func secretsRule(refused []wantedSecret) string {
	byNamespace := map[string][]string{}
	for _, w := range refused {
		byNamespace[w.namespace] = append(byNamespace[w.namespace], fmt.Sprintf("%q", w.name))
	}
	var rules []string
	more := 0
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		names := byNamespace[namespace]
		if len(rules) == maxRules {
			more += len(names)
			continue
		}
		more += max(0, len(names)-maxNamedSecrets)
		rules = append(rules, fmt.Sprintf(`in namespace %s: {apiGroups: [%q], resources: [%q], resourceNames: [%s], verbs: [%q]}`,
			namespace, "", "secrets", strings.Join(names[:min(len(names), maxNamedSecrets)], ", "), "get"))
	}
	out := "add to the reader's Role " + strings.Join(rules, "; ")
	if more > 0 {
		out += fmt.Sprintf("; and so on for %d more", more)
	}
	return out
}
