package pki_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
)

func options(m *pki.Material) pki.Options {
	return pki.Options{Cluster: "prod", Namespace: "prod", Owned: true, At: pkitest.Now, ServingCAs: []string{m.Fingerprint()},
		Bootstrap: []string{"cp-1", "w-1"}, Annotations: map[string]string{"proxaudit.io/rendered-by": "proxaudit"}}
}

func find(t *testing.T, set pki.Set, name string) pki.Secret {
	t.Helper()
	for _, s := range set.Secrets {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no Secret %s in %v", name, set.Secrets)
	return pki.Secret{}
}

// decoded reads a manifest as an API server would, and refuses fields that it does not know.
func decoded(t *testing.T, s pki.Secret) map[string][]byte {
	t.Helper()
	return manifest(t, s).Data
}

func manifest(t *testing.T, s pki.Secret) corev1.Secret {
	t.Helper()
	data, err := s.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	var out corev1.Secret
	if err := yaml.UnmarshalStrict(data, &out); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	if out.APIVersion != "v1" || out.Kind != "Secret" || len(out.StringData) > 0 {
		t.Errorf("%s %s with stringData %d", out.APIVersion, out.Kind, len(out.StringData))
	}
	return out
}

// TestSecrets: each holds the files as they are, under the keys that the controllers read.
func TestSecrets(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	for name, c := range map[string]struct {
		drop  []string
		owned bool
		want  []string
	}{
		"owned": {nil, true, []string{
			"prod-ca cluster.x-k8s.io/secret tls.crt=ca.crt tls.key=ca.key",
			"prod-etcd cluster.x-k8s.io/secret tls.crt=etcd/ca.crt tls.key=etcd/ca.key",
			"prod-proxy cluster.x-k8s.io/secret tls.crt=front-proxy-ca.crt tls.key=front-proxy-ca.key",
			"prod-sa cluster.x-k8s.io/secret tls.crt=sa.pub tls.key=sa.key",
			"prod-kubeconfig Opaque value=admin.conf",
			"cp-1 cluster.x-k8s.io/secret", "w-1 cluster.x-k8s.io/secret"}},
		"the user's": {nil, false, []string{
			"prod-ca Opaque tls.crt=ca.crt tls.key=ca.key",
			"prod-etcd Opaque tls.crt=etcd/ca.crt tls.key=etcd/ca.key",
			"prod-proxy Opaque tls.crt=front-proxy-ca.crt tls.key=front-proxy-ca.key",
			"prod-sa Opaque tls.crt=sa.pub tls.key=sa.key",
			"prod-kubeconfig Opaque value=admin.conf",
			"cp-1 cluster.x-k8s.io/secret", "w-1 cluster.x-k8s.io/secret"}},
		"no keys of authorities": {[]string{pki.FileCAKey, pki.FileEtcdKey, pki.FileProxyKey}, false, []string{
			"prod-ca Opaque tls.crt=ca.crt",
			"prod-etcd Opaque tls.crt=etcd/ca.crt",
			"prod-proxy Opaque tls.crt=front-proxy-ca.crt",
			"prod-sa Opaque tls.crt=sa.pub tls.key=sa.key",
			"prod-apiserver-etcd-client Opaque tls.crt=apiserver-etcd-client.crt tls.key=apiserver-etcd-client.key",
			"prod-kubeconfig Opaque value=admin.conf",
			"cp-1 cluster.x-k8s.io/secret", "w-1 cluster.x-k8s.io/secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			for _, f := range c.drop {
				delete(s.Files, f)
			}
			m := parse(t, s)
			o := options(m)
			o.Owned = c.owned
			set, err := m.Secrets(o)
			if err != nil {
				t.Fatal(err)
			}
			files := maps.Clone(p.Files)
			files["admin.conf"] = p.Kubeconfig
			var got []string
			for _, secret := range set.Secrets {
				out := manifest(t, secret)
				line := out.Name + " " + string(out.Type)
				if keys := slices.Sorted(maps.Keys(out.Data)); !slices.Equal(keys, secret.Keys) {
					t.Errorf("%s has the keys %v and says %v", secret, keys, secret.Keys)
				}
				for _, key := range secret.Keys {
					line += " " + key + "=" + which(files, out.Data[key])
				}
				got = append(got, line)
				if out.Namespace != "prod" || out.Labels["cluster.x-k8s.io/cluster-name"] != "prod" || out.Annotations["proxaudit.io/rendered-by"] != "proxaudit" {
					t.Errorf("metadata of %s: %+v", secret, out.ObjectMeta)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func which(files map[string][]byte, data []byte) string {
	for name, content := range files {
		if bytes.Equal(content, data) {
			return name
		}
	}
	return fmt.Sprintf("%d bytes that are no file", len(data))
}

// TestRefused: nothing comes out that was not checked.
func TestRefused(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	for name, c := range map[string]struct {
		change func(*pki.Source)
		tune   func(*pki.Options)
		want   string
	}{
		"serving CA not seen":          {nil, func(o *pki.Options) { o.ServingCAs = nil }, "cannot be checked"},
		"another serving CA":           {nil, func(o *pki.Options) { o.ServingCAs = []string{strings.Repeat("0", 64)} }, "did not sign"},
		"expired":                      {nil, func(o *pki.Options) { o.At = o.At.AddDate(20, 0, 0) }, "expired on"},
		"owned without the CA's key":   {func(s *pki.Source) { delete(s.Files, pki.FileCAKey) }, nil, "cannot renew what it would own"},
		"no CA key and no kubeconfig":  {func(s *pki.Source) { delete(s.Files, pki.FileCAKey); s.Kubeconfig = nil }, func(o *pki.Options) { o.Owned = false }, "cannot make a kubeconfig"},
		"a cluster's name":             {nil, func(o *pki.Options) { o.Cluster = "a;b" }, `the cluster's name "a;b"`},
		"a cluster's name is too long": {nil, func(o *pki.Options) { o.Cluster = strings.Repeat("a", 64) }, "the cluster's name"},
		"a namespace":                  {nil, func(o *pki.Options) { o.Namespace = "../x" }, `the namespace "../x"`},
		"a bootstrap name":             {nil, func(o *pki.Options) { o.Bootstrap = []string{"a/b"} }, `the bootstrap Secret's name "a/b"`},
		"a machine called prod-ca":     {nil, func(o *pki.Options) { o.Bootstrap = []string{"prod-ca"} }, `two Secrets would be called "prod-ca"`},
		"a machine twice":              {nil, func(o *pki.Options) { o.Bootstrap = []string{"a", "a"} }, `two Secrets would be called "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			if c.change != nil {
				c.change(&s)
			}
			m := parse(t, s)
			o := options(m)
			if c.tune != nil {
				c.tune(&o)
			}
			set, err := m.Secrets(o)
			if err == nil || len(set.Secrets) > 0 || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%d Secrets, error %v; want %q", len(set.Secrets), err, c.want)
			}
			wholeProblems(t, err)
		})
	}
}

func TestWarnings(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	for name, c := range map[string]struct {
		change func(*pki.Source)
		tune   func(*pki.Options)
		want   string
	}{
		"external CA":   {func(s *pki.Source) { delete(s.Files, pki.FileCAKey) }, func(o *pki.Options) { o.Owned = false }, "copy/pki/ca.key: it is not there (external CA)"},
		"external etcd": {func(s *pki.Source) { delete(s.Files, pki.FileEtcdKey) }, nil, "copy/pki/etcd/ca.key: it is not there: right for an external etcd"},
		"no proxy key":  {func(s *pki.Source) { delete(s.Files, pki.FileProxyKey) }, nil, "copy/pki/front-proxy-ca.key: it is not there"},
		"no kubeconfig": {func(s *pki.Source) { s.Kubeconfig = nil }, nil, "prod-kubeconfig is not among the Secrets"},
		"ends soon": {func(s *pki.Source) { s.Kubeconfig = nil },
			func(o *pki.Options) { o.At = pkitest.Now.AddDate(8, 11, 0) }, "copy/pki/ca.crt: its certificate ends on 2035-06-01"},
		"a bundle": {func(s *pki.Source) {
			s.Files[pki.FileCACert] = pkitest.CertPEM(p.CA.Cert, p.Proxy.Cert)
		}, nil, "copy/pki/ca.crt: it holds 2 certificates"},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(p)
			c.change(&s)
			m := parse(t, s)
			o := options(m)
			if c.tune != nil {
				c.tune(&o)
			}
			set, err := m.Secrets(o)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(set.Warnings.Error(), c.want) {
				t.Errorf("warnings: %v; want %q", set.Warnings, c.want)
			}
			noKeys(t, set.Warnings.Error())
		})
	}
}
