package kube

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sim starts a simulated API server over the manifests of folders below testdata and over YAML documents.
func sim(t *testing.T, config kubesim.Config, o kubesim.Options, sources ...string) *kubesim.Server {
	t.Helper()
	cl, err := kubesim.NewCluster(config)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sources {
		if strings.Contains(s, "\n") {
			err = cl.Add(fmt.Sprintf("document %d", i), []byte(s))
		} else {
			err = cl.AddDir(filepath.Join("testdata", s))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	srv, err := kubesim.Start(cl, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range srv.Requests() {
			if r.Method != http.MethodGet {
				t.Errorf("the collector sent %s", r)
			}
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// client connects to a simulated server through a kubeconfig file, as a user would.
func client(t *testing.T, srv *kubesim.Server, tune ...func(*Target)) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := srv.WriteKubeconfig(path, "sim"); err != nil {
		t.Fatal(err)
	}
	target := Target{Key: "sim", Kubeconfig: path, HashKey: []byte("a fixed key for tests")}
	for _, f := range tune {
		f(&target)
	}
	c, err := Connect(target)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// coverage returns an entry that has to be there.
func coverage(t *testing.T, s *inventory.Snapshot, source, scope string) inventory.Coverage {
	t.Helper()
	c := s.CoverageOf(source, scope)
	if c == nil {
		t.Fatalf("no coverage of %s %s in %v", source, scope, s.Coverage)
	}
	return *c
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return temporary.ReplaceAllString(string(b), `"kubeconfig": "kubeconfig"`) + "\n"
}

// temporary is the test's own kubeconfig, which has another name each time.
var temporary = regexp.MustCompile(`"kubeconfig": "[^"]*"`)

// golden compares with a file of testdata; -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// paths counts the requests by path.
func paths(srv *kubesim.Server) map[string]int {
	out := map[string]int{}
	for _, r := range srv.Requests() {
		out[r.Path]++
	}
	return out
}
