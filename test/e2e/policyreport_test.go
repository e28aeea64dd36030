package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/realkube"
	program "github.com/proxaudit/proxaudit/test/world"
)

// reportKinds are the formats that are Kubernetes objects, the definitions that a cluster with policy-reporter has of them, and
// their resources.
var reportKinds = []struct{ format, definition, resource string }{
	{"policyreport", "wgpolicyk8s.io_clusterpolicyreports.yaml", "clusterpolicyreports.wgpolicyk8s.io"},
	{"openreports", "openreports.io_clusterreports.yaml", "clusterreports.openreports.io"},
}

// TestPolicyReportsAreApplied: kubectl applies what a run has written, with strict validation, the server keeps all of it, and the
// next run takes its place. docs/formats.md has these commands.
func TestPolicyReportsAreApplied(t *testing.T) {
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := fleet(t).Server(lab).Kubeconfig(kubeconfig, "operator", "system:masters"); err != nil {
		t.Fatal(err)
	}
	kubectl, err := realkube.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) string {
		t.Helper()
		out, err := program.Tool(t, dir, kubectl, kubeconfig, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	binary, err := product()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range reportKinds {
		definition := filepath.Join("../../render/testdata/outside", kind.definition)
		do("create", "-f", definition)
		do("wait", "--for=condition=Established", "--timeout=60s", "crd/"+kind.resource)
		for _, example := range []string{"stuck", "homelab"} {
			// The program runs in a folder of its own.
			folder, err := filepath.Abs(filepath.Join("../../examples", example))
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, kind.format+".yaml")
			program.Run(t, binary, dir, filepath.Join(folder, "proxaudit.yaml"), nil, "report", "--exit-zero", "--from", filepath.Join(folder, "snapshot.json"), "-o", kind.format+"="+file).Want(t, 0)
			program.WaitFor(t, "kubectl apply", time.Minute, func() string {
				if _, err := program.Tool(t, dir, kubectl, kubeconfig, "apply", "--validate=strict", "-f", file); err != nil {
					return err.Error() // discovery lists a new kind a moment after it is established
				}
				return ""
			})
			wanted := do("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", file)
			served := do("get", kind.resource, "proxaudit", "-o", "json")
			if a, b := resultsOf(t, wanted), resultsOf(t, served); a != b {
				t.Errorf("-o %s of %s: the server has\n%s\nand the file\n%s", kind.format, example, b, a)
			}
		}
		// What an earlier run with more objects has left goes by the label of the run.
		left := filepath.Join(dir, "left.yaml")
		text, err := os.ReadFile(filepath.Join(dir, kind.format+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		_, label, _ := strings.Cut(string(text), "proxaudit/run: ")
		label, _, _ = strings.Cut(label, "\n")
		older := strings.NewReplacer("name: proxaudit\n", "name: proxaudit-7\n", label, "20200101T000000Z").Replace(string(text))
		if err := os.WriteFile(left, []byte(older), 0o600); err != nil {
			t.Fatal(err)
		}
		do("apply", "-f", left)
		do("delete", kind.resource, "-l", "app.kubernetes.io/managed-by=proxaudit,proxaudit/run!="+label)
		if got := strings.Fields(do("get", kind.resource, "-o", "name")); len(got) != 1 || !strings.HasSuffix(got[0], "/proxaudit") {
			t.Errorf("-o %s: %q are left, want proxaudit", kind.format, got)
		}
		do("delete", "-f", definition)
	}
}

// resultsOf is what an object says, without what the server adds.
func resultsOf(t *testing.T, text string) string {
	t.Helper()
	var object struct {
		Results []any          `json:"results"`
		Summary map[string]any `json:"summary"`
	}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	if len(object.Results) == 0 || len(object.Summary) == 0 {
		t.Fatalf("there are no results in %s", text)
	}
	out, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
