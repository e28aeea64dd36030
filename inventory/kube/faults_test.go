package kube

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

var delay = metav1.Duration{Duration: 20 * time.Millisecond}

const machinesResource = "machines.cluster.x-k8s.io"

func TestFaultsOfOneKind(t *testing.T) {
	for name, c := range map[string]struct {
		fault            kubesim.Fault
		state            inventory.State
		reason, remedy   string
		machines         int
		retries, pages   int
		throttled, count int
	}{
		"forbidden": {
			fault: kubesim.Fault{Status: http.StatusForbidden}, state: inventory.Refused,
			reason: "403 from ", remedy: `{apiGroups: ["cluster.x-k8s.io"], resources: ["machines"], verbs: ["list"]}`, pages: 1,
		},
		"server error":                 {fault: kubesim.Fault{Status: http.StatusInternalServerError}, state: inventory.Failed, reason: "500 from ", pages: 1},
		"listed by discovery and gone": {fault: kubesim.Fault{Status: http.StatusNotFound}, state: inventory.Failed, reason: "404 from ", pages: 1},
		"not JSON":                     {fault: kubesim.Fault{Body: "<html>login</html>"}, state: inventory.Failed, reason: "not a Kubernetes API's", remedy: "not a page", pages: 1},
		"broken JSON":                  {fault: kubesim.Fault{Body: `{"kind":"MachineList","items":[{"metadata":`}, state: inventory.Failed, reason: "not a Kubernetes API's", pages: 1},
		"not a list":                   {fault: kubesim.Fault{Body: `{"kind":"Status","status":"Success"}`}, state: inventory.Failed, reason: "not a Kubernetes API's", pages: 1},
		"endless list":                 {fault: kubesim.Fault{Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{"continue":"x"},"items":[]}`}, state: inventory.Partial, reason: "does not end", pages: 2},
		"null list":                    {fault: kubesim.Fault{Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{},"items":null}`}, state: inventory.Failed, reason: "without items", pages: 1},
		"list without items":           {fault: kubesim.Fault{Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{}}`}, state: inventory.Failed, reason: "without items", pages: 1},
		"empty list":                   {fault: kubesim.Fault{Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{},"items":[]}`}, state: inventory.Complete, pages: 1},
		"another list":                 {fault: kubesim.Fault{Body: `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`}, state: inventory.Failed, reason: `it is "PodList" of "v1" and not MachineList of cluster.x-k8s.io/v1beta2`, pages: 1},
		"another version":              {fault: kubesim.Fault{Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta1","metadata":{},"items":[]}`}, state: inventory.Failed, reason: "not MachineList of cluster.x-k8s.io/v1beta2", pages: 1},
		"more without continue":        {fault: kubesim.Fault{Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{"remainingItemCount":7},"items":[]}`}, state: inventory.Partial, reason: "although 7 more are said to follow", pages: 1},
		"throttled for a moment": {
			fault: kubesim.Fault{Status: http.StatusTooManyRequests, RetryAfter: 1, Times: 1}, state: inventory.Complete,
			machines: 1002, pages: 4, retries: 1, throttled: 1, count: 3,
		},
		"throttled for an hour": {
			fault: kubesim.Fault{Status: http.StatusTooManyRequests, RetryAfter: 3600}, state: inventory.Failed,
			reason: "429 from ", remedy: "throttles", pages: 1,
		},
		"connection dropped once": {
			fault: kubesim.Fault{Drop: true, Times: 1}, state: inventory.Complete, machines: 1002, pages: 4, retries: -1, count: 3,
		},
		"page 2 fails": {
			fault: kubesim.Fault{Status: http.StatusInternalServerError, Page: 2}, state: inventory.Partial,
			reason: "broke off after 1 pages", machines: 500, pages: 2,
		},
		"expired in the middle": {
			fault: kubesim.Fault{Status: http.StatusGone, Page: 2, Times: 1}, state: inventory.Complete,
			machines: 1002, pages: 5, retries: 2, count: 3,
		},
		"expired twice": {
			fault: kubesim.Fault{Status: http.StatusGone, Page: 3}, state: inventory.Partial,
			reason: "after 2 pages for the second time", machines: 1000, pages: 6, retries: 3, count: 3,
		},
		"410 at once": {fault: kubesim.Fault{Status: http.StatusGone}, state: inventory.Failed, reason: "410 from ", pages: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", manyMachines(1000))
			clean := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
			srv.Forget()
			c.fault.Resource = machinesResource
			srv.SetFaults(c.fault)
			s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
			cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines)
			if cov.State != c.state || !strings.Contains(cov.Reason, c.reason) || !strings.Contains(cov.Remedy, c.remedy) {
				t.Errorf("coverage = %+v", cov)
			}
			if (cov.Reason == "") != (c.state == inventory.Complete) {
				t.Errorf("reason = %q", cov.Reason)
			}
			if len(s.Machines) != c.machines || cov.Got != c.machines {
				t.Errorf("%d machines, coverage %d, want %d", len(s.Machines), cov.Got, c.machines)
			}
			if got := paths(srv)["/apis/cluster.x-k8s.io/v1beta2/machines"]; got != c.pages {
				t.Errorf("%d requests for machines, want %d", got, c.pages)
			}
			req := s.Requests[0]
			// -1: net/http itself repeats a GET on a kept connection that broke, below everything that counts here.
			if (req.Retries != c.retries && c.retries >= 0) || req.Throttled != c.throttled {
				t.Errorf("requests = %+v", req)
			}
			if c.count > 0 && req.Count != clean.Requests[0].Count {
				t.Errorf("a retry was counted into the plan: %+v, without faults %+v", req, clean.Requests[0])
			}
			// Everything else survives.
			if len(s.Clusters) != len(clean.Clusters) || len(s.ProxmoxMachines) != 2 || len(s.Groups) != 3 {
				t.Errorf("clusters %d, proxmoxmachines %d, groups %d", len(s.Clusters), len(s.ProxmoxMachines), len(s.Groups))
			}
		})
	}
}

func TestMalformedObjectIsNamedAndTheOthersSurvive(t *testing.T) {
	for name, c := range map[string]struct{ object, reason string }{
		"wrong type":      {`{"metadata":{"name":"bad","namespace":"n"},"spec":{"providerID":7}}`, "n/bad: spec.providerID is a number where a string belongs"},
		"wrong structure": {`{"metadata":{"name":"bad","namespace":"n"},"status":"Running"}`, "n/bad: status is a string"},
		"bad time":        {`{"metadata":{"name":"bad","namespace":"n","creationTimestamp":"yesterday"}}`, "n/bad: "},
		"no cluster":      {`{"metadata":{"name":"bad","namespace":"n"},"spec":{}}`, "n/bad: spec.clusterName is missing"},
		"no name":         {`{"metadata":{"namespace":"n"}}`, "no metadata.name"},
		"null":            {`null`, "an item is null"},
		"a string":        {`"x"`, "an item is no object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2")
			srv.SetFaults(kubesim.Fault{Resource: machinesResource, Body: `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{},"items":[` + c.object +
				`,{"metadata":{"name":"good","namespace":"n"},"spec":{"clusterName":"prod"}}]}`})
			s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
			cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines)
			if cov.State != inventory.Partial || cov.Asked != 2 || cov.Got != 1 || cov.Failed != 1 || !strings.Contains(cov.Reason, c.reason) {
				t.Errorf("coverage = %+v", cov)
			}
			if len(s.Machines) != 1 || s.Machines[0].Name != "good" || s.Machines[0].Cluster != "n/prod" {
				t.Errorf("machines = %+v", s.Machines)
			}
		})
	}
}

func TestForbiddenInOneNamespace(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", manyMachines(2))
	srv.SetFaults(kubesim.Fault{Resource: machinesResource, Namespace: "ns-0", Status: http.StatusForbidden})
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Namespaces: []string{"ns-0", "ns-1"}})
	cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines)
	if cov.State != inventory.Partial || !strings.Contains(cov.Reason, "namespace ns-0: 403") || !strings.Contains(cov.Remedy, "machines") || len(s.Machines) != 1 {
		t.Errorf("coverage = %+v, machines %d", cov, len(s.Machines))
	}
}

func TestStaleDiscoveryIsNotAbsence(t *testing.T) {
	for _, form := range []string{kubesim.DiscoveryAggregated, kubesim.DiscoveryAggregatedV2Beta1} {
		for group, needed := range map[string]bool{inventory.GroupInfrastructure: true, inventory.GroupControlPlane: false} {
			t.Run(form+" "+group, func(t *testing.T) {
				t.Parallel()
				srv := sim(t, kubesim.Config{Discovery: form, Stale: []string{group, "metrics.k8s.io/v1beta1"}}, kubesim.Options{}, "v1beta2")
				s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
				cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeDiscovery)
				if cov.State != inventory.Partial || cov.Missing() != needed || !strings.Contains(cov.Reason, group) || strings.Contains(cov.Reason, "metrics") {
					t.Errorf("discovery = %+v", cov)
				}
				for _, k := range kinds {
					cov := coverage(t, s, inventory.ManagementSource, k.scope())
					if (k.group == group) != (cov.State == inventory.Failed) {
						t.Errorf("%+v", cov)
					}
				}
				if len(s.Machines) != 2 {
					t.Errorf("%d machines", len(s.Machines))
				}
			})
		}
	}
}

func TestOneStaleVersionDoesNotHurtTheOther(t *testing.T) {
	srv := sim(t, kubesim.Config{Stale: []string{"cluster.x-k8s.io/v1beta1"}}, kubesim.Options{}, "v1beta2")
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines); cov.State != inventory.Complete {
		t.Errorf("%+v", cov)
	}
}

// TestWithoutAggregatedDiscovery: two discovery requests, and the lists tell what is installed.
func TestWithoutAggregatedDiscovery(t *testing.T) {
	srv := sim(t, kubesim.Config{Discovery: kubesim.DiscoveryLegacy}, kubesim.Options{}, "v1beta1", "common")
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
	golden(t, "normalised.json", toJSON(t, normalised(s)))
	if missing := s.Incomplete(); len(missing) > 0 {
		t.Errorf("incomplete: %+v", missing)
	}
	var discovery []string
	lists := map[int]int{}
	for _, r := range srv.Requests() {
		if strings.Count(r.Path, "/") <= 3 {
			discovery = append(discovery, r.Path)
			continue
		}
		lists[r.Status]++
	}
	slices.Sort(discovery)
	if !slices.Equal(discovery, []string{"/apis", "/version"}) {
		t.Errorf("discovery requests: %v", discovery)
	}
	// 10 kinds are there and 10 are not: the 6 of them whose group is served, in one version, cost a request each.
	if lists[http.StatusOK] != 10 || lists[http.StatusNotFound] != 6 {
		t.Errorf("lists by status: %v", lists)
	}
	if cov := coverage(t, s, inventory.ManagementSource, "ipaddresses.ipam.cluster.x-k8s.io"); cov.State != inventory.Absent {
		t.Errorf("%+v", cov)
	}

	// A 404 of one version sends on to the next, and what only an unknown version has is not absent.
	srv = sim(t, kubesim.Config{Discovery: kubesim.DiscoveryLegacy, Kinds: []kubesim.Kind{
		{Group: inventory.GroupCluster, Kind: "Other", Versions: []string{"v1beta2"}},
		{Group: groupIPAM, Kind: "IPAddress", Versions: []string{"v9"}},
	}}, kubesim.Options{}, "v1beta1")
	c := client(t, srv)
	s = c.CollectManagement(t.Context(), ManagementOptions{Namespaces: []string{"team-a", "team-b"}})
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines); cov.State != inventory.Complete || len(s.Machines) != 2 {
		t.Errorf("%+v, %d machines", cov, len(s.Machines))
	}
	if cov := coverage(t, s, inventory.ManagementSource, "ipaddresses.ipam.cluster.x-k8s.io"); cov.State != inventory.Failed || !strings.Contains(cov.Reason, "v9 only") || cov.Remedy == "" {
		t.Errorf("%+v", cov)
	}
	if serves, err := c.ServesClusterAPI(t.Context()); err != nil || !serves {
		t.Errorf("serves = %v, %v", serves, err)
	}
	for _, check := range c.Doctor(t.Context(), RoleManagement, "team-a") {
		if failed := check.Name == "api ipaddresses.ipam.cluster.x-k8s.io"; failed != (check.Status == inventory.CheckWarning && !strings.Contains(check.Name, "tls")) {
			t.Errorf("%+v", check)
		}
	}
}

// TestWithoutAggregatedDiscoveryNothingElseIsAbsence: only a 404 is.
func TestWithoutAggregatedDiscoveryNothingElseIsAbsence(t *testing.T) {
	versions := make([]string, 0, 10)
	for i := range 10 {
		versions = append(versions, "v1alpha9"+string(rune('0'+i)))
	}
	srv := sim(t, kubesim.Config{Discovery: kubesim.DiscoveryLegacy, Kinds: []kubesim.Kind{
		{Group: groupIPAM, Kind: "Other", Versions: versions}, {Group: inventory.GroupBootstrap, Kind: "Other", Versions: []string{"v9"}},
	}}, kubesim.Options{}, "v1beta1")
	srv.SetFaults(
		kubesim.Fault{Resource: machinesResource, Status: http.StatusServiceUnavailable},
		kubesim.Fault{Resource: "clusters.cluster.x-k8s.io", Status: http.StatusForbidden},
		kubesim.Fault{Resource: "talosconfigs.bootstrap.cluster.x-k8s.io", Status: http.StatusForbidden},
	)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
	for scope, want := range map[string]struct {
		state  inventory.State
		reason string
	}{
		inventory.ScopeMachines:                   {inventory.Failed, "503 from"},
		inventory.ScopeClusters:                   {inventory.Refused, "403 from"},
		"talosconfigs.bootstrap.cluster.x-k8s.io": {inventory.Refused, "403 from"},
		"ipaddresses.ipam.cluster.x-k8s.io":       {inventory.Failed, "not found in 6 versions, and not looked for in 4 more"},
	} {
		if cov := coverage(t, s, inventory.ManagementSource, scope); cov.State != want.state || !strings.Contains(cov.Reason, want.reason) {
			t.Errorf("%+v, want %+v", cov, want)
		}
	}
}

// TestUnreachable: one reason for everything, and no further question.
func TestUnreachable(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	foreign := httptest.NewUnstartedServer(http.NotFoundHandler())
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS()
	t.Cleanup(foreign.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	var lc net.ListenConfig
	silent, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	elsewhere := httptest.NewServer(http.RedirectHandler("http://192.0.2.1/", http.StatusFound))
	t.Cleanup(elsewhere.Close)
	unauthorized := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(unauthorized.Close)
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	t.Cleanup(login.Close)

	for name, c := range map[string]struct {
		server, reason, remedy string
		state                  inventory.State
		soft                   bool
	}{
		"refused":      {server: closed.URL, reason: "connection refused", remedy: "runs", state: inventory.Failed},
		"unknown CA":   {server: foreign.URL, reason: "x509", remedy: "certificate-authority-data", state: inventory.Failed},
		"plain HTTP":   {server: "https" + strings.TrimPrefix(plain.URL, "http"), reason: "HTTP response to HTTPS client", remedy: "no TLS", state: inventory.Failed},
		"silent":       {server: "http://" + silent.Addr().String(), reason: "no answer from", remedy: "--request-timeout", state: inventory.Failed},
		"redirect":     {server: elsewhere.URL, reason: "302, a redirect to http://192.0.2.1/: proxaudit follows none", remedy: "redirects", state: inventory.Failed, soft: true},
		"unauthorized": {server: unauthorized.URL, reason: "401 from", remedy: "auth whoami", state: inventory.Refused},
		"login page":   {server: login.URL, reason: "not a Kubernetes API's", remedy: "in front of", state: inventory.Failed, soft: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := DefaultTimeout
			if name == "silent" {
				timeout = 200 * time.Millisecond
			}
			cl, err := Connect(Target{Kubeconfig: kubeconfigFor(t, c.server), Timeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			s := cl.CollectManagement(t.Context(), ManagementOptions{})
			want := coverage(t, s, inventory.ManagementSource, inventory.ScopeDiscovery)
			if want.State != c.state || !strings.Contains(want.Reason, c.reason) || !strings.Contains(want.Remedy, c.remedy) {
				t.Errorf("coverage = %+v", want)
			}
			if len(s.Coverage) != len(kinds)+2 || len(s.Incomplete()) != 4 {
				t.Errorf("%d entries, %d missing", len(s.Coverage), len(s.Incomplete()))
			}
			for _, cov := range s.Coverage {
				if cov.Reason != want.Reason || cov.State != want.State {
					t.Errorf("another reason: %+v", cov)
				}
			}
			w := cl.CollectWorkload(t.Context(), "k", WorkloadOptions{})
			if c.soft {
				return
			}
			if len(w.Coverage) != 4 {
				t.Errorf("workload: %+v", w.Coverage)
			}
			for _, cov := range w.Coverage {
				if cov.State != c.state || !strings.Contains(cov.Reason, c.reason) {
					t.Errorf("workload: %+v", cov)
				}
			}
		})
	}
}

// TestServerGoesAwayInTheMiddle: the lists that were not asked yet are not asked.
func TestServerGoesAwayInTheMiddle(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common")
	srv.SetFaults(kubesim.Fault{Resource: "clusters.cluster.x-k8s.io", Status: http.StatusUnauthorized})
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Namespaces: []string{"a", "b", "c", "d"}})
	if n := paths(srv)["/apis/cluster.x-k8s.io/v1beta2/namespaces/b/clusters"]; n != 0 {
		t.Errorf("asked on: %v", paths(srv))
	}
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeClusters); cov.State != inventory.Refused || !strings.Contains(cov.Reason, "401") {
		t.Errorf("%+v", cov)
	}
}

func TestInterrupted(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2")
	c := client(t, srv)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := c.CollectManagement(ctx, ManagementOptions{})
	if cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeMachines); cov.State != inventory.Failed || cov.Reason != "interrupted" {
		t.Errorf("%+v", cov)
	}
	// An interruption says nothing about the server: the next run asks again.
	if s := c.CollectManagement(t.Context(), ManagementOptions{}); len(s.Machines) != 2 {
		t.Errorf("%d machines: %+v", len(s.Machines), s.Coverage)
	}
}

func TestVersionNotReadable(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "workload")
	srv.SetFaults(kubesim.Fault{Path: "/version", Status: http.StatusForbidden})
	c := client(t, srv)
	s := c.CollectManagement(t.Context(), ManagementOptions{})
	cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeDiscovery)
	if cov.State != inventory.Partial || cov.Missing() || !strings.Contains(cov.Reason, "version") || s.Management.Version != "" || len(s.Machines) != 2 {
		t.Errorf("%+v", cov)
	}
	if w := c.CollectWorkload(t.Context(), "k", WorkloadOptions{}); len(w.Nodes) != 2 || len(w.Incomplete()) != 0 {
		t.Errorf("%+v", w.Coverage)
	}
}
