package e2e

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/test/realkube"
)

// TestSimulatedAPI keeps kubesim honest: the same manifests through real API servers and through the simulated ones
// give the same Snapshot, the request counts included.
func TestSimulatedAPI(t *testing.T) {
	w := newWorld(t)
	o := run(t, w, "scan", "--now", now)
	o.want(t, 0)
	real := snapshot(t, o)

	for _, name := range []string{management, prod, lab} {
		simulate(t, w, name)
	}
	o = run(t, w, "scan", "--now", now)
	o.want(t, 0)
	simulated := snapshot(t, o)
	if diff := cmp.Diff(real, simulated); diff != "" {
		t.Errorf("the Snapshots differ (-real +simulated):\n%s", diff)
	}
}

// simulate puts a simulated API in the place of one server of a world.
func simulate(t *testing.T, w *world, name string) {
	t.Helper()
	cluster, err := kubesim.Load(fleetDir + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	cluster.Config.Version = realkube.APIServerVersion
	if name == management {
		crds, err := w.bench.CRDs()
		if err != nil {
			t.Fatal(err)
		}
		for _, crd := range crds {
			data, err := json.Marshal(crd.Object)
			if err != nil {
				t.Fatal(err)
			}
			if err := cluster.Add(crd.GetName(), data); err != nil {
				t.Fatal(err)
			}
		}
	}
	server, err := kubesim.Start(cluster, kubesim.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("kubesim %s: %v", name, err)
		}
	})
	if err := server.WriteKubeconfig(w.kubeconfig(name), name); err != nil {
		t.Fatal(err)
	}
}

// keyed finds the hashes that stand in for secret fields: their key is random in every Snapshot.
var keyed = regexp.MustCompile(`sha256[:-][0-9a-f]+`)

// authority finds the fingerprint of the authority that signed a server's certificate: each server here has its own.
var authority = regexp.MustCompile(`"[0-9a-f]{64}"`)

// snapshot decodes a Snapshot without what differs between two servers that serve the same: ports, the keyed hashes, the
// authorities and the resource versions.
func snapshot(t *testing.T, o outcome) map[string]any {
	t.Helper()
	text := port.ReplaceAll(o.stdout, []byte("127.0.0.1:PORT"))
	text = keyed.ReplaceAll(text, []byte("sha256:HASH"))
	text = authority.ReplaceAll(text, []byte(`"FINGERPRINT"`))
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("proxaudit %s: %v\n%.500s", o.args, err, o.stdout)
	}
	for _, list := range []string{"vms", "machines", "proxmoxMachines", "nodes", "clusters", "objects", "requests"} {
		if entries, ok := s[list].([]any); !ok || len(entries) == 0 {
			t.Fatalf("proxaudit %s: the Snapshot has no %s", o.args, list)
		}
	}
	for _, entry := range s["objects"].([]any) {
		content := entry.(map[string]any)["content"].(map[string]any)
		delete(content["metadata"].(map[string]any), "resourceVersion")
	}
	return s
}
