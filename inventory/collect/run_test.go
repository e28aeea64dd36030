package collect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// serious lists the findings that say that something may be deleted, as CLASS ID.
func serious(s *inventory.Snapshot) []string {
	var out []string
	for _, f := range audit.Orphans(s, audit.Options{}).Findings {
		switch f.Class {
		case identity.OrphanVM, identity.GhostMachine, identity.GhostNode, identity.NonNode, identity.DetachedInfra, identity.Conflict:
			out = append(out, fmt.Sprintf("%s %s", f.Class, f.Subject.ID))
		default:
		}
	}
	slices.Sort(out)
	return out
}

func TestWholeRun(t *testing.T) {
	l := newLab(t)
	var mu sync.Mutex
	finished := map[string]bool{}
	l.plan.Progress = func(source string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		finished[source] = done == total
	}
	s := l.run(t)
	if s.FormatVersion != inventory.FormatVersion || !s.CollectedAt.Equal(noon) || s.ToolVersion != "test" {
		t.Errorf("%q %v %q", s.FormatVersion, s.CollectedAt, s.ToolVersion)
	}
	if len(s.Sites) != 2 || len(s.VMs) != 5+2 || len(s.Nodes) != 4 || len(s.Machines) != 4 || len(s.ProxmoxMachines) != 4 {
		t.Fatalf("%d sites, %d VMs, %d Nodes, %d Machines, %d ProxmoxMachines", len(s.Sites), len(s.VMs), len(s.Nodes), len(s.Machines), len(s.ProxmoxMachines))
	}
	if got := keys(s); !slices.Equal(got, []string{"dev", "mgmt", "prod"}) {
		t.Errorf("clusters %q", got)
	}
	if s.Management == nil || s.Management.ClusterName != "mgmt" || s.Management.Context != "mgmt" {
		t.Errorf("management %+v", s.Management)
	}
	prod := findCluster(t, s, "prod")
	if prod.Declared == nil || prod.Access != "kubeconfig prod" || prod.Site != "home" || !slices.Equal(prod.Selector.Tags, []string{"prod"}) {
		t.Errorf("prod is %+v", prod)
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
	for i := range s.VMs {
		if s.VMs[i].Agent != nil {
			t.Errorf("an agent was asked that nobody wanted: %+v", s.VMs[i])
		}
	}
	// 150 is a guest of edge, and prod lies at home.
	if len(s.Probes) != 2 {
		t.Fatalf("probes %+v", s.Probes)
	}
	hidden, free := s.Probes[0], s.Probes[1]
	if hidden.VMID != 106 || hidden.Existence != inventory.Exists || hidden.MayAudit == nil || *hidden.MayAudit {
		t.Errorf("the hidden guest: %+v", hidden)
	}
	if free.VMID != 150 || free.Existence != inventory.Free || free.Site != "home" {
		t.Errorf("the guest that is gone: %+v", free)
	}
	if got := serious(s); !slices.Equal(got, []string{"ghost-machine machine/team/prod-gone", "orphan-vm vm/home/105"}) {
		t.Errorf("findings %q", got)
	}
	for _, source := range []string{"site/home", "site/edge", "management", "cluster/prod", "cluster/dev"} {
		if !finished[source] {
			t.Errorf("the progress of %s does not end: %v", source, finished)
		}
	}
	if !reflect.DeepEqual(s, s.Sorted()) {
		t.Error("the Snapshot is not sorted")
	}
}

// At most N + 6 per site, and two per probe; what is counted is what was sent.
func TestRequestBudget(t *testing.T) {
	l := newLab(t)
	s := l.run(t)
	probes := 3 // two questions about 106, one about 150
	if got, sent := requestsOf(s, "site/home"), len(l.home.Requests()); got.Count != sent || sent > 6+6+probes || got.Retries != 0 {
		t.Errorf("home: %+v, sent %d", got, sent)
	}
	if n := l.home.CountPath("/cluster/nextid"); n != 2 {
		t.Errorf("%d probes were sent", n)
	}
	if got, sent := requestsOf(s, "site/edge"), len(l.edge.Requests()); got.Count != sent || sent > 2+6 {
		t.Errorf("edge: %+v, sent %d", got, sent)
	}
	if l.edge.CountPath("/cluster/nextid") != 0 {
		t.Error("edge was probed for a cluster that lies at home")
	}
	if got, sent := requestsOf(s, "management").Count+requestsOf(s, "cluster/mgmt").Count, len(l.mgmt.Requests()); got != sent {
		t.Errorf("management: counted %d, sent %d", got, sent)
	}
	for key, server := range map[string]interface{ count() int }{"prod": counter(func() int { return len(l.prod.Requests()) }), "dev": counter(func() int { return len(l.dev.Requests()) })} {
		if got := requestsOf(s, "cluster/"+key).Count; got != server.count() || got != 3 {
			t.Errorf("%s: counted %d, sent %d", key, got, server.count())
		}
	}
}

// TestZeroConfigurationIsCounted: finding out whether the current context is a management cluster costs too.
func TestZeroConfigurationIsCounted(t *testing.T) {
	for _, name := range []string{"mgmt", "dev"} {
		l := newLab(t)
		l.plan.ManagementIfServed = true
		server := l.mgmt
		if name == "dev" {
			l.plan.Workloads, server = l.plan.Workloads[:1], l.dev
		}
		l.plan.Management = l.target(t, server, name)
		s := l.run(t)
		said := requestsOf(s, "management").Count + requestsOf(s, "cluster/"+name).Count
		if saw := len(server.Requests()); said != saw || saw == 0 {
			t.Errorf("%s: counted %d, sent %d: %+v", name, said, saw, s.Requests)
		}
	}
}

type counter func() int

func (c counter) count() int { return c() }

// Without a site for the cluster, the VMID may be any site's.
func TestProbesEverySite(t *testing.T) {
	l := newLab(t)
	l.plan.Workloads[0].Site = ""
	s := l.run(t)
	var got []string
	for _, p := range s.Probes {
		got = append(got, fmt.Sprintf("%s/%d %s", p.Site, p.VMID, p.Existence))
	}
	// edge/150 is on edge's list.
	if !slices.Equal(got, []string{"edge/102 free", "edge/106 free", "home/106 exists", "home/150 free"}) {
		t.Errorf("probes %q", got)
	}
}

// Only the agent of the VM that nothing else identified is asked, and only on demand.
func TestGuestAgent(t *testing.T) {
	l := newLab(t)
	l.plan.GuestAgent = true
	s := l.run(t)
	for i := range s.VMs {
		vm := &s.VMs[i]
		if (vm.Agent != nil) != (vm.Site == "home" && vm.VMID == 105) {
			t.Errorf("%s has agent %+v", vm.Key(), vm.Agent)
		}
		if vm.Agent != nil && (len(vm.Agent.Interfaces) != 1 || vm.Agent.Interfaces[0].Addresses[0] != "192.0.2.105/24") {
			t.Errorf("%+v", vm.Agent)
		}
	}
	asked := 0
	for _, r := range append(l.home.Requests(), l.edge.Requests()...) {
		if strings.Contains(r.Path, "/agent/") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("%d agents were asked", asked)
	}
	if c := coverage(t, s, "site/home", inventory.ScopeAgent); c.State != inventory.Complete || c.Asked != 1 {
		t.Errorf("%+v", c)
	}
	if s.CoverageOf("site/edge", inventory.ScopeAgent) != nil {
		t.Error("edge has nobody to ask")
	}
}

func TestSameBytesWhateverTheOrder(t *testing.T) {
	l := newLab(t)
	l.plan.GuestAgent = true
	// Two entries that are one cluster: which of them has the Nodes must not depend on the order either.
	l.plan.Workloads = append(l.plan.Workloads, Workload{Key: "also-dev", Target: l.target(t, l.dev, "also-dev"), Selector: inventory.Selector{Names: "dev-.*"}})
	var first string
	for i := range 4 {
		s := l.run(t)
		b, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		}
		if string(b) != first {
			t.Fatalf("run %d differs:\n%s\nfrom\n%s", i, b, first)
		}
		slices.Reverse(l.plan.Sites)
		slices.Reverse(l.plan.Workloads)
		if i == 1 {
			l.plan.Workloads[0], l.plan.Workloads[1] = l.plan.Workloads[1], l.plan.Workloads[0]
		}
	}
}

// Nothing that leaves the run holds a secret, whatever goes wrong.
func TestNoSecretLeaves(t *testing.T) {
	run := func(t *testing.T, l *lab) string {
		s, _, err := Run(t.Context(), l.plan)
		b, jerr := json.Marshal(s)
		if jerr != nil {
			t.Fatal(jerr)
		}
		told, _ := Doctor(t.Context(), l.plan)
		checks, jerr := json.Marshal(told)
		if jerr != nil {
			t.Fatal(jerr)
		}
		return fmt.Sprintf("%s\n%v\n%s\n%s", b, err, l.log.text(), checks)
	}
	for name, spoil := range map[string]func(*lab){
		"all well": func(*lab) {},
		"refused everywhere": func(l *lab) {
			l.plan.Sites[0].TokenID = "nobody@pve!x"
			l.plan.Sites[1].Secret = inventory.NewSecret("ca9a2ecc-0000-4000-8000-0000000c9999")
		},
		"secrets read":             func(l *lab) { l.plan.ReadSecrets = true; l.plan.Workloads = nil },
		"adoption":                 func(l *lab) { l.plan.Adoption = true; l.plan.ReadSecrets = true },
		"adoption without leave":   func(l *lab) { l.plan.Adoption = true },
		"adoption through Secrets": func(l *lab) { l.plan.Adoption = true; l.plan.ReadSecrets = true; l.plan.Workloads = nil },
		"a URL with a password": func(l *lab) {
			l.plan.Sites[0].URL = strings.Replace(l.plan.Sites[0].URL, "https://", "https://u:"+canary+"@", 1)
		},
		"a secret where the ID belongs": func(l *lab) { l.plan.Sites[0].TokenID = homeSecret },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, func(s *settings) {
				s.management += kubeconfigSecret("prod", canary) + pkiSecrets()
				s.prod = systemPods()
			})
			spoil(l)
			out := run(t, l)
			if len(out) < 500 {
				t.Fatalf("that is no run: %s", out)
			}
			if i := strings.Index(out, canaries); i >= 0 {
				t.Errorf("…%s…", out[max(0, i-200):min(len(out), i+100)])
			}
		})
	}
}

func summary(s *inventory.Snapshot) audit.Summary { return audit.Orphans(s, audit.Options{}).Summary }
