package kube

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

var adoption = WorkloadOptions{Adoption: true}

// caOf is the fingerprint of the CA that a simulator made for itself.
func caOf(t *testing.T, srv *kubesim.Server) string {
	t.Helper()
	raw, err := srv.Kubeconfig("x")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(cfg.Clusters["x"].CertificateAuthorityData)
	if block == nil {
		t.Fatal("the simulator has no CA")
	}
	return fingerprint(block.Bytes)
}

func TestWorkloadForAdoption(t *testing.T) {
	srv := sim(t, kubesim.Config{Version: "v1.33.4"}, kubesim.Options{TLS: true, Token: "t"}, "workload", "adoption")
	var log []string
	s := client(t, srv, func(target *Target) {
		target.Logf = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	}).CollectWorkload(t.Context(), "prod", adoption)
	if got := s.Clusters[0].ServingCAs; !slices.Equal(got, []string{caOf(t, srv)}) {
		t.Errorf("serving CAs %q", got)
	}
	s.Clusters[0].ServingCAs, s.Clusters[0].Server = []string{"SHA-256"}, "https://127.0.0.1:PORT"
	got := toJSON(t, s)
	golden(t, "workload-adoption.json", got)
	if strings.Contains(got+strings.Join(log, "\n"), "CANARY") {
		t.Error("a credential is in the Snapshot or the log")
	}
	want := map[string]int{"/version": 1, "/api/v1/nodes": 1, kubeadmConfigPath: 1,
		"/api/v1/namespaces/kube-system/configmaps/kubelet-config": 1, "/api/v1/namespaces/kube-system/pods": 1}
	if sent := paths(srv); fmt.Sprint(sent) != fmt.Sprint(want) || s.Requests[0] != (inventory.Requests{Source: "cluster/prod", Count: 5}) {
		t.Errorf("sent %v, counted %+v", sent, s.Requests)
	}
}

// Without the option the requests are those of before, and nothing of it is in the fragment but the serving CA, which costs none.
func TestWorkloadWithoutAdoption(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{TLS: true}, "workload", "adoption")
	s := client(t, srv).CollectWorkload(t.Context(), "prod", WorkloadOptions{})
	if sent := paths(srv); len(sent) != 3 || sent["/api/v1/namespaces/kube-system/pods"] != 0 || s.Requests[0].Count != 3 {
		t.Errorf("sent %v, counted %+v", sent, s.Requests)
	}
	c := s.Clusters[0]
	if len(s.Coverage) != 4 || c.KubeletConfiguration != "" || c.StaticPods != nil || !slices.Equal(c.ServingCAs, []string{caOf(t, srv)}) {
		t.Errorf("%+v\n%+v", c, s.Coverage)
	}
}

func TestAdoptionFaults(t *testing.T) {
	const podList = `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[%s]}`
	mirror := func(rest string) string {
		return `{"metadata":{"name":"bad","annotations":{"kubernetes.io/config.mirror":"x"}},` + rest + `}`
	}
	for name, c := range map[string]struct {
		fault  kubesim.Fault
		scope  string
		state  inventory.State
		reason string
		remedy string
		pods   int
	}{
		"kubelet-config refused": {
			fault: kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Status: http.StatusForbidden},
			scope: inventory.ScopeKubelet, state: inventory.Refused, reason: "403", remedy: `resourceNames: ["kubelet-config"]`, pods: 3,
		},
		"kubelet-config absent": {
			fault: kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Status: http.StatusNotFound},
			scope: inventory.ScopeKubelet, state: inventory.Absent, pods: 3,
		},
		"kubelet-config failed": {
			fault: kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Status: http.StatusInternalServerError},
			scope: inventory.ScopeKubelet, state: inventory.Failed, reason: "500", pods: 3,
		},
		"kubelet-config of another shape": {
			fault: kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Body: `{"data":[]}`},
			scope: inventory.ScopeKubelet, state: inventory.Failed, reason: "data is a array", remedy: "get configmap kubelet-config", pods: 3,
		},
		"kubelet-config without its key": {
			fault: kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Body: `{"data":{"other":"x"}}`},
			scope: inventory.ScopeKubelet, state: inventory.Failed, reason: `no key "kubelet"`, remedy: "get configmap kubelet-config", pods: 3,
		},
		"kubelet-config no YAML": {
			fault: kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Body: `{"data":{"kubelet":"a: [CANARY"}}`},
			scope: inventory.ScopeKubelet, state: inventory.Failed, reason: "no YAML document", pods: 3,
		},
		"Pods refused": {
			fault: kubesim.Fault{Resource: "pods", Status: http.StatusForbidden},
			scope: inventory.ScopeStaticPods, state: inventory.Refused, reason: "403",
			remedy: `Role in kube-system: {apiGroups: [""], resources: ["pods"], verbs: ["list"]}`,
		},
		"Pods failed": {
			fault: kubesim.Fault{Resource: "pods", Status: http.StatusInternalServerError},
			scope: inventory.ScopeStaticPods, state: inventory.Failed, reason: "500",
		},
		"no Pods": {
			fault: kubesim.Fault{Resource: "pods", Body: fmt.Sprintf(podList, "")},
			scope: inventory.ScopeStaticPods, state: inventory.Complete,
		},
		"a Pod of another shape": {
			fault: kubesim.Fault{Resource: "pods", Body: fmt.Sprintf(podList, mirror(`"spec":{"nodeName":7}`)+","+mirror(`"spec":{"nodeName":"n"}`))},
			scope: inventory.ScopeStaticPods, state: inventory.Partial, reason: "bad: spec.nodeName is a number", pods: 1,
		},
		"a Pod without a name": {
			fault: kubesim.Fault{Resource: "pods", Body: fmt.Sprintf(podList, `{"metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}}}`)},
			scope: inventory.ScopeStaticPods, state: inventory.Partial, reason: "no metadata.name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{Version: "v1.33.4"}, kubesim.Options{TLS: true}, "workload", "adoption")
			srv.SetFaults(c.fault)
			s := client(t, srv).CollectWorkload(t.Context(), "prod", adoption)
			cov := coverage(t, s, "cluster/prod", c.scope)
			if cov.State != c.state || !strings.Contains(cov.Reason, c.reason) || !strings.Contains(cov.Remedy, c.remedy) || !cov.Optional {
				t.Errorf("%+v", cov)
			}
			if (cov.Reason == "") != (cov.State == inventory.Complete || cov.State == inventory.Absent) || strings.Contains(toJSON(t, s), "CANARY") {
				t.Errorf("%+v", cov)
			}
			if got := len(s.Clusters[0].StaticPods); got != c.pods || len(s.Incomplete()) != 0 || len(s.Clusters[0].ServingCAs) != 1 {
				t.Errorf("%d Pods, %+v", got, s.Incomplete())
			}
			if (s.Clusters[0].KubeletConfiguration == "") != (c.scope == inventory.ScopeKubelet) {
				t.Errorf("%q", s.Clusters[0].KubeletConfiguration)
			}
		})
	}
}

// A cluster that kubeadm made before 1.24 has the version in the name, and only there is that asked.
func TestVersionedKubeletConfig(t *testing.T) {
	for name, c := range map[string]struct {
		server, kubeadm, configMap string
		found                      bool
		asked                      int
	}{
		"old":                          {server: "v1.23.17", kubeadm: "v1.23.17", configMap: "kubelet-config-1.23", found: true, asked: 2},
		"kubeadm lags behind":          {server: "v1.24.1", kubeadm: "v1.23.17", configMap: "kubelet-config-1.23", found: true, asked: 2},
		"old by the server's word":     {server: "v1.22.0", configMap: "kubelet-config-1.22", found: true, asked: 2},
		"old without any":              {server: "v1.23.17", kubeadm: "v1.23.17", configMap: "other", asked: 2},
		"new":                          {server: "v1.24.0", kubeadm: "v1.24.0", configMap: "kubelet-config-1.24", asked: 1},
		"an old one with the new name": {server: "v1.23.17", kubeadm: "v1.23.17", configMap: "kubelet-config", found: true, asked: 1},
		"no version":                   {server: "unknown", configMap: "kubelet-config-1.23", asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docs := []string{"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + c.configMap + ", namespace: kube-system}\ndata: {kubelet: 'kind: KubeletConfiguration'}\n"}
			if c.kubeadm != "" {
				docs = append(docs, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kubeadm-config, namespace: kube-system}\ndata: {ClusterConfiguration: 'kubernetesVersion: "+c.kubeadm+"'}\n")
			}
			srv := sim(t, kubesim.Config{Version: c.server}, kubesim.Options{}, docs...)
			s := client(t, srv).CollectWorkload(t.Context(), "old", adoption)
			want := inventory.Absent
			if c.found {
				want = inventory.Complete
			}
			if cov := coverage(t, s, "cluster/old", inventory.ScopeKubelet); cov.State != want || (s.Clusters[0].KubeletConfiguration == "kind: KubeletConfiguration") != c.found {
				t.Errorf("%+v, %q", cov, s.Clusters[0].KubeletConfiguration)
			}
			asked := 0
			for path, n := range paths(srv) {
				if strings.Contains(path, "/kubelet-config") {
					asked += n
				}
			}
			if asked != c.asked {
				t.Errorf("asked %d times: %v", asked, paths(srv))
			}
		})
	}
}

// The mirrors are found among the Pods of all pages, and what came before a page that failed is kept.
func TestStaticPodsOfALargeCluster(t *testing.T) {
	var b strings.Builder
	for i := range 1201 {
		annotations := "{}"
		if i%400 == 0 {
			annotations = "{kubernetes.io/config.mirror: x}"
		}
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p-%04d, namespace: kube-system, annotations: %s}\nspec: {nodeName: n1}\n", i, annotations)
	}
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, b.String())
	s := client(t, srv).CollectWorkload(t.Context(), "big", adoption)
	cov := coverage(t, s, "cluster/big", inventory.ScopeStaticPods)
	if len(s.Clusters[0].StaticPods) != 4 || cov.State != inventory.Complete || cov.Asked != 4 || cov.Got != 4 {
		t.Errorf("%d Pods, %+v", len(s.Clusters[0].StaticPods), cov)
	}
	if n := paths(srv)["/api/v1/namespaces/kube-system/pods"]; n != 3 {
		t.Errorf("%d pages", n)
	}
	srv.SetFaults(kubesim.Fault{Resource: "pods", Page: 2, Status: http.StatusForbidden})
	s = client(t, srv).CollectWorkload(t.Context(), "big", adoption)
	cov = coverage(t, s, "cluster/big", inventory.ScopeStaticPods)
	if len(s.Clusters[0].StaticPods) != 2 || cov.State != inventory.Partial || !strings.Contains(cov.Reason, "broke off after 1 pages") || cov.Remedy != podsRule {
		t.Errorf("%d Pods, %+v", len(s.Clusters[0].StaticPods), cov)
	}
}

func TestServingCA(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{TLS: true, Token: "t"}, "workload")
	other := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	connectTo := func(t *testing.T, edit func(kubeconfig string) string) *Client {
		t.Helper()
		raw, err := srv.Kubeconfig("sim")
		if err != nil {
			t.Fatal(err)
		}
		return clientOf(t, edit(string(raw)))
	}
	t.Run("one of two", func(t *testing.T) {
		// The kubeconfig trusts two CAs; only one of them signed.
		c := connectTo(t, func(k string) string { return withCA(t, k, other.Certificate()) })
		s := c.CollectWorkload(t.Context(), "k", adoption)
		if got := s.Clusters[0].ServingCAs; !slices.Equal(got, []string{caOf(t, srv)}) {
			t.Errorf("%q", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		// A refusal came over a verified connection too.
		c := connectTo(t, func(k string) string { return strings.Replace(k, "token: t", "token: wrong", 1) })
		s := c.CollectWorkload(t.Context(), "k", adoption)
		if cov := coverage(t, s, "cluster/k", inventory.ScopeServingCA); cov.State != inventory.Complete || len(s.Clusters[0].ServingCAs) != 1 {
			t.Errorf("%+v", cov)
		}
		for _, scope := range []string{inventory.ScopeKubelet, inventory.ScopeStaticPods} {
			if cov := coverage(t, s, "cluster/k", scope); cov.State != inventory.Refused || !cov.Optional {
				t.Errorf("%+v", cov)
			}
		}
	})
	t.Run("not verified", func(t *testing.T) {
		c := connectTo(t, func(k string) string {
			before, rest, _ := strings.Cut(k, "certificate-authority-data:")
			_, after, _ := strings.Cut(rest, "\n")
			return before + "insecure-skip-tls-verify: true\n" + after
		})
		s := c.CollectWorkload(t.Context(), "k", adoption)
		cov := coverage(t, s, "cluster/k", inventory.ScopeServingCA)
		if len(s.Nodes) != 2 || cov.State != inventory.NotAsked || !cov.Optional || !strings.Contains(cov.Reason, "skips the verification") || !strings.Contains(cov.Remedy, "certificate-authority-data") || len(s.Clusters[0].ServingCAs) != 0 {
			t.Errorf("%+v", cov)
		}
	})
	t.Run("not encrypted", func(t *testing.T) {
		plain := sim(t, kubesim.Config{}, kubesim.Options{}, "workload")
		s := client(t, plain).CollectWorkload(t.Context(), "k", adoption)
		if cov := coverage(t, s, "cluster/k", inventory.ScopeServingCA); cov.State != inventory.NotAsked || !strings.Contains(cov.Reason, "not encrypted") || cov.Remedy == "" {
			t.Errorf("%+v", cov)
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		c := connectTo(t, func(k string) string { return strings.Replace(k, srv.URL(), other.URL, 1) })
		s := c.CollectWorkload(t.Context(), "k", adoption)
		for _, scope := range []string{inventory.ScopeServingCA, inventory.ScopeKubelet, inventory.ScopeStaticPods} {
			if cov := coverage(t, s, "cluster/k", scope); cov.State != inventory.Failed || !strings.Contains(cov.Reason, "x509") || cov.Remedy == "" || !cov.Optional {
				t.Errorf("%+v", cov)
			}
		}
		if len(s.Clusters[0].ServingCAs) != 0 {
			t.Errorf("%q", s.Clusters[0].ServingCAs)
		}
	})
}

// Once the server is gone the rest is not asked.
func TestAdoptionStopsWithTheServer(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{TLS: true}, "workload", "adoption")
	srv.SetFaults(kubesim.Fault{Path: kubeadmConfigPath, Status: http.StatusUnauthorized})
	s := client(t, srv).CollectWorkload(t.Context(), "k", adoption)
	if n := len(srv.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	if cov := coverage(t, s, "cluster/k", inventory.ScopeStaticPods); cov.State != inventory.Refused || !strings.Contains(cov.Reason, "401") {
		t.Errorf("%+v", cov)
	}
	srv.SetFaults(kubesim.Fault{Path: "/api/v1/namespaces/kube-system/configmaps/kubelet-config", Status: http.StatusUnauthorized})
	srv.Forget()
	s = client(t, srv).CollectWorkload(t.Context(), "k", adoption)
	if cov := coverage(t, s, "cluster/k", inventory.ScopeStaticPods); cov.State != inventory.Refused || paths(srv)["/api/v1/namespaces/kube-system/pods"] != 0 {
		t.Errorf("%+v", cov)
	}
}

// clientOf connects with a kubeconfig's text.
func clientOf(t *testing.T, kubeconfig string) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(Target{Key: "k", Kubeconfig: path})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// withCA adds a CA to those that a kubeconfig trusts.
func withCA(t *testing.T, kubeconfig string, ca *x509.Certificate) string {
	t.Helper()
	cfg, err := clientcmd.Load([]byte(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cfg.Clusters {
		c.CertificateAuthorityData = append(c.CertificateAuthorityData, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw})...)
	}
	out, err := clientcmd.Write(*cfg)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
