package collect

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// Mistakes in the plan are errors, those that it shows by itself before anything is asked.
func TestPlanErrors(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*testing.T, *lab)
		words []string
		asked bool
	}{
		"two sites of one name": {spoil: func(_ *testing.T, l *lab) { l.plan.Sites[1].Site = "home" }, words: []string{`two sites are called "home"`}},
		"one URL twice": {spoil: func(_ *testing.T, l *lab) {
			l.plan.Sites[1] = l.plan.Sites[0]
			l.plan.Sites[1].Site = "again"
		}, words: []string{`"again"`, "the same URL"}},
		"two clusters of one name": {spoil: func(_ *testing.T, l *lab) { l.plan.Workloads[1].Key = "prod" }, words: []string{`two clusters are called "prod"`}},
		"a token of the wrong shape": {spoil: func(_ *testing.T, l *lab) { l.plan.Sites[1].TokenID = "root" },
			words: []string{"site edge"}},
		"a management kubeconfig that does not exist": {spoil: func(_ *testing.T, l *lab) { l.plan.Management.Kubeconfig += "-none" },
			words: []string{"no way to the management cluster", "kubeconfig-mgmt-none cannot be read", "--kubeconfig", "management: {none: true}"}},
		"a management context that does not exist": {spoil: func(_ *testing.T, l *lab) { l.plan.Management.Context = "none" },
			words: []string{`no context "none": it has "mgmt"`, "--context"}},
		"a KUBECONFIG of nothing": {spoil: func(t *testing.T, l *lab) {
			t.Setenv("KUBECONFIG", l.dir+"/a:"+l.dir+"/b")
			l.plan.Management, l.plan.ManagementIfServed = &kube.Target{}, true
		}, words: []string{"KUBECONFIG is set, and none of the files", "/a, ", "/b", "management: {none: true}"}},
		"a name that Proxmox gives": {spoil: func(t *testing.T, l *lab) {
			if err := l.edge.Update(func(f *pvesim.Fleet) { f.Cluster = "home" }); err != nil {
				t.Fatal(err)
			}
			l.plan.Sites[1].Site = ""
		}, words: []string{`two sites are called "home"`, "127.0.0.1", "sites[].name"}, asked: true},
		"one Proxmox cluster through two hosts": {spoil: func(_ *testing.T, l *lab) {
			l.plan.Sites = append(l.plan.Sites, l.plan.Sites[0])
			l.plan.Sites[2].Site, l.plan.Sites[2].URL = "second", l.home.NodeURL("pve2")
		}, words: []string{`"home"`, `"second"`, "are the same Proxmox cluster", "give it once"}, asked: true},
		"one Proxmox cluster through a token that sees no addresses": {spoil: func(t *testing.T, l *lab) {
			if err := l.home.Update(func(f *pvesim.Fleet) {
				f.Tokens["guests@pve!audit"] = &pvesim.Token{Secret: homeSecret, Role: "PVEVMUser"}
			}); err != nil {
				t.Fatal(err)
			}
			l.plan.Sites = append(l.plan.Sites, l.plan.Sites[0])
			l.plan.Sites[2].Site, l.plan.Sites[2].URL, l.plan.Sites[2].TokenID = "second", l.home.NodeURL("pve2"), "guests@pve!audit"
		}, words: []string{`"home"`, `"second"`, "are the same Proxmox cluster", "of their VMs", "give it once"}, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c.spoil(t, l)
			s, _, err := Run(t.Context(), l.plan)
			if err == nil || s != nil {
				t.Fatalf("%+v, %v", s, err)
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q lacks %q", err, w)
				}
			}
			if asked := len(l.home.Requests())+len(l.prod.Requests())+len(l.mgmt.Requests()) > 0; asked != c.asked {
				t.Errorf("something was asked: %v", asked)
			}
		})
	}
}

// Two sites that look alike are two: same host names, same VMIDs, other machines.
func TestSitesThatLookAlike(t *testing.T) {
	l := newLab(t)
	twin := homeFleet()
	for _, vm := range twin.VMs {
		vm.UUID = "f" + vm.UUID[1:]
	}
	l.edge = site(t, twin)
	l.plan.Sites[1] = l.site(t, "edge", l.edge, homeSecret)
	if s := l.run(t); len(s.Sites) != 2 || len(s.VMs) != 10 {
		t.Errorf("%d sites, %d VMs", len(s.Sites), len(s.VMs))
	}
}

var errStopped = errors.New("stopped by the test")

// The end of the context ends the run, whoever does not answer just then: the answers here take an hour.
func TestCancel(t *testing.T) {
	slow := func(path string) func(*lab) {
		return func(l *lab) { l.home.Fail(pvesim.Match{Path: path}, pvesim.Fault{Delay: time.Hour}) }
	}
	hour := metav1.Duration{Duration: time.Hour}
	for name, c := range map[string]struct {
		spoil func(*lab)
		// reached is true once the run is about there: what hangs is not in the list of requests yet.
		reached func(*lab) bool
	}{
		"before anything":   {spoil: func(*lab) {}},
		"in the guest list": {slow("/cluster/resources"), func(l *lab) bool { return l.edge.CountPath("/cluster/resources") > 0 }},
		"in the management cluster": {func(l *lab) { l.mgmt.SetFaults(kubesim.Fault{Resource: "machines.cluster.x-k8s.io", Latency: hour}) },
			func(l *lab) bool { return len(l.mgmt.Requests()) > 0 }},
		"in a workload cluster": {func(l *lab) { l.prod.SetFaults(kubesim.Fault{Resource: "nodes", Latency: hour}) },
			func(l *lab) bool { return len(l.prod.Requests()) > 0 }},
		"in a Secret": {func(l *lab) {
			l.plan.ReadSecrets, l.plan.Workloads = true, nil
			l.mgmt.SetFaults(kubesim.Fault{Resource: "secrets", Latency: hour})
		}, func(l *lab) bool { return l.home.CountPath("/nodes/") == 5 }},
		"in the probes": {slow("/cluster/nextid"), func(l *lab) bool { return l.home.CountPath("/nodes/") == 5 }},
		// The sites are asked side by side: home, which comes first, keeps nobody waiting.
		"in the probes of one site": {func(l *lab) {
			l.plan.Workloads[0].Site = ""
			slow("/cluster/nextid")(l)
		}, func(l *lab) bool { return l.edge.CountPath("/cluster/nextid") == 2 }},
		"in an agent": {func(l *lab) {
			l.plan.GuestAgent = true
			l.home.Fail(pvesim.Match{Path: "/nodes/*/qemu/*/agent/network-get-interfaces"}, pvesim.Fault{Delay: time.Hour})
		}, func(l *lab) bool { return l.home.CountPath("/cluster/nextid") == 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			c.spoil(l)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			done := make(chan error, 1)
			if c.reached == nil {
				cancel(errStopped)
			}
			go func() {
				s, _, err := Run(ctx, l.plan)
				if s != nil {
					t.Error("a Snapshot came with the error")
				}
				done <- err
			}()
			for c.reached != nil && !c.reached(l) {
				select {
				case err := <-done:
					t.Fatalf("it ended by itself: %v", err)
				case <-time.After(5 * time.Millisecond):
				}
			}
			cancel(errStopped)
			if err := <-done; !errors.Is(err, errStopped) {
				t.Errorf("the error is %v", err)
			}
			// Doctor ends too, with what it has.
			if checks, _ := Doctor(ctx, l.plan); len(checks) != 0 {
				t.Errorf("%+v", checks)
			}
		})
	}
}

func TestNoClockMeansTheTimeOfDay(t *testing.T) {
	before := time.Now().Add(-2 * time.Second)
	s, _, err := Run(t.Context(), Plan{})
	if err != nil {
		t.Fatal(err)
	}
	if s.CollectedAt.Before(before) || s.CollectedAt.After(time.Now()) || s.CollectedAt.Location() != time.UTC {
		t.Errorf("collected at %v", s.CollectedAt)
	}
	if s.Coverage == nil || s.FormatVersion != inventory.FormatVersion {
		t.Errorf("%+v", s)
	}
}
