package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func report(checks []inventory.Check) string {
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s\n", c.Source, c.Name, c.Status, c.Detail, c.Remedy)
	}
	return b.String()
}

func TestDoctor(t *testing.T) {
	for name, c := range map[string]struct {
		config     kubesim.Config
		options    kubesim.Options
		sources    []string
		role       Role
		namespaces []string
	}{
		"management": {sources: []string{"v1beta2", "common"}, options: kubesim.Options{TLS: true, Token: "t"}, role: RoleManagement},
		"workload":   {sources: []string{"workload"}, role: RoleWorkload},
		"no-kubeadm": {sources: []string{"common"}, role: RoleWorkload},
		"not-management": {
			sources: []string{"workload"}, role: RoleManagement},
		"namespaced": {sources: []string{"v1beta2"}, role: RoleManagement, namespaces: []string{"team-a", "team-b"}, config: kubesim.Config{Faults: []kubesim.Fault{
			{Resource: machinesResource, Namespace: "team-b", Status: http.StatusForbidden},
			{Resource: "kubeadmconfigs.bootstrap.cluster.x-k8s.io", Status: http.StatusForbidden},
		}}},
		"trouble": {sources: []string{"v1beta2"}, role: RoleManagement, config: kubesim.Config{
			Stale: []string{inventory.GroupInfrastructure, inventory.GroupControlPlane},
			Kinds: []kubesim.Kind{{Group: groupIPAM, Kind: "IPAddress", Versions: []string{"v9"}}},
			Faults: []kubesim.Fault{
				{Path: "/version", Status: http.StatusForbidden},
				{Resource: "deployments.apps", Status: http.StatusForbidden},
				{Resource: "clusters.cluster.x-k8s.io", Status: http.StatusInternalServerError},
			}}},
		"kubeadm-forbidden": {sources: []string{"workload"}, role: RoleWorkload, config: kubesim.Config{Faults: []kubesim.Fault{
			{Resource: "configmaps", Status: http.StatusForbidden}}}},
		"wrong-token":   {sources: []string{"workload"}, role: RoleWorkload, config: kubesim.Config{Faults: []kubesim.Fault{{Path: "/apis", Status: http.StatusUnauthorized}}}},
		"no-discovery":  {sources: []string{"workload"}, role: RoleWorkload, config: kubesim.Config{Faults: []kubesim.Fault{{Path: "/apis", Status: http.StatusForbidden}}}},
		"version-error": {sources: []string{"workload"}, role: RoleWorkload, config: kubesim.Config{Faults: []kubesim.Fault{{Path: "/version", Status: http.StatusInternalServerError}}}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := sim(t, c.config, c.options, c.sources...)
			got := report(client(t, srv).Doctor(t.Context(), c.role, c.namespaces...))
			golden(t, "doctor-"+name+".txt", strings.ReplaceAll(got, srv.URL(), "URL"))
			for _, r := range srv.Requests() {
				if strings.Count(r.Path, "/") > 4 && r.Query.Get("limit") != "1" && !strings.HasSuffix(r.Path, "/kubeadm-config") {
					t.Errorf("a check without a limit: %s", r)
				}
			}
		})
	}
}

func TestDoctorOfABadCertificate(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{TLS: true}, "workload")
	c, err := Connect(Target{Key: "k", Kubeconfig: kubeconfigFor(t, srv.URL())})
	if err != nil {
		t.Fatal(err)
	}
	checks := c.Doctor(t.Context(), RoleWorkload)
	if len(checks) != 5 || checks[1].Status != inventory.CheckOK || checks[2].Name != "tls" || checks[2].Status != inventory.CheckFailed || checks[2].Remedy == "" || checks[3].Status != inventory.CheckSkipped {
		t.Errorf("%s", report(checks))
	}
}

func TestDoctorOfAnUnreachableServer(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	c, err := Connect(Target{Key: "k", Kubeconfig: kubeconfigFor(t, closed.URL)})
	if err != nil {
		t.Fatal(err)
	}
	checks := c.Doctor(t.Context(), RoleManagement)
	if len(checks) != 5 || checks[1].Status != inventory.CheckFailed || checks[1].Remedy == "" || checks[4].Status != inventory.CheckSkipped {
		t.Errorf("%s", report(checks))
	}
}

func TestDoctorOfAnUnverifiedServer(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{TLS: true}, "workload")
	path := kubeconfigFor(t, srv.URL())
	c, err := Connect(Target{Key: "k", Kubeconfig: path})
	if err != nil {
		t.Fatal(err)
	}
	c.config.Insecure = true
	d := &doctor{c: c}
	d.tls()
	if len(d.checks) != 1 || d.checks[0].Status != inventory.CheckWarning {
		t.Errorf("%s", report(d.checks))
	}
}
