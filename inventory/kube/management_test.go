package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// normalised is the part of a fragment that must not depend on the API generation.
func normalised(s *inventory.Snapshot) map[string]any {
	clusters := slices.Clone(s.Clusters)
	for i := range clusters {
		d := *clusters[i].Declared
		d.APIVersion = ""
		if d.Infrastructure != nil {
			p := *d.Infrastructure
			p.APIVersion = ""
			d.Infrastructure = &p
		}
		clusters[i].Declared = &d
	}
	machines, pms, groups := slices.Clone(s.Machines), slices.Clone(s.ProxmoxMachines), slices.Clone(s.Groups)
	for i := range machines {
		machines[i].APIVersion = ""
	}
	for i := range pms {
		pms[i].APIVersion = ""
	}
	for i := range groups {
		groups[i].APIVersion = ""
	}
	return map[string]any{"clusters": clusters, "machines": machines, "proxmoxMachines": pms, "groups": groups, "providers": s.Providers}
}

func TestBothGenerationsBecomeTheSameStructs(t *testing.T) {
	for generation, versions := range map[string]string{"v1beta1": "v1beta1 v1alpha1", "v1beta2": "v1beta2 v1alpha2"} {
		t.Run(generation, func(t *testing.T) {
			srv := sim(t, kubesim.Config{Version: "v1.34.2"}, kubesim.Options{}, generation, "common")
			s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
			golden(t, "normalised.json", toJSON(t, normalised(s)))
			if missing := s.Incomplete(); len(missing) > 0 {
				t.Errorf("incomplete: %+v", missing)
			}
			got := s.Machines[0].APIVersion + " " + s.ProxmoxMachines[0].APIVersion
			want := strings.NewReplacer("v1b", "cluster.x-k8s.io/v1b", "v1a", "infrastructure.cluster.x-k8s.io/v1a").Replace(versions)
			if got != want {
				t.Errorf("versions %q, want %q", got, want)
			}
			if s.Management == nil || s.Management.Context != "sim" || s.Management.Version != "v1.34.2" {
				t.Errorf("management = %+v", s.Management)
			}
			// The provider Deployments are not among them.
			if len(s.Objects) != 11 {
				t.Errorf("%d objects", len(s.Objects))
			}
			for _, o := range s.Objects {
				meta, _ := o.Content["metadata"].(map[string]any)
				if meta["managedFields"] != nil || strings.Contains(toJSON(t, meta), "last-applied") {
					t.Errorf("%s %s still has bookkeeping: %v", o.Kind, o.Name, meta)
				}
			}
		})
	}
}

func TestNewestKnownVersionIsPreferred(t *testing.T) {
	// Served in both generations and in one that nobody knows yet; objects exist in the newest known one.
	srv := sim(t, kubesim.Config{Kinds: []kubesim.Kind{
		{Group: "cluster.x-k8s.io", Kind: "Machine", Versions: []string{"v1beta3", "v1beta1"}},
	}}, kubesim.Options{}, "v1beta2")
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
	if got := paths(srv); got["/apis/cluster.x-k8s.io/v1beta2/machines"] != 1 || len(s.Machines) != 2 {
		t.Errorf("machines = %d, requests %v", len(s.Machines), got)
	}
	if got := s.Management.Served["cluster.x-k8s.io"]; !slices.Equal(got, []string{"v1beta3", "v1beta2", "v1beta1"}) {
		t.Errorf("served = %v", got)
	}
}

func TestUnknownVersionIsCoverageAndNoCrash(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, `
apiVersion: cluster.x-k8s.io/v1beta3
kind: Machine
metadata: {name: m, namespace: n}
`)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
	c := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines)
	if c.State != inventory.Failed || c.Optional || !strings.Contains(c.Reason, "v1beta3 only") || c.Remedy == "" {
		t.Errorf("coverage = %+v", c)
	}
	// The kinds that are not installed are known to be empty.
	if !s.Known(inventory.ManagementSource, inventory.ScopeProxmoxMachines) {
		t.Error("a kind that is not installed is not known to be empty")
	}
}

func TestNothingInstalledIsAbsent(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "workload")
	c := client(t, srv)
	s := c.CollectManagement(t.Context(), ManagementOptions{})
	for _, k := range kinds {
		if c := coverage(t, s, inventory.ManagementSource, k.scope()); c.State != inventory.Absent || c.Missing() {
			t.Errorf("%+v", c)
		}
	}
	if missing := s.Incomplete(); len(missing) != 0 {
		t.Errorf("incomplete: %+v", missing)
	}
	serves, err := c.ServesClusterAPI(t.Context())
	if err != nil || serves {
		t.Errorf("serves = %v, %v", serves, err)
	}
}

// manyMachines makes n Machines in two namespaces.
func manyMachines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: m-%05d, namespace: ns-%d}\nspec: {clusterName: big}\n", i, i%2)
	}
	return b.String()
}

func TestRequestsAreDiscoveryPlusPages(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common", "workload", manyMachines(1100))
	c := client(t, srv)
	s := c.CollectManagement(t.Context(), ManagementOptions{})
	if len(s.Machines) != 1102 {
		t.Fatalf("%d machines", len(s.Machines))
	}
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines); cov.State != inventory.Complete || cov.Asked != 1102 || cov.Got != 1102 {
		t.Errorf("coverage = %+v", cov)
	}
	want := map[string]int{
		"/version": 1, "/apis": 1,
		"/apis/apps/v1/deployments":                                        1,
		"/apis/bootstrap.cluster.x-k8s.io/v1beta2/kubeadmconfigs":          1,
		"/apis/cluster.x-k8s.io/v1beta2/clusters":                          1,
		"/apis/cluster.x-k8s.io/v1beta2/machinedeployments":                1,
		"/apis/cluster.x-k8s.io/v1beta2/machines":                          3,
		"/apis/cluster.x-k8s.io/v1beta2/machinesets":                       1,
		"/apis/controlplane.cluster.x-k8s.io/v1alpha3/taloscontrolplanes":  1,
		"/apis/controlplane.cluster.x-k8s.io/v1beta2/kubeadmcontrolplanes": 1,
		"/apis/infrastructure.cluster.x-k8s.io/v1alpha2/proxmoxclusters":   1,
		"/apis/infrastructure.cluster.x-k8s.io/v1alpha2/proxmoxmachines":   1,
	}
	if got := paths(srv); !maps.Equal(got, want) {
		t.Errorf("requests = %v\nwant %v", got, want)
	}
	if got, want := s.Requests, (inventory.Requests{Source: "management", Count: 14}); len(got) != 1 || got[0] != want {
		t.Errorf("requests = %+v, want %+v", got, want)
	}

	// The same Client as a workload cluster: the version is known already.
	srv.Forget()
	w := c.CollectWorkload(t.Context(), "mgmt", WorkloadOptions{})
	if got := paths(srv); got["/version"] != 0 || got["/apis"] != 0 || len(got) != 2 {
		t.Errorf("discovery was paid twice: %v", got)
	}
	if len(w.Nodes) != 2 || w.Clusters[0].Version == "" || w.Requests[0] != (inventory.Requests{Source: "cluster/mgmt", Count: 2}) {
		t.Errorf("workload = %+v", w)
	}
}

func TestNamespacesAreListedOneByOne(t *testing.T) {
	srv := sim(t, kubesim.Config{Kinds: []kubesim.Kind{{Group: groupIPAM, Kind: "GlobalInClusterIPPool", Versions: []string{"v1alpha2"}, ClusterScoped: true}}},
		kubesim.Options{}, "v1beta2", "common", manyMachines(4))
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Namespaces: []string{"team-a", "ns-0", "team-a"}})
	if len(s.Machines) != 4 || !slices.Equal(s.Management.Namespaces, []string{"ns-0", "team-a"}) {
		t.Errorf("%d machines of %v", len(s.Machines), s.Management.Namespaces)
	}
	got := paths(srv)
	for path, n := range map[string]int{
		"/apis/cluster.x-k8s.io/v1beta2/namespaces/team-a/machines":   1,
		"/apis/cluster.x-k8s.io/v1beta2/namespaces/ns-0/machines":     1,
		"/apis/cluster.x-k8s.io/v1beta2/machines":                     0,
		"/apis/ipam.cluster.x-k8s.io/v1alpha2/globalinclusterippools": 1,
		"/apis/apps/v1/deployments":                                   1,
	} {
		if got[path] != n {
			t.Errorf("%s: %d requests, want %d", path, got[path], n)
		}
	}
}

func TestCollectionDoesNotDependOnOrder(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common")
	want := toJSON(t, client(t, srv).CollectManagement(t.Context(), ManagementOptions{}))
	for _, slow := range []string{"clusters.cluster.x-k8s.io", "machines.cluster.x-k8s.io"} {
		srv.SetFaults(kubesim.Fault{Resource: slow, Latency: delay})
		if got := toJSON(t, client(t, srv).CollectManagement(t.Context(), ManagementOptions{})); got != want {
			t.Errorf("with %s last:\n%s\nwant\n%s", slow, got, want)
		}
	}
}

func TestClusterKeys(t *testing.T) {
	declared := []clusterName{{"a", "prod"}, {"b", "prod"}, {"a", "lab"}}
	referred := []clusterName{{"a", "prod"}, {"c", "lab"}, {"c", "gone"}, {"d", "left"}, {"e", "left"}, {"d", ""}, {"c", "lab"}}
	keys := newClusterKeys(declared, referred)
	for _, c := range []struct{ namespace, name, want string }{
		{"a", "prod", "a/prod"}, {"b", "prod", "b/prod"}, // the same name twice
		{"a", "lab", "lab"},   // declared once: a stray of the same name does not take its key away
		{"c", "lab", "c/lab"}, // and is not taken for it
		{"c", "gone", "gone"}, // nobody else has the name
		{"d", "left", "d/left"}, {"e", "left", "e/left"},
		{"d", "", ""},
	} {
		if got := keys.of(c.namespace, c.name); got != c.want {
			t.Errorf("%s/%s: %q, want %q", c.namespace, c.name, got, c.want)
		}
	}
}
