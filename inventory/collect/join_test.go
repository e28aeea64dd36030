package collect

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// The simulators stand on loopback, where endpoints are nobody's: what joins by an endpoint is tested on fragments.

func TestSameEndpoint(t *testing.T) {
	for _, c := range []struct {
		endpoint, server string
		same             bool
	}{
		{"192.0.2.50:6443", "https://192.0.2.50:6443", true},
		{"192.0.2.50:6443", "https://192.0.2.50:6443/k8s/clusters/c-1", true},
		{"API.example.com:6443", "https://api.example.com:6443", true},
		{"api.example.com:443", "https://api.example.com", true},
		{"api.example.com:6443", "https://api.example.com.:6443", true},
		{"[2001:db8::10]:6443", "https://[2001:db8::10]:6443", true},
		{"192.0.2.50:6443", "https://192.0.2.50:8443", false},
		{"192.0.2.50:6443", "https://192.0.2.51:6443", false},
		{"192.0.2.50:6443", "https://192.0.2.50", false},
		{"127.0.0.1:6443", "https://127.0.0.1:6443", false},
		{"127.9.9.9:6443", "https://127.9.9.9:6443", false},
		{"localhost:6443", "https://localhost:6443", false},
		{"[::1]:6443", "https://[::1]:6443", false},
		{"[::ffff:127.0.0.1]:6443", "https://[::ffff:127.0.0.1]:6443", false},
		{"127.example.com:6443", "https://127.example.com:6443", true},
		{"", "https://192.0.2.50:6443", false},
		{"192.0.2.50:6443", "", false},
		{":6443", "https://:6443", false},
		{"192.0.2.50:6443", "://", false},
	} {
		if got := sameEndpoint(c.endpoint, c.server); got != c.same {
			t.Errorf("%q and %q: %v", c.endpoint, c.server, got)
		}
	}
}

// read is the fragment of a workload cluster whose Nodes are known by these names.
func read(key, server string, nodes ...string) *inventory.Snapshot {
	s := &inventory.Snapshot{Clusters: []inventory.Cluster{{Key: key, Server: server}},
		Coverage: []inventory.Coverage{{Source: inventory.ClusterSource(key), Scope: inventory.ScopeNodes, State: inventory.Complete}},
		Requests: []inventory.Requests{{Source: inventory.ClusterSource(key), Count: 3}}}
	for _, n := range nodes {
		s.Nodes = append(s.Nodes, inventory.Node{Cluster: key, Name: n, UID: "uid-" + n})
	}
	return s
}

// declares is the fragment of a management cluster: a Cluster with a Machine, a ProxmoxMachine and a Group.
func declares(key, endpoint, nodeRef string) *inventory.Snapshot {
	m := inventory.Meta{Namespace: "ns", Name: key}
	return &inventory.Snapshot{Management: &inventory.Management{Context: "ctx", ClusterName: "ctx"},
		Clusters:        []inventory.Cluster{{Key: key, Declared: &inventory.DeclaredCluster{Meta: m, ControlPlaneEndpoint: endpoint}}},
		Machines:        []inventory.Machine{{Meta: m, Cluster: key, NodeRef: nodeRef}},
		ProxmoxMachines: []inventory.ProxmoxMachine{{Meta: m, Cluster: key}},
		Groups:          []inventory.Group{{Meta: m, Cluster: key}},
	}
}

func joined(t *testing.T, r *run) *inventory.Snapshot {
	t.Helper()
	if r.plan.Management == nil {
		r.plan.Management = &kube.Target{}
	}
	r.timings = Timings{}
	s, err := r.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Sort()
	return s
}

// refersTo checks that all declared objects name one cluster, which is declared, read, and has what was configured.
func refersTo(t *testing.T, s *inventory.Snapshot, key string) {
	t.Helper()
	if s.Machines[0].Cluster != key || s.ProxmoxMachines[0].Cluster != key || s.Groups[0].Cluster != key {
		t.Errorf("the declared objects are of %q, %q and %q", s.Machines[0].Cluster, s.ProxmoxMachines[0].Cluster, s.Groups[0].Cluster)
	}
	if c := findCluster(t, s, key); c.Declared == nil || c.Server == "" {
		t.Errorf("%+v", c)
	}
	if len(s.Incomplete()) != 0 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
}

func TestJoinByEndpoint(t *testing.T) {
	tags := inventory.Selector{Tags: []string{"x"}}
	s := joined(t, &run{management: declares("prod", "192.0.2.50:6443", "n1"),
		workloadSeen: []*inventory.Snapshot{nil, read("by-vip", "https://192.0.2.50:6443", "n1")},
		// The configuration calls it by both names, and says by the declared one how its VMs are recognised.
		plan: Plan{Workloads: []Workload{{Key: "by-vip"}, {Key: "prod", Selector: tags, Site: "home"}}}})
	if got := keys(s); !slices.Equal(got, []string{"by-vip"}) {
		t.Errorf("clusters %q", got)
	}
	refersTo(t, s, "by-vip")
	if c := findCluster(t, s, "by-vip"); len(c.Selector.Tags) != 1 || c.Site != "home" {
		t.Errorf("the configuration's word is lost: %+v", c)
	}
}

// A cluster that was read is one declared Cluster's: the one of its name before the one of its endpoint.
func TestJoinIsOneToOne(t *testing.T) {
	m := declares("alpha", "192.0.2.50:6443", "")
	m.Append(declares("beta", "192.0.2.50:6443", ""))
	m.Append(declares("gamma", "192.0.2.50:6443", ""))
	s := joined(t, &run{management: m, workloadSeen: []*inventory.Snapshot{read("beta", "https://192.0.2.50:6443", "n1")}})
	if got := keys(s); !slices.Equal(got, []string{"alpha", "beta", "gamma"}) {
		t.Errorf("clusters %q", got)
	}
	for _, key := range keys(s) {
		if c := findCluster(t, s, key); c.Declared == nil || c.Declared.Name != key {
			t.Errorf("%s is declared by %+v", key, c.Declared)
		}
	}
	for _, key := range []string{"alpha", "gamma"} {
		if c := coverage(t, s, "cluster/"+key, inventory.ScopeNodes); c.State != inventory.NotAsked {
			t.Errorf("%+v", c)
		}
	}
}

func TestSettleSelf(t *testing.T) {
	for name, c := range map[string]struct {
		r    *run
		keys []string
		self string
	}{
		"its own name": {&run{management: declares("prod", "", ""), self: read("ctx", "https://m", "m1")},
			[]string{"ctx", "prod"}, "ctx"},
		"a Machine names its Node": {&run{management: declares("ctx", "", "m1"), self: read("ctx", "https://m", "m1")},
			[]string{"ctx"}, "ctx"},
		"the endpoint is its own": {&run{management: declares("ctx", "192.0.2.1:443", ""), self: read("ctx", "https://192.0.2.1", "m1")},
			[]string{"ctx"}, "ctx"},
		"the configuration says so": {&run{management: declares("ctx", "192.0.2.9:6443", "n1"), self: read("ctx", "https://m", "m1"),
			plan: Plan{Management: &kube.Target{Key: "ctx"}}}, []string{"ctx"}, "ctx"},
		"nothing says so": {&run{management: declares("ctx", "192.0.2.9:6443", "n1"), self: read("ctx", "https://m", "m1")},
			[]string{"ctx", "management:ctx"}, "management:ctx"},
		"it was not read": {&run{management: declares("ctx", "192.0.2.9:6443", "n1"), self: read("ctx", "https://m")},
			[]string{"ctx", "management:ctx"}, "management:ctx"},
		"a workload of the name": {&run{management: declares("prod", "", ""), self: read("ctx", "https://m", "m1"),
			workloadSeen: []*inventory.Snapshot{read("ctx", "https://w", "w1")}}, []string{"ctx", "management:ctx", "prod"}, "management:ctx"},
		"a workload of the name, not read": {&run{management: declares("prod", "", ""), self: read("ctx", "https://m", "m1"),
			workloadSeen: []*inventory.Snapshot{read("ctx", "https://w")}}, []string{"ctx", "management:ctx", "prod"}, "management:ctx"},
		"a workload of the name, which it is": {&run{management: declares("prod", "", ""), self: read("ctx", "https://m", "m1"),
			workloadSeen: []*inventory.Snapshot{read("ctx", "https://w", "m1")}}, []string{"ctx", "prod"}, "ctx"},
		"no management cluster, only a context": {&run{self: read("ctx", "https://m", "m1"),
			workloadSeen: []*inventory.Snapshot{read("ctx", "https://w", "w1")}}, []string{"ctx", "management:ctx"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := joined(t, c.r)
			if got := keys(s); !slices.Equal(got, c.keys) {
				t.Errorf("clusters %q, want %q", got, c.keys)
			}
			self := ""
			if s.Management != nil {
				self = s.Management.ClusterName
			}
			if self != c.self {
				t.Errorf("the management cluster is %q, want %q", self, c.self)
			}
			seen := map[string]bool{}
			for _, cov := range s.Coverage {
				if id := cov.Source + " " + cov.Scope; seen[id] {
					t.Errorf("coverage of %s stands there twice", id)
				} else {
					seen[id] = true
				}
			}
			for _, n := range s.Nodes {
				// A Node's name begins like the cluster it is of: m1 in the management cluster.
				if n.Name == "m1" && slices.Contains(c.keys, "management:ctx") != strings.HasPrefix(n.Cluster, "management:") {
					t.Errorf("the Node is of %q", n.Cluster)
				}
			}
		})
	}
}

// A declared cluster that the run can reach already needs no Secret.
func TestKnownAlready(t *testing.T) {
	d := declares("prod", "192.0.2.50:6443", "").Clusters[0]
	for name, c := range map[string]struct {
		seen  *inventory.Snapshot
		known bool
	}{
		"by its name":     {read("prod", "https://elsewhere"), true},
		"by its endpoint": {read("vip", "https://192.0.2.50:6443"), true},
		"not at all":      {read("vip", "https://192.0.2.51:6443"), false},
	} {
		if got := knownAlready(&d, []*inventory.Snapshot{c.seen}); got != c.known {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCompareHosts(t *testing.T) {
	host := func(pairs ...string) *inventory.Site {
		s := &inventory.Site{}
		for i := 0; i < len(pairs); i += 2 {
			s.Nodes = append(s.Nodes, inventory.ProxmoxNode{Name: pairs[i], IP: pairs[i+1]})
		}
		return s
	}
	one := host("a", "192.0.2.1", "b", "192.0.2.2")
	for name, c := range map[string]struct {
		other *inventory.Site
		want  hosts
	}{
		"the same":              {host("b", "192.0.2.2", "a", "192.0.2.1"), hostsSame},
		"one address not known": {host("b", "", "a", "192.0.2.1"), hostsSame},
		"no address known":      {host("b", "", "a", ""), hostsUnknown},
		"one more":              {host("a", "192.0.2.1", "b", "192.0.2.2", "c", "192.0.2.3"), hostsUnknown},
		"one fewer":             {host("a", "192.0.2.1"), hostsUnknown},
		"another address":       {host("a", "192.0.2.1", "b", "192.0.2.9"), hostsDiffer},
		"another name":          {host("a", "192.0.2.1", "c", "192.0.2.2"), hostsUnknown},
		"no host known":         {host(), hostsUnknown},
	} {
		if got := compareHosts(one, c.other); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := compareHosts(c.other, one); got != c.want {
			t.Errorf("%s, the other way round: %v", name, got)
		}
	}
}

// Where addresses do not tell, one VM that is the same in two sites does not make them one, and two do.
func TestSitesDifferWithoutAddresses(t *testing.T) {
	vm := func(site string, vmid int, digest string) inventory.VM {
		return inventory.VM{Site: site, VMID: vmid, Node: "pve", Type: inventory.GuestQEMU,
			Config: &inventory.VMConfig{Digest: digest, UUID: uuidOf(vmid)}}
	}
	hosts := []inventory.ProxmoxNode{{Name: "pve"}}
	for name, c := range map[string]struct {
		second [2]string
		ip     string
		one    bool
	}{
		"both the same":               {second: [2]string{"d1", "d2"}, one: true},
		"one the same":                {second: [2]string{"d1", "other"}},
		"none the same":               {second: [2]string{"other", "other"}},
		"one the same, same address":  {second: [2]string{"d1", "other"}, ip: "192.0.2.1", one: true},
		"none the same, same address": {second: [2]string{"other", "other"}, ip: "192.0.2.1"},
	} {
		first := inventory.Site{Name: "a", URL: "https://a", Nodes: slices.Clone(hosts)}
		first.Nodes[0].IP = c.ip
		second := inventory.Site{Name: "b", URL: "https://b", Nodes: first.Nodes}
		s := &inventory.Snapshot{Sites: []inventory.Site{first, second}, VMs: []inventory.VM{vm("a", 1, "d1"), vm("a", 2, "d2"),
			vm("b", 1, c.second[0]), vm("b", 2, c.second[1])}}
		if err := sitesDiffer(s); (err != nil) != c.one {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One key for all clients of a run: a secret that two clusters share stays recognisable as one.
func TestHashKeyIsTheRuns(t *testing.T) {
	r := &run{hashKey: []byte("of the run")}
	if got := r.target(kube.Target{}); string(got.HashKey) != "of the run" {
		t.Errorf("%q", got.HashKey)
	}
	if got := r.target(kube.Target{HashKey: []byte("its own")}); string(got.HashKey) != "its own" {
		t.Errorf("%q", got.HashKey)
	}
}
