package prod_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/examples/exampletest"
	"github.com/proxaudit/proxaudit/internal/kubesim"
)

// adopted is prod half an hour after its bundle was applied: the Nodes have their providerIDs, the Secrets are there, and
// everything is paused. adopted.json is its Snapshot, with what is kept of the Secrets.
func adopted(t *testing.T) exampletest.Example {
	t.Helper()
	out := prod
	out.Clusters = []exampletest.Cluster{
		{Context: "mgmt", Address: prod.Clusters[0].Address, Serve: managementAfter},
		{Context: "prod", Address: prod.Clusters[1].Address, Serve: nodesAfter(t)},
	}
	return out
}

const applied = "2026-12-01T07:30:00Z"

func load(t *testing.T, folder string) *kubesim.Cluster {
	t.Helper()
	cluster, err := kubesim.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func managementAfter(t *testing.T, w *exampletest.World) *kubesim.Cluster {
	t.Helper()
	cluster := load(t, "management")
	exampletest.Apply(t, cluster, read(t, "manifests.yaml"), applied)
	const owned, mine = "cluster.x-k8s.io/secret", "Opaque"
	pair := func(a *exampletest.Authority) map[string][]byte {
		return map[string][]byte{"tls.crt": a.Cert, "tls.key": a.Key}
	}
	add := func(name, kind string, data map[string][]byte) {
		values := map[string]any{}
		for k, v := range data {
			values[k] = base64.StdEncoding.EncodeToString(v)
		}
		exampletest.Add(t, cluster, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "type": kind, "data": values, "metadata": map[string]any{
				"name": name, "namespace": "prod", "creationTimestamp": applied, "labels": map[string]any{"cluster.x-k8s.io/cluster-name": "prod"}}}})
	}
	add("prod-ca", owned, pair(w.Authority(t, "prod")))
	add("prod-etcd", owned, pair(w.Authority(t, "etcd")))
	add("prod-proxy", owned, pair(w.Authority(t, "front-proxy")))
	// A pair of keys without a certificate.
	sa := w.Authority(t, "sa")
	add("prod-sa", owned, map[string][]byte{"tls.crt": sa.Public(t), "tls.key": sa.Key})
	add("prod-kubeconfig", mine, map[string][]byte{"value": w.Kubeconfig(t, "prod", "https://10.20.0.10:6443")})
	add("prod-pve", mine, map[string][]byte{"url": []byte("https://192.0.2.10:8006/api2/json"), "token": []byte("capmox@pve!capi"), "secret": []byte("not-a-secret")})
	return cluster
}

// nodesAfter serves prod with the providerIDs that --nodes-out writes.
func nodesAfter(t *testing.T) func(*testing.T, *exampletest.World) *kubesim.Cluster {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if r := exampletest.FromFile(t, snapshot, "adopt", "--cluster", "prod", "--nodes-out", file, "-o", "name"); r.Code() != 0 {
		t.Fatalf("adopt ended with %d: %s", r.Code(), r.Stderr)
	}
	written := map[string]string{}
	for _, n := range exampletest.Objects(t, read(t, file)) {
		written[n.GetName()], _, _ = unstructured.NestedString(n.Object, "spec", "providerID")
	}
	return func(t *testing.T, _ *exampletest.World) *kubesim.Cluster {
		t.Helper()
		cluster, err := kubesim.NewCluster(kubesim.Config{Version: "v1.34.2"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"nodes.yaml", "kubeadm.yaml", "pods.yaml"} {
			for _, o := range exampletest.Objects(t, read(t, filepath.Join("prod", name))) {
				if id := written[o.GetName()]; o.GetKind() == "Node" && id != "" {
					if err := unstructured.SetNestedField(o.Object, id, "spec", "providerID"); err != nil {
						t.Fatal(err)
					}
				}
				exampletest.Add(t, cluster, o)
			}
		}
		return cluster
	}
}

// Without leave to read Secrets there is no verdict, however well everything looks.
func TestVerifyWithoutSecrets(t *testing.T) {
	got := adopted(t).Start(t).Run(t, "verify", "--cluster", "prod")
	exampletest.Golden(t, "verify-without-secrets.txt", got.Stdout)
	if got.Code() != 3 {
		t.Errorf("exit %d (%v): want 3", got.Code(), got.Verdict)
	}
}

// With it, what adopt rendered is safe, from the servers and from their recorded Snapshot.
func TestVerify(t *testing.T) {
	const file = "adopted.json"
	w := adopted(t).Start(t)
	got := w.Run(t, "verify", "--cluster", "prod", "--read-secrets")
	exampletest.Golden(t, "verify.txt", got.Stdout)
	if got.Code() != 0 {
		t.Errorf("exit %d (%v): want 0", got.Code(), got.Verdict)
	}
	exampletest.Golden(t, file, w.Record(t, "--read-secrets"))
	for _, secret := range []string{"not-a-secret", "PRIVATE KEY", "CERTIFICATE", base64.StdEncoding.EncodeToString([]byte("not-a-secret"))} {
		if strings.Contains(string(read(t, file)), secret) {
			t.Errorf("%s has %q", file, secret)
		}
	}
	if again := exampletest.FromFile(t, file, "verify", "--cluster", "prod"); again.Code() != 0 {
		t.Errorf("from %s: exit %d (%v)", file, again.Code(), again.Verdict)
	} else {
		exampletest.SameAs(t, "verify.txt", again.Stdout)
	}
}
