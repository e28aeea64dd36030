// Package prod_test adopts the example, over the network and from its recorded Snapshot, and verifies it.
package prod_test

import (
	"testing"

	"github.com/proxaudit/proxaudit/examples/exampletest"
)

var prod = exampletest.Example{
	Now:   "2026-12-01T08:00:00Z",
	Sites: []exampletest.Site{{Fleet: "fleet.yaml", Address: "10.20.0.11:8006"}},
	Clusters: []exampletest.Cluster{
		{Context: "mgmt", Folder: "management", Address: "10.20.0.60:6443"},
		{Context: "prod", Address: "10.20.0.10:6443"},
	},
}

const snapshot = "snapshot.json"

func TestAdopt(t *testing.T) {
	exampletest.GoldenPlan(t, prod.Start(t), "prod")
}

// TestSnapshotSaysTheSame: from the recorded Snapshot, without any server, come the same bytes.
func TestSnapshotSaysTheSame(t *testing.T) {
	exampletest.Golden(t, snapshot, prod.Start(t).Record(t))
	got := exampletest.FromFile(t, snapshot, "adopt", "--cluster", "prod")
	exampletest.SameAs(t, "manifests.yaml", got.Stdout)
}
