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
		// What only why reads is a note.
		"why-forbidden": {sources: []string{"v1beta2", "common"}, role: RoleManagement, config: kubesim.Config{Faults: []kubesim.Fault{
			{Resource: "pods", Status: http.StatusForbidden}, {Resource: "leases.coordination.k8s.io", Status: http.StatusForbidden}}}},
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

func TestDoctorEvents(t *testing.T) {
	srv := sim(t, kubesim.Config{Faults: []kubesim.Fault{{Resource: "events", Namespace: "team-b", Status: http.StatusForbidden}}}, kubesim.Options{}, "v1beta2")
	c := client(t, srv)
	if got := c.DoctorEvents(t.Context()); len(got) != 0 {
		t.Errorf("without a namespace: %s", report(got))
	}
	if got := c.DoctorEvents(t.Context(), "team-a"); len(got) != 1 || got[0].Status != inventory.CheckOK || got[0].Source != inventory.ManagementSource {
		t.Errorf("%s", report(got))
	}
	got := c.DoctorEvents(t.Context(), "team-a", "team-b")
	if len(got) != 1 || got[0].Status != inventory.CheckNote || !strings.Contains(got[0].Detail, "refused in team-b: 403") || !strings.Contains(got[0].Remedy, `resources: ["events"]`) {
		t.Errorf("%s", report(got))
	}
}

// A server that went away is asked once.
func TestDoctorEventsOfNobody(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	c, err := Connect(Target{Key: "k", Kubeconfig: kubeconfigFor(t, closed.URL)})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.DoctorEvents(t.Context(), "team-a", "team-b"); len(got) != 1 || got[0].Status != inventory.CheckNote || strings.Contains(got[0].Detail, "team-b") {
		t.Errorf("%s", report(got))
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
