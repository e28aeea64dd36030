package collect

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// systemPods is what kube-system has: a static Pod, with a secret in every place that may hold one, another Pod, and the
// kubelets' configuration.
func systemPods() string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata: {name: etcd-prod-cp, namespace: kube-system, labels: {component: etcd}, annotations: {kubernetes.io/config.mirror: x}}
spec:
  nodeName: prod-cp
  containers:
  - name: etcd
    image: registry.k8s.io/etcd:3.5.21-0
    command: [etcd, --name=prod-cp, --token=%[1]s, --password, %[1]s, "https://root:%[1]s@10.0.0.1:2379"]
    env: [{name: PASSWORD, value: %[1]s}]
---
apiVersion: v1
kind: Pod
metadata: {name: coredns, namespace: kube-system}
spec: {nodeName: prod-w1, containers: [{name: coredns, image: coredns}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kubelet-config, namespace: kube-system}
data: {kubelet: "kind: KubeletConfiguration\nstaticPodURLHeader: {Authorization: [%[1]s]}\n"}
`, canary)
}

// pkiSecrets are two of prod's, and one that nobody asked for.
func pkiSecrets() string {
	var b strings.Builder
	for _, name := range []string{"prod-ca", "prod-sa", "foreign"} {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: team}\ntype: cluster.x-k8s.io/secret\ndata: {tls.crt: %[2]s, tls.key: %[2]s, sa.pub: %[2]s, sa.key: %[2]s}\n",
			name, base64.StdEncoding.EncodeToString([]byte(canary)))
	}
	return b.String()
}

const testCRD = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: proxmoxtests.infrastructure.cluster.x-k8s.io, labels: {cluster.x-k8s.io/v1beta2: v1alpha1_v1alpha2}}
spec:
  group: infrastructure.cluster.x-k8s.io
  scope: Namespaced
  names: {kind: ProxmoxTest, plural: proxmoxtests}
  versions: [{name: v1alpha2, served: true, storage: true}]
`

func adoptionLab(t *testing.T) *lab {
	l := newLab(t, func(s *settings) {
		s.management += pkiSecrets() + testCRD
		s.prod = systemPods()
	})
	l.plan.Adoption = true
	return l
}

func TestAdoptionRun(t *testing.T) {
	l := adoptionLab(t)
	s := l.run(t)
	prod := findCluster(t, s, "prod")
	if prod.Declared == nil || len(prod.StaticPods) != 1 || prod.StaticPods[0].Name != "etcd-prod-cp" || prod.StaticPods[0].Component != "etcd" ||
		!strings.HasPrefix(prod.KubeletConfiguration, "kind: KubeletConfiguration\n") || len(prod.ServingCAs) != 1 {
		t.Errorf("%+v", prod)
	}
	dev := findCluster(t, s, "dev")
	if len(dev.ServingCAs) != 1 || dev.ServingCAs[0] == prod.ServingCAs[0] || dev.StaticPods != nil {
		t.Errorf("%+v", dev)
	}
	for scope, want := range map[string]inventory.State{inventory.ScopeKubelet: inventory.Complete, inventory.ScopeStaticPods: inventory.Complete, inventory.ScopeServingCA: inventory.Complete} {
		for _, key := range []string{"prod", "dev", "mgmt"} {
			want := want
			if scope == inventory.ScopeKubelet && key != "prod" {
				want = inventory.Absent
			}
			if cov := coverage(t, s, inventory.ClusterSource(key), scope); cov.State != want || !cov.Optional {
				t.Errorf("%+v", cov)
			}
		}
	}
	if got := s.Management.CRDs; len(got) != 1 || got[0].Name != "proxmoxtests.infrastructure.cluster.x-k8s.io" || got[0].Contracts["v1beta2"] != "v1alpha1_v1alpha2" {
		t.Errorf("%+v", got)
	}
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets); cov.State != inventory.NotAsked || len(s.StoredSecrets) != 0 {
		t.Errorf("%+v", cov)
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("%+v", s.Incomplete())
	}
	for _, r := range l.mgmt.Requests() {
		if strings.Contains(r.Path, "/secrets") {
			t.Errorf("without leave: %s", r)
		}
	}
}

// Two requests more per workload cluster, one more of the management cluster, and one for each Secret. A run for anything
// else sends none of them.
func TestAdoptionBudget(t *testing.T) {
	sent := func(adoption, secrets bool) map[string]int {
		l := adoptionLab(t)
		l.plan.Adoption, l.plan.ReadSecrets = adoption, secrets
		s := l.run(t)
		out := map[string]int{}
		for source, server := range map[string]*kubesim.Server{"cluster/prod": l.prod, "cluster/dev": l.dev} {
			out[source] = len(server.Requests())
			if got := requestsOf(s, source); got.Count != out[source] || got.Retries != 0 {
				t.Errorf("%s: counted %+v, sent %d", source, got, out[source])
			}
		}
		self := requestsOf(s, "cluster/mgmt").Count
		out["management"], out["self"] = requestsOf(s, "management").Count, self
		if got := len(l.mgmt.Requests()); got != out["management"]+self {
			t.Errorf("management: counted %d and %d, sent %d", out["management"], self, got)
		}
		return out
	}
	before := sent(false, false)
	if before["cluster/prod"] != 3 || before["cluster/dev"] != 3 {
		t.Errorf("%v", before)
	}
	if got := sent(false, true); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("leave alone makes a difference: %v and %v", got, before)
	}
	want := map[string]int{"cluster/prod": 5, "cluster/dev": 5, "self": before["self"] + 2, "management": before["management"] + 1}
	if got := sent(true, false); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	// ca, etcd, proxy, sa and kubeconfig of the one declared Cluster, whose Machines name no bootstrap data.
	want["management"] += 5
	if got := sent(true, true); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

func TestAdoptionWithSecrets(t *testing.T) {
	l := adoptionLab(t)
	l.plan.ReadSecrets = true
	s := l.run(t)
	var got []string
	for _, x := range s.StoredSecrets {
		got = append(got, fmt.Sprintf("%s/%s %v %v", x.Namespace, x.Name, x.Absent, x.Keys))
	}
	all := " false [sa.key sa.pub tls.crt tls.key]"
	if !slices.Equal(got, []string{"team/prod-ca" + all, "team/prod-etcd true []", "team/prod-kubeconfig true []", "team/prod-proxy true []", "team/prod-sa" + all}) {
		t.Errorf("%q", got)
	}
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeSecrets); cov.State != inventory.Complete || cov.Asked != 5 || cov.Got != 5 {
		t.Errorf("%+v", cov)
	}
	for _, r := range l.mgmt.Requests() {
		if strings.HasSuffix(r.Path, "/secrets") || strings.HasSuffix(r.Path, "/foreign") {
			t.Errorf("asked for %s", r)
		}
	}
}

// A cluster whose access is its own Secret is read for adoption as well, over the CA that the Secret names.
func TestAdoptionThroughTheSecret(t *testing.T) {
	l := adoptionLab(t)
	kubeconfig, err := l.prod.Kubeconfig("prod-admin")
	if err != nil {
		t.Fatal(err)
	}
	l.mgmt = apiServer(t, kubesim.Config{}, declared(), kubeconfigSecret("prod", string(kubeconfig)), nodes(map[string]int{"mgmt-1": 104}))
	l.plan.Management, l.plan.Workloads, l.plan.ReadSecrets = l.target(t, l.mgmt, "mgmt3"), nil, true
	s := l.run(t)
	prod := findCluster(t, s, "prod")
	if prod.Access != "secret team/prod-kubeconfig" || len(prod.StaticPods) != 1 || len(prod.ServingCAs) != 1 {
		t.Fatalf("%+v", prod)
	}
	i := slices.IndexFunc(s.StoredSecrets, func(x inventory.StoredSecret) bool { return x.Name == "prod-kubeconfig" })
	if i < 0 || s.StoredSecrets[i].Server != l.prod.URL() || !slices.Equal(s.StoredSecrets[i].Certificates["value"], prod.ServingCAs) {
		t.Errorf("%+v, serving %q", s.StoredSecrets, prod.ServingCAs)
	}
}

// What adoption lacks makes no run incomplete: orphans does not need it, and adopt asks by itself.
func TestAdoptionRefused(t *testing.T) {
	l := adoptionLab(t)
	l.prod.SetFaults(kubesim.Fault{Resource: "pods", Status: http.StatusForbidden}, kubesim.Fault{Resource: "configmaps", Status: http.StatusForbidden})
	l.mgmt.SetFaults(kubesim.Fault{Resource: "customresourcedefinitions.apiextensions.k8s.io", Status: http.StatusForbidden}, kubesim.Fault{Resource: "secrets", Status: http.StatusForbidden})
	l.plan.ReadSecrets = true
	s := l.run(t)
	for source, scopes := range map[string][]string{"cluster/prod": {inventory.ScopeKubelet, inventory.ScopeStaticPods}, "management": {inventory.ScopeCRDs, inventory.ScopeSecrets}} {
		for _, scope := range scopes {
			if cov := coverage(t, s, source, scope); cov.State != inventory.Refused || !cov.Optional || !strings.Contains(cov.Remedy, "apiGroups") {
				t.Errorf("%+v", cov)
			}
		}
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("%+v", s.Incomplete())
	}
}
