package collect

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// order lists the sources of checks as they come.
func order(checks []inventory.Check) []string {
	var out []string
	for _, c := range checks {
		if len(out) == 0 || out[len(out)-1] != c.Source {
			out = append(out, c.Source)
		}
	}
	return out
}

func trouble(checks []inventory.Check) []inventory.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c inventory.Check) bool { return c.Status == inventory.CheckOK })
}

func TestDoctor(t *testing.T) {
	l := newLab(t)
	checks, requests := Doctor(t.Context(), l.plan)
	if got := order(checks); !slices.Equal(got, []string{"site/home", "site/edge", "management", "cluster/mgmt", "cluster/prod", "cluster/dev"}) {
		t.Errorf("sources %q", got)
	}
	if bad := trouble(checks); len(bad) != 0 {
		t.Errorf("%+v", bad)
	}
	for _, r := range slices.Concat(l.mgmt.Requests(), l.prod.Requests()) {
		if n := r.Query.Get("limit"); n != "" && n != "1" && !strings.HasSuffix(r.Path, "/clusters") && !strings.HasSuffix(r.Path, "/deployments") {
			t.Errorf("doctor lists more than it needs: %s", r)
		}
	}
	// What it says that it cost is what the servers saw.
	said, saw := 0, len(l.home.Requests())+len(l.edge.Requests())+len(l.mgmt.Requests())+len(l.prod.Requests())+len(l.dev.Requests())
	for _, r := range requests {
		said += r.Count + r.Retries
	}
	if said != saw || saw == 0 {
		t.Errorf("%d requests in %+v, and the servers saw %d", said, requests, saw)
	}
}

func TestDoctorFindsTheTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		spoil        func(*testing.T, *lab)
		source, name string
		status       inventory.CheckStatus
		words        string
	}{
		"a site's configuration": {func(_ *testing.T, l *lab) { l.plan.Sites[0].TokenID = "root" }, "site/home", "configuration", inventory.CheckFailed, "token"},
		"a site without a name": {func(_ *testing.T, l *lab) { l.plan.Sites[0].TokenID, l.plan.Sites[0].Site = "root", "" },
			"site/https://127.0.0.1", "configuration", inventory.CheckFailed, "token"},
		"a token without ACL": {func(_ *testing.T, l *lab) { l.plan.Sites[0].TokenID = blind }, "site/home", "guest list", inventory.CheckFailed, "empty"},
		"the agent's privilege": {func(_ *testing.T, l *lab) {
			l.plan.GuestAgent = true
			l.plan.Sites[0].TokenID = blind
		}, "site/home", "permission VM.GuestAgent.Audit", inventory.CheckWarning, ""},
		"an unreachable management cluster": {func(t *testing.T, l *lab) { l.plan.Management = l.dead(t, "mgmt") },
			"management", "reachable", inventory.CheckFailed, "refused"},
		"a management kubeconfig that does not exist": {func(_ *testing.T, l *lab) { l.plan.Management.Kubeconfig += "-none" },
			"management", "kubeconfig", inventory.CheckFailed, "-none"},
		"a KUBECONFIG of nothing": {func(t *testing.T, l *lab) {
			t.Setenv("KUBECONFIG", l.dir+"/none")
			l.plan.Management, l.plan.ManagementIfServed = &kube.Target{}, true
		}, "management", "kubeconfig", inventory.CheckFailed, "KUBECONFIG is set"},
		"no management cluster": {func(t *testing.T, l *lab) { l.plan.Management = l.target(t, l.dev, "laptop") },
			"management", "api group cluster.x-k8s.io", inventory.CheckFailed, "no management cluster"},
		"a workload API down": {func(t *testing.T, l *lab) { l.plan.Workloads[0].Target = l.dead(t, "prod") },
			"cluster/prod", "reachable", inventory.CheckFailed, "refused"},
		"a workload kubeconfig that does not exist": {func(_ *testing.T, l *lab) { l.plan.Workloads[0].Target.Kubeconfig += "-none" },
			"cluster/prod", "kubeconfig", inventory.CheckFailed, "-none"},
		"a cluster without access": {func(_ *testing.T, l *lab) { l.plan.Workloads[0].Target = nil },
			"cluster/prod", "access", inventory.CheckWarning, "no way"},
		"a cluster behind its Secret": {func(_ *testing.T, l *lab) {
			l.plan.Workloads[0].Target, l.plan.Workloads[0].ReadSecret = nil, true
		}, "cluster/prod", "access", inventory.CheckSkipped, "Secret"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c.spoil(t, l)
			checks, _ := Doctor(t.Context(), l.plan)
			bad := trouble(checks)
			i := slices.IndexFunc(bad, func(x inventory.Check) bool {
				return strings.HasPrefix(x.Source, c.source) && strings.HasPrefix(x.Name, c.name) && x.Status == c.status
			})
			if i < 0 || !strings.Contains(bad[i].Detail, c.words) {
				t.Fatalf("%+v", bad)
			}
			if bad[i].Status == inventory.CheckFailed && bad[i].Remedy == "" && bad[i].Name != "configuration" {
				t.Errorf("nothing to do about it: %+v", bad[i])
			}
			for _, x := range bad {
				same := strings.HasPrefix(x.Source, c.source) || c.source == inventory.ManagementSource && x.Source == inventory.ClusterSource("mgmt")
				if !same {
					t.Errorf("another source suffers: %+v", x)
				}
			}
		})
	}
}

func TestDoctorWithoutClusterAPI(t *testing.T) {
	l := newLab(t)
	l.plan.ManagementIfServed = true
	l.plan.Management = l.target(t, l.dev, "laptop")
	// The configuration says how the current context's VMs are recognised, and needs to give no access to it.
	l.plan.Workloads = []Workload{{Key: "laptop", Selector: inventory.Selector{Tags: []string{"x"}}}}
	checks, requests := Doctor(t.Context(), l.plan)
	if got := order(checks); !slices.Equal(got, []string{"site/home", "site/edge", "cluster/laptop"}) {
		t.Errorf("sources %q", got)
	}
	if q := requests[len(requests)-1]; q.Source != "cluster/laptop" || q.Count != len(l.dev.Requests()) {
		t.Errorf("it cost %+v, and the server saw %d", q, len(l.dev.Requests()))
	}
	if bad := trouble(checks); len(bad) != 0 {
		t.Errorf("%+v", bad)
	}
	// With it, what a run would read of it is checked.
	l.plan.Management = l.target(t, l.mgmt, "mgmt")
	checks, _ = Doctor(t.Context(), l.plan)
	if got := order(checks); !slices.Contains(got, "management") || !slices.Contains(got, "cluster/laptop") {
		t.Errorf("sources %q", got)
	}
}

// The clusters that are declared are compared with those that the plan has a way to.
func TestDoctorDeclaredClusters(t *testing.T) {
	const check, configured = "access to declared clusters", "clusters that are not declared"
	for name, c := range map[string]struct {
		spoil        func(*testing.T, *lab)
		source, name string
		status       inventory.CheckStatus
		words        []string
	}{
		"all": {func(*testing.T, *lab) {}, "management", check, inventory.CheckOK, []string{"declared"}},
		"one without access": {func(_ *testing.T, l *lab) { l.plan.Workloads = l.plan.Workloads[1:] }, "management", check, inventory.CheckWarning,
			[]string{"no access to 1 of", ": prod"}},
		"one without access, and another under a wrong name": {func(_ *testing.T, l *lab) { l.plan.Workloads[0].Key = "prd" },
			"management", configured, inventory.CheckWarning, []string{"does not know prd, dev", "declares prod without access"}},
		"one that scripts made": {func(*testing.T, *lab) {}, "management", configured, inventory.CheckOK, []string{": dev"}},
		"with its Secret": {func(_ *testing.T, l *lab) { l.plan.Workloads[0].Target, l.plan.Workloads[0].ReadSecret = nil, true },
			"management", check, inventory.CheckOK, nil},
		"with all Secrets": {func(_ *testing.T, l *lab) { l.plan.Workloads[0].Target, l.plan.ReadSecrets = nil, true },
			"management", check, inventory.CheckOK, nil},
		"a Secret of nobody": {func(_ *testing.T, l *lab) {
			l.plan.Workloads = append(l.plan.Workloads, Workload{Key: "prdo", ReadSecret: true})
		}, "cluster/prdo", "declared", inventory.CheckWarning, []string{"declares no Cluster of this name"}},
		"the list is refused": {func(_ *testing.T, l *lab) {
			l.mgmt.SetFaults(kubesim.Fault{Resource: "clusters.cluster.x-k8s.io", Status: 403})
		}, "management",
			"permission list clusters.cluster.x-k8s.io", inventory.CheckFailed, []string{"forbidden"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c.spoil(t, l)
			checks, _ := Doctor(t.Context(), l.plan)
			i := slices.IndexFunc(checks, func(k inventory.Check) bool { return k.Source == c.source && k.Name == c.name })
			if i < 0 {
				t.Fatalf("no such check in %+v", checks)
			}
			if checks[i].Status != c.status {
				t.Errorf("%+v", checks[i])
			}
			if checks[i].Status == inventory.CheckWarning && checks[i].Remedy == "" {
				t.Errorf("nothing to do about it: %+v", checks[i])
			}
			for _, w := range c.words {
				if !strings.Contains(checks[i].Detail, w) {
					t.Errorf("%q lacks %q", checks[i].Detail, w)
				}
			}
		})
	}
}

// Who is declared is known by its endpoint too. The simulators stand on loopback, where endpoints are nobody's.
func TestDoctorKnowsAClusterByItsEndpoint(t *testing.T) {
	declared := []inventory.Cluster{{Key: "prod", Declared: &inventory.DeclaredCluster{ControlPlaneEndpoint: "192.0.2.50:6443"}}}
	vip, other := way{"by-vip", "https://192.0.2.50:6443"}, way{"scripts", "https://192.0.2.60:6443"}
	if got := undeclared([]way{vip, {key: "selector-only"}}, declared, nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := undeclared([]way{vip, other}, declared, nil); len(got) != 1 || !strings.HasSuffix(got[0].Detail, ": scripts") {
		t.Errorf("%+v", got)
	}
}
