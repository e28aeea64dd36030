package kube

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func TestWorkload(t *testing.T) {
	srv := sim(t, kubesim.Config{Version: "v1.33.4"}, kubesim.Options{TLS: true, Token: "canary"}, "workload")
	s := client(t, srv).CollectWorkload(t.Context(), "prod", WorkloadOptions{})
	if len(s.Clusters) != 1 || s.Clusters[0].Server != srv.URL() {
		t.Fatalf("clusters = %+v", s.Clusters)
	}
	if got := s.Clusters[0].ServingCAs; !slices.Equal(got, []string{caOf(t, srv)}) {
		t.Errorf("the serving CA is %q", got)
	}
	s.Clusters[0].ServingCAs, s.Clusters[0].Server = []string{"SHA-256"}, "https://127.0.0.1:PORT"
	golden(t, "workload.json", toJSON(t, s))
}

func TestWorkloadFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault                      kubesim.Fault
		nodes, kubeadm, access     inventory.State
		missing                    int
		source                     string
		wantNodes                  int
		nodesReason, kubeadmRemedy string
	}{
		"nodes forbidden": {
			fault: kubesim.Fault{Resource: "nodes", Status: http.StatusForbidden},
			nodes: inventory.Refused, kubeadm: inventory.Complete, access: inventory.Complete, missing: 1, nodesReason: "403",
		},
		"kubeadm-config forbidden": {
			fault: kubesim.Fault{Resource: "configmaps", Status: http.StatusForbidden},
			nodes: inventory.Complete, kubeadm: inventory.Refused, access: inventory.Complete, wantNodes: 2, kubeadmRemedy: `resourceNames: ["kubeadm-config"]`,
		},
		"kubeadm-config broken": {
			fault: kubesim.Fault{Resource: "configmaps", Body: `{"data":{"ClusterConfiguration":"a: ["}}`},
			nodes: inventory.Complete, kubeadm: inventory.Failed, access: inventory.Complete, wantNodes: 2, kubeadmRemedy: "kubectl",
		},
		"kubeadm-config with a key twice": {
			fault: kubesim.Fault{Resource: "configmaps", Body: `{"data":{"ClusterConfiguration":"clusterName: a # b\nclusterName: c"}}`},
			nodes: inventory.Complete, kubeadm: inventory.Failed, access: inventory.Complete, wantNodes: 2, kubeadmRemedy: "kubectl",
		},
		"kubeadm-config of two documents": {
			fault: kubesim.Fault{Resource: "configmaps", Body: `{"data":{"ClusterConfiguration":"clusterName: a\n---\nclusterName: c"}}`},
			nodes: inventory.Complete, kubeadm: inventory.Failed, access: inventory.Complete, wantNodes: 2, kubeadmRemedy: "kubectl",
		},
		"kubeadm-config empty": {
			fault: kubesim.Fault{Resource: "configmaps", Body: `{}`},
			nodes: inventory.Complete, kubeadm: inventory.Failed, access: inventory.Complete, wantNodes: 2,
		},
		"kubeadm-config of another shape": {
			fault: kubesim.Fault{Resource: "configmaps", Body: `{"data":{"ClusterConfiguration":"networking: none"}}`},
			nodes: inventory.Complete, kubeadm: inventory.Failed, access: inventory.Complete, wantNodes: 2,
		},
		"kubeadm-config no ConfigMap": {
			fault: kubesim.Fault{Resource: "configmaps", Body: `{"data":7}`},
			nodes: inventory.Complete, kubeadm: inventory.Failed, access: inventory.Complete, wantNodes: 2,
		},
		"credentials not accepted": {
			fault: kubesim.Fault{Resource: "nodes", Status: http.StatusUnauthorized},
			nodes: inventory.Refused, kubeadm: inventory.Refused, access: inventory.Refused, missing: 2, nodesReason: "401",
		},
		"a Node of another shape": {
			fault: kubesim.Fault{Resource: "nodes", Body: `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"bad"},"status":{"capacity":{"cpu":"many"}}},{"metadata":{"name":"good"}}]}`},
			nodes: inventory.Partial, kubeadm: inventory.Complete, access: inventory.Complete, missing: 1, wantNodes: 1, nodesReason: "bad: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, "workload")
			srv.SetFaults(c.fault)
			s := client(t, srv).CollectWorkload(t.Context(), "prod", WorkloadOptions{})
			nodes := coverage(t, s, "cluster/prod", inventory.ScopeNodes)
			kubeadm := coverage(t, s, "cluster/prod", inventory.ScopeKubeadm)
			access := coverage(t, s, "cluster/prod", inventory.ScopeAccess)
			if nodes.State != c.nodes || kubeadm.State != c.kubeadm || access.State != c.access {
				t.Errorf("nodes %+v\nkubeadm %+v\naccess %+v", nodes, kubeadm, access)
			}
			if !strings.Contains(nodes.Reason, c.nodesReason) || !strings.Contains(kubeadm.Remedy, c.kubeadmRemedy) {
				t.Errorf("nodes %+v\nkubeadm %+v", nodes, kubeadm)
			}
			if len(s.Incomplete()) != c.missing || len(s.Nodes) != c.wantNodes {
				t.Errorf("missing %+v, %d nodes", s.Incomplete(), len(s.Nodes))
			}
		})
	}
}

func TestWorkloadWithoutKubeadm(t *testing.T) {
	srv := sim(t, kubesim.Config{Version: "v1.32.1+k3s1"}, kubesim.Options{}, "common")
	s := client(t, srv).CollectWorkload(t.Context(), "edge", WorkloadOptions{})
	if cov := coverage(t, s, "cluster/edge", inventory.ScopeKubeadm); cov.State != inventory.Absent || !cov.Optional {
		t.Errorf("%+v", cov)
	}
	if cov := coverage(t, s, "cluster/edge", inventory.ScopeNodes); cov.State != inventory.Complete || len(s.Nodes) != 0 {
		t.Errorf("%+v", cov)
	}
	if s.Clusters[0].Kubeadm != nil || s.Clusters[0].Version != "v1.32.1+k3s1" {
		t.Errorf("%+v", s.Clusters[0])
	}
}

func TestKubeadmConfigWithASecretIsCleaned(t *testing.T) {
	clean, err := newSanitizer([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	cm := `{"data":{"ClusterConfiguration":"kubernetesVersion: v1.33.4\netcd:\n  external:\n    endpoints: [\"https://root:canary1@etcd:2379\"]\napiServer:\n  extraEnvs:\n  - {name: PW, value: canary2}\n"}}`
	k, err := clean.kubeadmConfig([]byte(cm))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(k.ClusterConfiguration, "canary") || k.KubernetesVersion != "v1.33.4" || !strings.Contains(k.ClusterConfiguration, "@etcd:2379") {
		t.Errorf("%+v", k)
	}
}

// What a decoder passes over is not kept: nobody has looked for secrets there.
func TestYAMLDocumentIsWhatWasRead(t *testing.T) {
	clean, err := newSanitizer([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"a: 1 # canary\nb: 2\n":               "a: 1\nb: 2\n",
		"b: 2\n---\ntoken: canary\n":          "b: 2\n",
		"b: 2\n...\ncanary\n":                 "b: 2\n",
		"---\nb: {c: [x]}\n":                  "---\nb: {c: [x]}\n",
		"staticPodURLHeader: null\nb: 2\n":    "staticPodURLHeader: null\nb: 2\n",
		"apiServer:\n  certSANs: [a, b]\n":    "apiServer:\n  certSANs: [a, b]\n",
		"featureGates: {A: true}\nx: 'a#b'\n": "featureGates:\n  A: true\nx: a#b\n",
	} {
		if got, err := clean.yamlDocument(in); err != nil || got != want {
			t.Errorf("%q became %q, %v", in, got, err)
		}
	}
}

// TestClusterConfigurationIsKeptWhole: all that a control plane is compared by goes through unchanged, in both versions of
// kubeadm's API.
func TestClusterConfigurationIsKeptWhole(t *testing.T) {
	clean, err := newSanitizer([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"{audit-log-path: /var/log/audit.log, token-auth-file: /t, enable-bootstrap-token-auth: \"true\", service-account-issuer: \"https://k.example.com\"}",
		"[{name: audit-log-path, value: /var/log/audit.log}, {name: token-auth-file, value: /t}, {name: feature-gates, value: A=true}]",
	} {
		text := "apiServer:\n  certSANs: [10.0.0.10, prod.example.com]\n  extraArgs: " + args + `
  extraVolumes: [{name: audit, hostPath: /etc/audit, mountPath: /etc/audit, readOnly: true, pathType: DirectoryOrCreate}]
  timeoutForControlPlane: 4m0s
certificatesDir: /etc/kubernetes/pki
controllerManager: {extraArgs: ` + args + `}
dns: {imageRepository: registry.example.com/coredns, imageTag: v1.12.0}
encryptionAlgorithm: RSA-2048
etcd: {local: {dataDir: /var/lib/etcd, imageTag: 3.5.21-0, serverCertSANs: [a], peerCertSANs: [b], extraArgs: ` + args + `}}
featureGates: {ControlPlaneKubeletLocalMode: true}
imageRepository: registry.k8s.io
networking: {dnsDomain: cluster.local, podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/12}
proxy: {disabled: false}
scheduler: {}
`
		if got, err := clean.yamlDocument(text); err != nil || got != text {
			t.Errorf("it became %s, %v", got, err)
		}
	}
}
