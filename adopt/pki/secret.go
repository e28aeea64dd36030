package pki

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// The types of the Secrets. Those of TypeOwned become the control-plane controller's: it sets itself as their owner and
// renews the kubeconfig. It leaves all others alone (ensureCertificatesOwnerRef, adoptKubeconfigSecret).
const (
	TypeOwned  = "cluster.x-k8s.io/secret"
	TypeOpaque = "Opaque"
)

// ClusterLabel is on every Secret of a cluster; clusterctl move and the controllers' caches select by it.
const ClusterLabel = "cluster.x-k8s.io/cluster-name"

// The keys in a Secret. The service account's pair is read under the same ones as a certificate's: tls.crt holds sa.pub
// (util/secret/certificates.go: secretToKeyPair, generateServiceAccountKeys).
const (
	KeyCert       = "tls.crt"
	KeyPrivate    = "tls.key"
	KeyKubeconfig = "value"
)

// Options say which Secrets to make.
type Options struct {
	Cluster, Namespace string
	// Owned lets the control-plane controller own the Secrets; else they stay the user's.
	Owned bool
	// At is the time at which the certificates have to be valid.
	At time.Time
	// ServingCAs is inventory.Cluster's.
	ServingCAs []string
	// Endpoint is the address of the control plane for everybody outside, as HOST:PORT; empty if it is not known.
	Endpoint string
	// Bootstrap names the Secrets that the Machines give as their bootstrap data. They are empty: a controller that would
	// bootstrap a machine anew finds nothing to do it with.
	Bootstrap []string
	// Annotations are set on every Secret.
	Annotations map[string]string
}

// Secret is a Secret of Kubernetes. What it holds comes out through Manifest only.
type Secret struct {
	Namespace, Name, Type string
	Labels, Annotations   map[string]string
	// Keys are the names under which it holds something, sorted.
	Keys []string

	data func() map[string][]byte
}

// Set is what Secrets makes.
type Set struct {
	Secrets []Secret
	// Warnings are allowed and have a consequence.
	Warnings Problems
}

// Secrets checks everything and makes the Secrets, in the order in which they should be made. The error is Problems;
// nothing is made then.
func (m *Material) Secrets(o Options) (Set, error) {
	p := checkNames(o.Cluster, o.Namespace, o.Bootstrap)
	for _, err := range []error{m.CheckDates(o.At), m.CheckServing(o.ServingCAs)} {
		if more, ok := err.(Problems); ok { //nolint:errorlint // both return it bare
			p = append(p, more...)
		}
	}
	if !m.ca.hasKey {
		if o.Owned {
			p.add(m.path(FileCAKey), "it is not there, so that the control-plane controller cannot renew what it would own",
				"keep the Secrets your own (type "+TypeOpaque+"), or copy the key if a control-plane node has it")
		}
		if m.kubeconfig == nil {
			p.add(m.path(FileCAKey), "it is not there, so that the control-plane controller cannot make a kubeconfig, and none was given",
				"give the cluster's kubeconfig (--kubeconfig-file)")
		}
	}
	if err := p.err(); err != nil {
		return Set{}, err
	}
	return Set{Secrets: m.secrets(o), Warnings: m.warnings(o)}, nil
}

func (m *Material) secrets(o Options) []Secret {
	kind := ownedType(o.Owned)
	all := []Secret{
		m.pair(o, kind, "ca", FileCACert, FileCAKey),
		m.pair(o, kind, "etcd", FileEtcdCert, FileEtcdKey),
		m.pair(o, kind, "proxy", FileProxyCert, FileProxyKey),
		m.pair(o, kind, "sa", FileSAPublic, FileSAKey),
	}
	if !m.etcd.hasKey {
		all = append(all, m.pair(o, TypeOpaque, "apiserver-etcd-client", FileEtcdClientCert, FileEtcdClientKey))
	}
	if m.kubeconfig != nil {
		all = append(all, o.secret(o.Cluster+"-kubeconfig", m.kubeconfigType(o), map[string]hidden{KeyKubeconfig: m.kubeconfig.content}))
	}
	for _, name := range o.Bootstrap {
		all = append(all, o.secret(name, TypeOwned, nil))
	}
	return all
}

// pair leaves the key out where there is none: an empty one would pass for a key (GetWorkloadCluster tests for nil).
func (m *Material) pair(o Options, kind, purpose, cert, key string) Secret {
	content := map[string]hidden{KeyCert: m.files[cert]}
	if h, ok := m.files[key]; ok {
		content[KeyPrivate] = h
	}
	return o.secret(o.Cluster+"-"+purpose, kind, content)
}

func (m *Material) kubeconfigType(o Options) string {
	return ownedType(o.Owned && m.ca.hasKey && m.kubeconfig.rotatable(o.Cluster))
}

func ownedType(owned bool) string {
	if owned {
		return TypeOwned
	}
	return TypeOpaque
}

func (o Options) secret(name, kind string, content map[string]hidden) Secret {
	return Secret{
		Namespace: o.Namespace, Name: name, Type: kind,
		Labels:      map[string]string{ClusterLabel: o.Cluster},
		Annotations: maps.Clone(o.Annotations),
		Keys:        slices.Sorted(maps.Keys(content)),
		data: func() map[string][]byte {
			data := map[string][]byte{}
			for k, h := range content {
				data[k] = h()
			}
			return data
		},
	}
}

// String implements fmt.Stringer without anything secret.
func (s Secret) String() string { return "secret " + s.Namespace + "/" + s.Name }

// Format implements fmt.Formatter, so that no verb prints more.
func (s Secret) Format(f fmt.State, _ rune) {
	// A writer that fails here is the caller's: fmt has nowhere to report it either.
	_, _ = f.Write([]byte(s.String()))
}

// Manifest is the Secret in YAML, with everything that it holds. It belongs in a file that only its owner may read.
func (s Secret) Manifest() ([]byte, error) {
	type meta struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	doc := struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   meta              `json:"metadata"`
		Type       string            `json:"type"`
		Data       map[string][]byte `json:"data,omitempty"`
	}{"v1", "Secret", meta{s.Name, s.Namespace, s.Labels, s.Annotations}, s.Type, nil}
	if s.data != nil {
		doc.Data = s.data()
	}
	return yaml.Marshal(doc)
}

// checkNames refuses what no API server would take, and what a shell or a path could read as something else.
func checkNames(cluster, namespace string, bootstrap []string) Problems {
	var p Problems
	if errs := append(validation.IsDNS1123Subdomain(cluster), validation.IsValidLabelValue(cluster)...); len(errs) > 0 {
		p.add("", fmt.Sprintf("the cluster's name %q is no name of a Kubernetes object", cluster), errs[0])
	}
	if errs := validation.IsDNS1123Label(namespace); len(errs) > 0 {
		p.add("", fmt.Sprintf("the namespace %q is none", namespace), errs[0])
	}
	seen := map[string]bool{}
	for _, purpose := range []string{"ca", "etcd", "proxy", "sa", "apiserver-etcd-client", "kubeconfig"} {
		seen[cluster+"-"+purpose] = true
	}
	for _, b := range bootstrap {
		if errs := validation.IsDNS1123Subdomain(b); len(errs) > 0 {
			p.add("", fmt.Sprintf("the bootstrap Secret's name %q is no name of a Kubernetes object", b), errs[0])
		}
		if seen[b] {
			p.add("", fmt.Sprintf("two Secrets would be called %q", b), "rename the machine: its bootstrap Secret would take the place of another")
		}
		seen[b] = true
	}
	return p
}
