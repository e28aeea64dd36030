package kube

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// pods are those of two providers in one namespace, whose names begin alike, and one that is nobody's.
const pods = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: capmox-controller, namespace: capmox-system, labels: {cluster.x-k8s.io/provider: infrastructure-other}}
---
apiVersion: v1
kind: Pod
metadata: {name: capmox-controller-manager-6d5f-abcde, namespace: capmox-system, creationTimestamp: "2026-05-04T10:00:00Z", labels: {cluster.x-k8s.io/provider: infrastructure-proxmox}}
spec: {containers: [{name: manager, env: [{name: PROXMOX_SECRET, value: canary}]}]}
status:
  phase: Running
  conditions: [{type: Ready, status: "False"}]
  containerStatuses:
  - {name: proxy, restartCount: 1, state: {running: {}}}
  - {name: manager, restartCount: 17, state: {waiting: {reason: CrashLoopBackOff, message: "back-off 5m0s, https://root:hunter2@pve.example.com"}}}
---
apiVersion: v1
kind: Pod
metadata: {name: capmox-controller-77-xyz, namespace: capmox-system, creationTimestamp: "2026-05-04T10:00:00Z", labels: {cluster.x-k8s.io/provider: infrastructure-other}}
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available"}]
---
apiVersion: v1
kind: Pod
metadata: {name: capmox-controller-manager-6d5f-abcde, namespace: elsewhere, labels: {cluster.x-k8s.io/provider: infrastructure-proxmox}}
---
apiVersion: v1
kind: Pod
metadata: {name: capmox-controller-manager-6d5f-nolabel, namespace: capmox-system}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: controller-leader-election-capmox, namespace: capmox-system}
spec: {holderIdentity: capmox-controller-manager-6d5f-abcde_0d1f, leaseDurationSeconds: 15, renewTime: "2026-05-04T11:59:58.123456Z"}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: a-never-renewed, namespace: capmox-system}
spec: {holderIdentity: capmox-controller-manager-6d5f-abcde_0d1f, leaseDurationSeconds: 15}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: somebody-elses, namespace: capmox-system}
spec: {holderIdentity: cert-manager-5c9_1, leaseDurationSeconds: 15, renewTime: "2026-05-04T11:59:58.000000Z"}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: capmox-elsewhere, namespace: kube-node-lease}
spec: {holderIdentity: capmox-controller-manager-6d5f-abcde_0d1f, leaseDurationSeconds: 15}
`

// keyed is what stands for a credential: a hash that is keyed per Snapshot.
var keyed = regexp.MustCompile(`sha256-[0-9a-f]{64}`)

func provided(t *testing.T, s *inventory.Snapshot, name string) *inventory.Provider {
	t.Helper()
	i := slices.IndexFunc(s.Providers, func(p inventory.Provider) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no provider %s in %+v", name, s.Providers)
	}
	return &s.Providers[i]
}

// answered is what a coverage entry says, with what came.
func answered(c inventory.Coverage) []any {
	return []any{c.State, c.Asked, c.Got, c.Failed, c.Optional}
}

func TestPodsAndLeasesOfProviders(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common", pods)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	made := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	capmox := provided(t, s, "capmox-controller-manager")
	if got, want := keyed.ReplaceAllString(toJSON(t, capmox.Pods), "KEYED"), toJSON(t, []inventory.ProviderPod{{Name: "capmox-controller-manager-6d5f-abcde", Phase: "Running", Restarts: 17,
		Waiting: "CrashLoopBackOff", Message: "back-off 5m0s, https://KEYED@pve.example.com", CreatedAt: &made}}); got != want {
		t.Errorf("pods %s, want %s", got, want)
	}
	renewed := time.Date(2026, 5, 4, 11, 59, 58, 0, time.UTC)
	holder := "capmox-controller-manager-6d5f-abcde_0d1f"
	if got, want := toJSON(t, capmox.Leases), toJSON(t, []inventory.Lease{{Name: "a-never-renewed", Holder: holder, Seconds: 15},
		{Name: "controller-leader-election-capmox", Holder: holder, Seconds: 15, Renewed: &renewed}}); got != want {
		t.Errorf("leases %s, want %s", got, want)
	}
	// The longest name that fits is the Deployment's.
	other := provided(t, s, "capmox-controller")
	if len(other.Pods) != 1 || other.Pods[0].Waiting != "Unschedulable" || other.Pods[0].Message != "0/1 nodes are available" || len(other.Leases) != 0 {
		t.Errorf("the other provider is %+v", other)
	}
	for scope, want := range map[string][]any{
		inventory.ScopeProviderPods: {inventory.Complete, 2, 2, 0, true},
		inventory.ScopeLeases:       {inventory.Complete, 2, 2, 0, true},
		inventory.ScopeEvents:       {inventory.Complete, 0, 0, 0, true},
	} {
		if got := answered(coverage(t, s, inventory.ManagementSource, scope)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", scope, got, want)
		}
	}
	if text := toJSON(t, s); strings.Contains(text, "canary") || strings.Contains(text, "hunter2") {
		t.Error("a Pod's environment, or a credential, is in the Snapshot")
	}
	// Pods and leases are asked for where providers are, and nowhere else.
	asked := paths(srv)
	if asked["/apis/coordination.k8s.io/v1/namespaces/capmox-system/leases"] != 1 || asked["/apis/coordination.k8s.io/v1/leases"] != 0 ||
		asked["/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"] != 0 || asked["/api/v1/namespaces/capmox-system/pods"] != 1 || asked["/api/v1/pods"] != 0 {
		t.Errorf("asked %v", asked)
	}
	for _, r := range srv.Requests() {
		if strings.HasSuffix(r.Path, "/pods") && r.Query.Get("labelSelector") != providerLabel {
			t.Errorf("all Pods are asked for: %s", r)
		}
	}
}

// Whoever does not ask for controllers sends none of those requests.
func TestControllersAreNotAskedByThemselves(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common", pods)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
	for path := range paths(srv) {
		if strings.Contains(path, "pods") || strings.Contains(path, "leases") || strings.Contains(path, "events") {
			t.Errorf("%s was asked", path)
		}
	}
	for _, scope := range []string{inventory.ScopeProviderPods, inventory.ScopeLeases, inventory.ScopeEvents} {
		if c := s.CoverageOf(inventory.ManagementSource, scope); c != nil {
			t.Errorf("%+v", c)
		}
	}
}

func TestControllersRefused(t *testing.T) {
	for scope, c := range map[string]struct{ resource, remedy string }{
		inventory.ScopeProviderPods: {"pods", `resources: ["pods"]`},
		inventory.ScopeLeases:       {"leases.coordination.k8s.io", `apiGroups: ["coordination.k8s.io"], resources: ["leases"]`},
		inventory.ScopeEvents:       {"events", `resources: ["events"]`},
	} {
		t.Run(c.resource, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{Faults: []kubesim.Fault{{Resource: c.resource, Status: http.StatusForbidden}}}, kubesim.Options{}, "v1beta2", "common", pods)
			s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
			cov := coverage(t, s, inventory.ManagementSource, scope)
			if cov.State != inventory.Refused || !cov.Optional || !strings.Contains(cov.Reason, "403") || !strings.Contains(cov.Remedy, c.remedy) {
				t.Errorf("%+v", cov)
			}
			// No verdict rests on it, and the other two are read.
			if missing := s.Incomplete(); len(missing) > 0 {
				t.Errorf("incomplete: %+v", missing)
			}
			for _, other := range []string{inventory.ScopeProviderPods, inventory.ScopeLeases, inventory.ScopeEvents} {
				if other != scope && coverage(t, s, inventory.ManagementSource, other).State != inventory.Complete {
					t.Errorf("%s is not read: %+v", other, coverage(t, s, inventory.ManagementSource, other))
				}
			}
		})
	}
}

// Once the server is gone, here with the credentials that ran out, each further question is in vain: the rest have its reason.
func TestGoneBetweenControllers(t *testing.T) {
	srv := sim(t, kubesim.Config{Faults: []kubesim.Fault{{Resource: "leases.coordination.k8s.io", Status: http.StatusUnauthorized}}}, kubesim.Options{}, "v1beta2", "common", pods)
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	if c := coverage(t, s, inventory.ManagementSource, inventory.ScopeProviderPods); c.State != inventory.Complete {
		t.Errorf("pods: %+v", c)
	}
	leases, events := coverage(t, s, inventory.ManagementSource, inventory.ScopeLeases), coverage(t, s, inventory.ManagementSource, inventory.ScopeEvents)
	if leases.State != inventory.Refused || events.State != inventory.Refused || !strings.Contains(events.Reason, "401") || !events.Optional {
		t.Errorf("leases %+v, events %+v", leases, events)
	}
	for path := range paths(srv) {
		if strings.HasSuffix(path, "/events") {
			t.Error("events were asked of a server that is gone")
		}
	}
	if len(s.Machines) != 2 || len(provided(t, s, "capmox-controller-manager").Pods) != 1 {
		t.Error("what had come is lost")
	}
}

func TestControllersOfAServerThatIsGone(t *testing.T) {
	srv := sim(t, kubesim.Config{Faults: []kubesim.Fault{{Status: http.StatusUnauthorized}}}, kubesim.Options{}, "v1beta2")
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	for _, scope := range []string{inventory.ScopeProviderPods, inventory.ScopeLeases, inventory.ScopeEvents} {
		if c := coverage(t, s, inventory.ManagementSource, scope); c.State != inventory.Refused || !c.Optional || c.Reason == "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestNoProviders(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2")
	s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
	if c := coverage(t, s, inventory.ManagementSource, inventory.ScopeLeases); c.State != inventory.NotAsked || !c.Optional || c.Reason == "" {
		t.Errorf("%+v", c)
	}
}

// One that cannot be read does not cost the others.
func TestBrokenControllerItems(t *testing.T) {
	const good = `{"metadata":{"name":"capmox-controller-manager-1-a","namespace":"capmox-system"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	for name, c := range map[string]struct {
		scope, resource, kind, broken, good, reason string
	}{
		"pod":          {inventory.ScopeProviderPods, "pods", "PodList", `{"metadata":{"name":"bad"},"status":{"phase":7}}`, good, "bad: status.phase is a number"},
		"nameless pod": {inventory.ScopeProviderPods, "pods", "PodList", `"x"`, good, "a Pod: "},
		"event": {inventory.ScopeEvents, "events", "EventList", `{"metadata":{"name":"bad"},"involvedObject":[]}`,
			`{"involvedObject":{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","namespace":"team-a","name":"m"},"reason":"X","type":"Warning"}`, "bad: involvedObject is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common")
			srv.SetFaults(kubesim.Fault{Resource: c.resource, Body: `{"kind":"` + c.kind + `","apiVersion":"v1","metadata":{},"items":[` + c.broken + `,` + c.good + `]}`})
			s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
			cov := coverage(t, s, inventory.ManagementSource, c.scope)
			if got := answered(cov); !slices.Equal(got, []any{inventory.Partial, 2, 1, 1, true}) || !strings.Contains(cov.Reason, c.reason) {
				t.Errorf("%+v", cov)
			}
			if len(provided(t, s, "capmox-controller-manager").Pods)+len(s.Events) != 1 {
				t.Errorf("pods %+v, events %+v", s.Providers, s.Events)
			}
		})
	}
	t.Run("lease", func(t *testing.T) {
		t.Parallel()
		srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2", "common")
		srv.SetFaults(kubesim.Fault{Resource: "leases.coordination.k8s.io", Body: `{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{},"items":[
			{"metadata":{"name":"bad","namespace":"capmox-system"},"spec":{"leaseDurationSeconds":"x"}},
			{"metadata":{"name":"odd","namespace":"capmox-system"},"spec":{"holderIdentity":"capmox-controller-manager-1-a_u","renewTime":"yesterday"}}]}`})
		s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{Controllers: true})
		cov := coverage(t, s, inventory.ManagementSource, inventory.ScopeLeases)
		if got := answered(cov); !slices.Equal(got, []any{inventory.Partial, 2, 1, 1, true}) || !strings.Contains(cov.Reason, "bad: ") {
			t.Errorf("%+v", cov)
		}
		// A time that is none is no time: nobody is called dead for it.
		if l := provided(t, s, "capmox-controller-manager").Leases; len(l) != 1 || l[0].Name != "odd" || l[0].Renewed != nil {
			t.Errorf("%+v", l)
		}
	})
}
