package collect

import (
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// A cluster that was adopted under another name than the configuration's is one cluster: its Cluster object belongs to the
// Nodes that were read, though neither the key nor the address says so.
func TestDeclaredUnderAnotherName(t *testing.T) {
	plan := &Plan{Workloads: []Workload{{Key: "prod-eu", DeclaredNamespace: "team-a", DeclaredName: "production"}}}
	declared := func(namespace string) []inventory.Cluster {
		return []inventory.Cluster{{Key: "production", Declared: &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: namespace, Name: "production"},
			ControlPlaneEndpoint: "10.0.0.10:6443"}}}
	}
	for namespace, joined := range map[string]bool{"team-a": true, "team-b": false} {
		s := &inventory.Snapshot{Machines: []inventory.Machine{{Cluster: "production"}}}
		b := newClusters(s, plan)
		b.addRead(&inventory.Snapshot{Clusters: []inventory.Cluster{{Key: "prod-eu", Server: "https://lb.example:6443"}}})
		b.addDeclared(declared(namespace))
		if got := len(s.Clusters) == 1 && s.Clusters[0].Declared != nil && s.Machines[0].Cluster == "prod-eu"; got != joined {
			t.Errorf("namespace %s: %+v", namespace, s.Clusters)
		}
	}
}
