package kube

import (
	"net/http"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func TestWorkload(t *testing.T) {
	srv := sim(t, kubesim.Config{Version: "v1.33.4"}, kubesim.Options{TLS: true, Token: "canary"}, "workload")
	s := client(t, srv).CollectWorkload(t.Context(), "prod")
	if len(s.Clusters) != 1 || s.Clusters[0].Server != srv.URL() {
		t.Fatalf("clusters = %+v", s.Clusters)
	}
	s.Clusters[0].Server = "https://127.0.0.1:PORT"
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
			s := client(t, srv).CollectWorkload(t.Context(), "prod")
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
	s := client(t, srv).CollectWorkload(t.Context(), "edge")
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
