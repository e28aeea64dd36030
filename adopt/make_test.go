package adopt_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// options are those under which a script-built cluster can be adopted.
func options() adopt.Options {
	return adopt.Options{Cluster: "prod", Future: adopt.Future{Addresses: []string{"10.0.0.200-10.0.0.220"}}}
}

func plan(t testing.TB, s *inventory.Snapshot, opt adopt.Options) *adopt.Plan {
	t.Helper()
	p, err := adopt.Make(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ready is the bundle of a plan that has to have one.
func ready(t testing.TB, p *adopt.Plan) *adopt.Bundle {
	t.Helper()
	if !p.Ready() {
		t.Fatalf("there is no bundle: missing %v, blockers %+v", p.Missing, p.Blockers)
	}
	return p.Bundle()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs (-update rewrites it); got:\n%s", path, got)
	}
}

// The manifests of a cluster of every kind of machine, byte for byte.
func TestManifests(t *testing.T) {
	b := ready(t, plan(t, inventorytest.ScriptBuilt("prod", 3, 3), options()))
	golden(t, "prod.yaml", b.Manifests())
	golden(t, "prod-nodes.yaml", b.NodePatches)
}

// CAPMOX puts the API's path behind the address itself.
func TestCredentialsURL(t *testing.T) {
	for _, url := range []string{"https://pve1.example:8006", "https://pve1.example:8006/api2/json", "https://pve1.example:8006/api2/json/"} {
		s := inventorytest.ScriptBuilt("prod", 1, 0)
		s.Sites[0].URL = url
		all := strings.Join(plan(t, s, options()).Steps[1].Before, "\n")
		if !strings.Contains(all, `printf 'url=%s\ntoken=\nsecret=\n' https://pve1.example:8006 > prod-pve.env)`) {
			t.Errorf("%s:\n%s", url, all)
		}
	}
}
