package collect

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func kubeconfigSecret(cluster, kubeconfig string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s-kubeconfig, namespace: team}\ndata: {value: %s}\n",
		cluster, base64.StdEncoding.EncodeToString([]byte(kubeconfig)))
}

// The management cluster is in the configuration's list too, through another context: its Nodes are there once.
func TestManagementClusterListedAgain(t *testing.T) {
	l := newLab(t)
	l.plan.Workloads = append(l.plan.Workloads, Workload{Key: "headquarters", Target: l.target(t, l.mgmt, "admin@hq"),
		Selector: inventory.Selector{Tags: []string{"hq"}}})
	s := l.run(t)
	if got := keys(s); !slices.Equal(got, []string{"dev", "headquarters", "prod"}) {
		t.Errorf("clusters %q", got)
	}
	if len(s.Nodes) != 4 || s.Management.ClusterName != "headquarters" {
		t.Errorf("%d Nodes, management %+v", len(s.Nodes), s.Management)
	}
	if c := findCluster(t, s, "headquarters"); !slices.Equal(c.Selector.Tags, []string{"hq"}) || c.Access != "kubeconfig admin@hq" {
		t.Errorf("%+v", c)
	}
	if s.CoverageOf("cluster/mgmt", inventory.ScopeNodes) != nil {
		t.Error("the cluster that was dropped has coverage")
	}
	if !strings.Contains(l.log.text(), `"mgmt" is the same as "headquarters"`) {
		t.Errorf("log: %s", l.log.text())
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
}

// Two entries of the configuration lead to one API server: one of them is a mistake, and the VMs of either may be those of
// Nodes that nobody read.
func TestTwoEntriesOneCluster(t *testing.T) {
	l := newLab(t)
	l.plan.Workloads = append(l.plan.Workloads, Workload{Key: "a-prod", Target: l.target(t, l.prod, "prod-by-vip"),
		Selector: inventory.Selector{Names: "nas|db.*"}}, Workload{Key: "prod-too", Target: l.target(t, l.prod, "prod-too")})
	s := l.run(t)
	if got := keys(s); !slices.Equal(got, []string{"a-prod", "dev", "mgmt", "prod", "prod-too"}) || len(s.Nodes) != 4 {
		t.Errorf("clusters %q, %d Nodes", got, len(s.Nodes))
	}
	if c := findCluster(t, s, "prod"); !slices.Equal(c.Selector.Tags, []string{"prod"}) || c.Site != "home" || c.Declared == nil {
		t.Errorf("prod lost what the configuration says: %+v", c)
	}
	if c := findCluster(t, s, "a-prod"); c.Selector.Names != "nas|db.*" {
		t.Errorf("a-prod lost what the configuration says: %+v", c)
	}
	for _, key := range []string{"a-prod", "prod", "prod-too"} {
		c := coverage(t, s, inventory.ClusterSource(key), inventory.ScopeNodes)
		if !c.Missing() || !strings.Contains(c.Reason, `"`+key+`"`) || !strings.Contains(c.Reason, "are one cluster") || c.Remedy == "" {
			t.Errorf("%+v", c)
		}
	}
	for _, f := range audit.Orphans(s, audit.Options{}).Findings {
		if f.Class == identity.OrphanVM || f.Class == identity.GhostMachine {
			t.Errorf("%s is %s", f.Subject.ID, f.Class)
		}
	}
}

func TestDeclaredClusterWithoutAccess(t *testing.T) {
	l := newLab(t)
	l.plan.Workloads = []Workload{{Key: "prod", Selector: inventory.Selector{Tags: []string{"prod"}}, Site: "home"},
		{Key: "dev", Target: l.plan.Workloads[1].Target}}
	s := l.run(t)
	c := coverage(t, s, "cluster/prod", inventory.ScopeNodes)
	if c.State != inventory.NotAsked || !c.Missing() || !strings.Contains(c.Remedy, "name: prod") || !strings.Contains(c.Remedy, "--read-secrets") {
		t.Errorf("%+v", c)
	}
	if p := findCluster(t, s, "prod"); p.Declared == nil || p.Site != "home" || len(p.Selector.Tags) != 1 {
		t.Errorf("%+v", p)
	}
	if got := serious(s); len(got) != 0 {
		t.Errorf("findings without prod's Nodes: %q", got)
	}
}

func TestAccessBySecret(t *testing.T) {
	l := newLab(t)
	kubeconfig, err := l.prod.Kubeconfig("prod-admin@prod")
	if err != nil {
		t.Fatal(err)
	}
	l.mgmt = apiServer(t, kubesim.Config{}, declared(), cluster("lost", "192.0.2.60"), kubeconfigSecret("prod", string(kubeconfig)),
		nodes(map[string]int{"mgmt-1": 104}))
	l.plan.Management = l.target(t, l.mgmt, "mgmt2")
	selector := Workload{Key: "prod", Selector: inventory.Selector{Tags: []string{"prod"}}, Site: "home"}
	dev := l.plan.Workloads[1]
	secrets := func() (got []string) {
		for _, r := range l.mgmt.Requests() {
			if strings.Contains(r.Path, "/secrets") {
				got = append(got, r.Path)
			}
		}
		l.mgmt.Forget()
		slices.Sort(got)
		return got
	}
	const team = "/api/v1/namespaces/team/secrets/"

	t.Run("not allowed", func(t *testing.T) {
		l.plan.Workloads = []Workload{selector, dev}
		s := l.run(t)
		if got := secrets(); len(got) != 0 {
			t.Errorf("Secrets were read: %q", got)
		}
		if c := coverage(t, s, "cluster/prod", inventory.ScopeNodes); c.State != inventory.NotAsked {
			t.Errorf("%+v", c)
		}
	})
	t.Run("allowed for one", func(t *testing.T) {
		selector.ReadSecret = true
		l.plan.Workloads = []Workload{selector, dev}
		s := l.run(t)
		if got := secrets(); !slices.Equal(got, []string{team + "prod-kubeconfig"}) {
			t.Errorf("Secrets that were read: %q", got)
		}
		if p := findCluster(t, s, "prod"); p.Access != "secret team/prod-kubeconfig" || p.Declared == nil || p.Site != "home" || len(p.Selector.Tags) != 1 {
			t.Errorf("%+v", p)
		}
		if c := coverage(t, s, "cluster/prod", inventory.ScopeNodes); c.State != inventory.Complete || c.Got != 2 {
			t.Errorf("%+v", c)
		}
		if c := coverage(t, s, "cluster/lost", inventory.ScopeNodes); c.State != inventory.NotAsked {
			t.Errorf("%+v", c)
		}
	})
	t.Run("allowed for all", func(t *testing.T) {
		l.plan.ReadSecrets = true
		l.plan.Workloads = []Workload{dev}
		s := l.run(t)
		sent := 0
		for _, r := range l.mgmt.Requests() {
			if r.Path != "" {
				sent++
			}
		}
		if got := requestsOf(s, "management").Count + requestsOf(s, "cluster/mgmt2").Count; got != sent {
			t.Errorf("counted %d, sent %d", got, sent)
		}
		if got := secrets(); !slices.Equal(got, []string{team + "lost-kubeconfig", team + "prod-kubeconfig"}) {
			t.Errorf("Secrets that were read: %q", got)
		}
		c := coverage(t, s, "cluster/lost", inventory.ScopeNodes)
		if c.State != inventory.Failed || !strings.Contains(c.Reason, "secret team/lost-kubeconfig does not exist") || c.Remedy == "" {
			t.Errorf("%+v", c)
		}
		if len(s.Nodes) != 4 {
			t.Errorf("%d Nodes", len(s.Nodes))
		}
	})
	t.Run("not for those that the configuration leads to", func(t *testing.T) {
		l.plan.Workloads = []Workload{{Key: "prod", Target: l.target(t, l.prod, "prod")}, dev}
		s := l.run(t)
		if got := secrets(); !slices.Equal(got, []string{team + "lost-kubeconfig"}) {
			t.Errorf("Secrets that were read: %q", got)
		}
		if p := findCluster(t, s, "prod"); p.Access != "kubeconfig prod" {
			t.Errorf("%+v", p)
		}
	})
}

// The current context is a cluster without Cluster API: a run without declared machines, and nothing missing.
func TestManagementIfServed(t *testing.T) {
	l := newLab(t)
	l.plan.ManagementIfServed = true
	if s := l.run(t); s.Management == nil || len(s.Machines) != 4 {
		t.Errorf("the management cluster was not taken for one: %+v", s.Management)
	}
	l.plan.Management = l.target(t, l.dev, "laptop")
	l.plan.Workloads = nil
	l.plan.ReadSecrets = true
	s := l.run(t)
	if s.Management != nil || len(s.Nodes) != 1 || !slices.Equal(keys(s), []string{"laptop"}) || len(s.Incomplete()) != 0 {
		t.Errorf("%+v, clusters %q, %d Nodes, incomplete %+v", s.Management, keys(s), len(s.Nodes), s.Incomplete())
	}
	if q := requestsOf(s, "management"); q.Source != "" {
		t.Errorf("requests to a management cluster that there is none of: %+v", q)
	}
	if !strings.Contains(l.log.text(), `"laptop" does not serve Cluster API`) {
		t.Errorf("log: %s", l.log.text())
	}
	if sum := summary(s); sum.Incomplete {
		t.Errorf("%+v", sum)
	}
	// What is not known to be no management cluster is asked as one.
	l.plan.Management = l.dead(t, "gone")
	s = l.run(t)
	if s.Management == nil || coverage(t, s, "management", inventory.ScopeMachines).State != inventory.Failed {
		t.Errorf("%+v", s.Management)
	}
}

// The context's name says nothing: "prod" leads to the management cluster, which declares another cluster "prod".
func TestContextCalledLikeADeclaredCluster(t *testing.T) {
	l := newLab(t)
	l.plan.Management = l.target(t, l.mgmt, "prod")
	l.plan.Workloads[0].Target = nil
	s := l.run(t)
	if got := keys(s); !slices.Equal(got, []string{"dev", "management:prod", "prod"}) {
		t.Errorf("clusters %q", got)
	}
	if s.Management.ClusterName != "management:prod" {
		t.Errorf("%+v", s.Management)
	}
	if c := coverage(t, s, "cluster/prod", inventory.ScopeNodes); c.State != inventory.NotAsked {
		t.Errorf("%+v", c)
	}
	if c := coverage(t, s, "cluster/management:prod", inventory.ScopeNodes); c.State != inventory.Complete {
		t.Errorf("%+v", c)
	}
	if got := serious(s); len(got) != 0 {
		t.Errorf("findings without prod's Nodes: %q", got)
	}
	// With access to the other one under its name it is the same.
	l.plan.Workloads[0].Target = l.target(t, l.prod, "other")
	s = l.run(t)
	if got := keys(s); !slices.Equal(got, []string{"dev", "management:prod", "prod"}) || len(s.Incomplete()) != 0 {
		t.Errorf("clusters %q, incomplete %+v", got, s.Incomplete())
	}
	if got := serious(s); !slices.Equal(got, []string{"ghost-machine machine/team/prod-gone", "orphan-vm vm/home/105"}) {
		t.Errorf("findings %q", got)
	}
}

// A management cluster that manages itself is its own declared cluster.
func TestSelfHosted(t *testing.T) {
	l := newLab(t, func(s *settings) {
		s.management += cluster("mgmt", "192.0.2.70") + machine("mgmt", "mgmt-1", 104, "mgmt-1")
	})
	s := l.run(t)
	if c := findCluster(t, s, "mgmt"); c.Declared == nil || c.Access != "kubeconfig mgmt" || s.Management.ClusterName != "mgmt" {
		t.Errorf("%+v", c)
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
}

// The current context is named in the configuration too, under its own name: that is one entry and no contradiction.
func TestCurrentContextIsAnEntry(t *testing.T) {
	l := newLab(t)
	l.plan.Workloads = append(l.plan.Workloads, Workload{Key: "mgmt", Target: l.target(t, l.mgmt, "mgmt"),
		Selector: inventory.Selector{Tags: []string{"hq"}}})
	s := l.run(t)
	if got := keys(s); !slices.Equal(got, []string{"dev", "mgmt", "prod"}) || len(s.Nodes) != 4 {
		t.Errorf("clusters %q, %d Nodes", got, len(s.Nodes))
	}
	if c := findCluster(t, s, "mgmt"); !slices.Equal(c.Selector.Tags, []string{"hq"}) {
		t.Errorf("%+v", c)
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
}
