// Package homelab_test runs the example over the network, as its demo does, and holds the README to what it shows.
package homelab_test

import (
	"os"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/examples/exampletest"
)

var homelab = exampletest.Example{
	Now:   "2026-12-01T08:00:00Z",
	Sites: []exampletest.Site{{Fleet: "fleet.yaml", Address: "192.0.2.10:8006"}},
	Clusters: []exampletest.Cluster{
		{Context: "mgmt", Folder: "management", Address: "192.0.2.100:6443"},
		{Context: "apps", Address: "192.0.2.50:6443"},
		{Context: "home", Address: "192.0.2.201:6443"},
	},
}

const snapshot = "snapshot.json"

func TestOrphansOverTheNetwork(t *testing.T) {
	got := homelab.Start(t).Run(t, "orphans")
	exampletest.Golden(t, "orphans.txt", got.Stdout)
	if got.Code() != 1 {
		t.Errorf("exit %d: want findings, and a complete run", got.Code())
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), got.Stdout) {
		t.Error("README.md does not show what the demo prints: copy examples/homelab/orphans.txt into its output block")
	}
}

// TestSnapshotSaysTheSame: the recorded Snapshot gives, without any server, the findings that the servers gave. What was
// asked for them differs: a scan asks for what every command needs.
func TestSnapshotSaysTheSame(t *testing.T) {
	exampletest.Golden(t, snapshot, homelab.Start(t).Record(t))
	want, err := os.ReadFile("orphans.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := findings(t, exampletest.FromFile(t, snapshot, "orphans").Stdout)
	if want := findings(t, string(want)); got != want {
		t.Errorf("from the Snapshot:\n%s\nover the network:\n%s", got, want)
	}
}

// TestAdopt: home is what a first adoption looks like, with one control plane and two workers. What is no VM stays outside.
func TestAdopt(t *testing.T) {
	exampletest.GoldenPlan(t, homelab.Start(t), "home")
	got := exampletest.FromFile(t, snapshot, "adopt", "--cluster", "home")
	exampletest.SameAs(t, "manifests.yaml", got.Stdout)
}

// findings is a report without the coverage and the requests at its end.
func findings(t *testing.T, report string) string {
	t.Helper()
	out, _, ok := strings.Cut(report, "\ncomplete: ")
	if !ok {
		t.Fatalf("the report does not end with its coverage:\n%s", report)
	}
	out, _, _ = strings.Cut(out, "\n\nnot needed for a verdict: ")
	out = strings.TrimRight(out, "\n")
	return out
}
