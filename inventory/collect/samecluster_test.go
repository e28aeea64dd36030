package collect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func TestSameCluster(t *testing.T) {
	const one, two = "https://192.0.2.1:6443", "https://192.0.2.2:6443"
	partly := func(f *inventory.Snapshot) *inventory.Snapshot {
		f.Coverage[0].State = inventory.Partial
		return f
	}
	elsewhere := func(f *inventory.Snapshot) *inventory.Snapshot {
		f.Nodes[0].SystemUUID = uuidOf(999)
		return f
	}
	nameless := func(f *inventory.Snapshot) *inventory.Snapshot {
		for i := range f.Nodes {
			f.Nodes[i].UID = ""
		}
		return f
	}
	for name, c := range map[string]struct {
		a, b *inventory.Snapshot
		same bool
	}{
		"all Nodes, through two URLs":              {read("a", one, "n1", "n2"), read("b", two, "n2", "n1"), true},
		"one Node, the only one":                   {read("a", one, "n1"), read("b", two, "n1"), true},
		"one Node of three":                        {read("a", one, "n1", "n2", "n3"), read("b", two, "n1", "x2", "x3"), false},
		"all but one, through two URLs":            {read("a", one, "n1", "n2"), read("b", two, "n1", "n2", "n3"), false},
		"all but one of the second, two URLs":      {read("a", one, "n1", "n2", "n3"), read("b", two, "n1", "n2"), false},
		"one joined between two reads of one URL":  {read("a", one, "n1", "n2"), read("b", one, "n1", "n2", "n3"), true},
		"one came and one went at one URL":         {read("a", one, "n1", "n2"), read("b", one, "n1", "n3"), true},
		"three came at one URL":                    {read("a", one, "n1"), read("b", one, "n1", "n2", "n3", "n4"), false},
		"all Nodes, whose servers nobody can tell": {read("a", "", "n1", "n2"), read("b", "", "n1", "n2"), true},
		"all but one, no URL":                      {read("a", "", "n1"), read("b", "", "n1", "n2"), false},
		"no Node":                                  {read("a", one), read("b", one), false},
		"no Node in one":                           {read("a", one), read("b", one, "n1"), false},
		"no Node shared":                           {read("a", one, "n1"), read("b", one, "n2"), false},
		"the first not read whole":                 {partly(read("a", one, "n1")), read("b", one, "n1"), false},
		"the second not read whole":                {read("a", one, "n1"), partly(read("b", one, "n1")), false},
		"another machine behind a Node":            {read("a", one, "n1", "n2"), elsewhere(read("b", one, "n1", "n2")), false},
		"Nodes without UIDs":                       {nameless(read("a", one, "n1")), nameless(read("b", one, "n1")), false},
	} {
		if got := sameCluster(c.a, c.b); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
		if got := sameCluster(c.b, c.a); got != c.same {
			t.Errorf("%s, the other way round: %v", name, got)
		}
	}
}

// A Node that joined between the two reads of one cluster is kept.
func TestMergeKeepsTheNewestNode(t *testing.T) {
	const url = "https://192.0.2.1:6443"
	l := &logbook{}
	s := joined(t, &run{plan: Plan{Logf: l.printf}, workloadSeen: []*inventory.Snapshot{read("a", url, "n1", "n2"), read("b", url, "n1", "n2", "n3")}})
	var got []string
	for _, n := range s.Nodes {
		got = append(got, n.Cluster+"/"+n.Name)
	}
	if !slices.Equal(got, []string{"a/n1", "a/n2", "a/n3"}) || !slices.Equal(keys(s), []string{"a"}) {
		t.Errorf("Nodes %q, clusters %q", got, keys(s))
	}
	if !strings.Contains(l.text(), `cluster "b" is the same as "a"`) {
		t.Errorf("log: %s", l.text())
	}
}

// Nodes that three clusters share make one entry in each that came later, which names the others.
func TestSharedNodesAreNoted(t *testing.T) {
	s := joined(t, &run{workloadSeen: []*inventory.Snapshot{read("a", "https://a", "n1", "a2"), read("b", "https://b", "n1", "b2"),
		read("c", "https://c", "n1", "c2", "c3")}})
	if !slices.Equal(keys(s), []string{"a", "b", "c"}) || len(s.Nodes) != 7 {
		t.Errorf("clusters %q, %d Nodes", keys(s), len(s.Nodes))
	}
	c := coverage(t, s, "cluster/c", inventory.ScopeSharedNodes)
	if c.State != inventory.Partial || c.Missing() || c.Asked != 3 || c.Got != 2 || c.Remedy == "" ||
		!strings.HasPrefix(c.Reason, `1 of the 3 Nodes of cluster "c" have the UID of a Node of "a" and "b"`) {
		t.Errorf("%+v", c)
	}
	if c := coverage(t, s, "cluster/b", inventory.ScopeSharedNodes); !strings.Contains(c.Reason, `"a"`) || strings.Contains(c.Reason, `"c"`) {
		t.Errorf("%+v", c)
	}
	if c := s.CoverageOf("cluster/a", inventory.ScopeSharedNodes); c != nil {
		t.Errorf("%+v", c)
	}
}

// oneNode is a Node with a UID of our choice.
func oneNode(name, uid string, vmid int) string {
	return strings.Replace(nodes(map[string]int{name: vmid}), "metadata: {", fmt.Sprintf("metadata: {uid: %s, ", uid), 1)
}

// A cluster was restored from another's etcd backup: it still has that one's Nodes, and one of its own.
func TestRestoredFromAnothersBackup(t *testing.T) {
	for name, c := range map[string]struct {
		// reused is true where a machine of the restored cluster registered under an old Node's name.
		reused bool
	}{
		"the old Nodes are left":        {},
		"a machine took an old Node on": {reused: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, func(s *settings) {
				fresh := guest(107, "prod-w7", "pve1")
				fresh.Tags = []string{"prod"}
				s.home.VMs[107] = fresh
				taken := guest(108, "prod-w8", "pve1")
				s.home.VMs[108] = taken
			})
			const cp, w1 = "5d3e9b1a-1111-4000-8000-000000000001", "5d3e9b1a-1111-4000-8000-000000000002"
			behind := 102
			if c.reused {
				behind = 108
			}
			l.prod = apiServer(t, kubesim.Config{}, oneNode("prod-cp", cp, 101), oneNode("prod-w1", w1, 102))
			restored := apiServer(t, kubesim.Config{}, oneNode("prod-cp", cp, 101), oneNode("prod-w1", w1, behind), nodes(map[string]int{"prod-w7": 107}))
			l.plan.Workloads[0].Target = l.target(t, l.prod, "prod")
			l.plan.Workloads = append(l.plan.Workloads, Workload{Key: "restored", Target: l.target(t, restored, "restored"),
				Selector: inventory.Selector{Names: "restored-.*"}})
			s := l.run(t)
			if got := keys(s); !slices.Equal(got, []string{"dev", "mgmt", "prod", "restored"}) || len(s.Nodes) != 4+3 {
				t.Errorf("clusters %q, %d Nodes", got, len(s.Nodes))
			}
			p, r := findCluster(t, s, "prod"), findCluster(t, s, "restored")
			if !slices.Equal(p.Selector.Tags, []string{"prod"}) || p.Declared == nil || r.Selector.Names != "restored-.*" || r.Access == "" {
				t.Errorf("the configuration's word is lost: %+v, %+v", p, r)
			}
			cov := coverage(t, s, "cluster/restored", inventory.ScopeSharedNodes)
			if !strings.HasPrefix(cov.Reason, "2 of the 3 Nodes") || !strings.Contains(cov.Reason, `"restored"`) || !strings.Contains(cov.Reason, `"prod"`) {
				t.Errorf("%+v", cov)
			}
			if !strings.Contains(l.log.text(), cov.Reason) {
				t.Errorf("log: %s", l.log.text())
			}
			got := serious(s)
			if slices.Contains(got, "orphan-vm vm/home/107") || slices.Contains(got, "orphan-vm vm/home/108") {
				t.Errorf("the VM of a healthy Node is called an orphan: %q", got)
			}
			if !c.reused && !slices.Equal(got, []string{ghost, orphan}) {
				t.Errorf("the same Node in two clusters is accused: %q", got)
			}
			if len(s.Incomplete()) != 0 {
				t.Errorf("incomplete: %+v", s.Incomplete())
			}
		})
	}
}
