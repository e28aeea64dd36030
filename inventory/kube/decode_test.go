package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
)

func TestQuantity(t *testing.T) {
	for in, want := range map[string]int64{`"4"`: 4, `4`: 4, `"3920m"`: 4, `"2Ki"`: 2048, `"1e3"`: 1000, `null`: 0} {
		var q quantity
		if err := json.Unmarshal([]byte(in), &q); err != nil || q.Value() != want {
			t.Errorf("%s: %d, %v", in, q.Value(), err)
		}
	}
	for _, in := range []string{`"9e-99999999"`, `"1E+100000"`, `"many"`, `""`, `{}`, `"` + strings.Repeat("9", 100) + `"`} {
		var q quantity
		if err := json.Unmarshal([]byte(in), &q); err == nil {
			t.Errorf("%s was taken for %s", in, q.String())
		}
	}
}

func TestVMID(t *testing.T) {
	num := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		in   *int64
		want int
	}{{nil, 0}, {num(-1), 0}, {num(0), 0}, {num(99), 0}, {num(100), 100}, {num(999999999), 999999999}, {num(1000000000), 0}, {num(1 << 40), 0}} {
		got := vmid(c.in)
		if (got == nil) != (c.want == 0) || got != nil && *got != c.want {
			t.Errorf("%v: %v", c.in, got)
		}
	}
}

func TestIPAddresses(t *testing.T) {
	for in, want := range map[string][]string{
		`{"net0":{"ipv4":"10.0.0.1","ipv6":"2001:DB8::1"},"net1":{"ipv4":"10.0.0.2/24"}}`: {"10.0.0.1", "10.0.0.2", "2001:db8::1"},
		`[{"net":"net0","ipv4":["10.0.0.2","10.0.0.1"],"ipv6":[]},{"net":"net1"}]`:        {"10.0.0.1", "10.0.0.2"},
		`{"net0":{"ipv4":""}}`: nil, `[]`: nil, `{}`: nil, `null`: nil,
		`[{"ipv4":["not an address"]}]`: {"not an address"},
	} {
		var f ipAddressesForm
		if err := json.Unmarshal([]byte(in), &f); err != nil || !slices.Equal(f, want) {
			t.Errorf("%s: %v, %v", in, f, err)
		}
	}
	for _, in := range []string{`7`, `[7]`, `{"a":{"ipv4":7}}`} {
		var f ipAddressesForm
		if err := json.Unmarshal([]byte(in), &f); err == nil {
			t.Errorf("%s gave no error", in)
		}
	}
}

func TestImageTag(t *testing.T) {
	for in, want := range map[string]string{
		"registry.example.com:5000/a/b:v1.2.3":         "v1.2.3",
		"registry.example.com:5000/a/b":                "",
		"b:v1@sha256:0123":                             "v1",
		"registry.example.com:5000/a/b@sha256:0123456": "",
		"": "",
	} {
		if got := imageTag(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestReference(t *testing.T) {
	if (&reference{}).ref("ns") != nil || (*reference)(nil).ref("ns") != nil {
		t.Error("an empty reference refers to something")
	}
	got := (&reference{APIVersion: "v1", Kind: "Node", Name: "n"}).ref("ns")
	if *got != (inventory.Ref{Kind: "Node", Namespace: "ns", Name: "n"}) {
		t.Errorf("%+v", got)
	}
	if e := (&endpoint{Host: "2001:db8::1", Port: 6443}).String(); e != "[2001:db8::1]:6443" {
		t.Errorf("endpoint %s", e)
	}
	if e := (&endpoint{Port: 6443}).String(); e != "" {
		t.Errorf("endpoint %s", e)
	}
}

// TestEveryKindThatIsMalformed: each normaliser reports what it cannot read, and drops nothing else.
func TestEveryKindThatIsMalformed(t *testing.T) {
	for _, c := range []struct {
		k     kind
		count func(*inventory.Snapshot) int
	}{
		{kindCluster, func(s *inventory.Snapshot) int { return len(s.Clusters) }},
		{kindProxmoxMachine, func(s *inventory.Snapshot) int { return len(s.ProxmoxMachines) }},
		{kindMachineSet, func(s *inventory.Snapshot) int { return len(s.Groups) - 2 }},
		{kindDeployment, func(s *inventory.Snapshot) int { return len(s.Providers) }},
		{kindProxmoxCluster, func(s *inventory.Snapshot) int { return len(s.Objects) - 8 }},
	} {
		t.Run(c.k.kind, func(t *testing.T) {
			t.Parallel()
			srv := sim(t, kubesim.Config{}, kubesim.Options{}, "v1beta2")
			body := `{"kind":"` + c.k.kind + `List","apiVersion":"` + apiVersion(c.k.group, c.k.versions[0]) + `","metadata":{},"items":[{"metadata":{"name":"bad"},"status":7},{"metadata":{"name":"good"}}]}`
			srv.SetFaults(kubesim.Fault{Resource: c.k.scope(), Body: body})
			s := client(t, srv).CollectManagement(t.Context(), ManagementOptions{})
			cov := coverage(t, s, inventory.ManagementSource, c.k.scope())
			if cov.State != inventory.Partial || cov.Got != 1 || cov.Failed != 1 || !strings.Contains(cov.Reason, "bad: status is a number") || cov.Missing() != c.k.needed {
				t.Errorf("%+v", cov)
			}
			want := 1
			if c.k.scope() == kindProxmoxCluster.scope() {
				// Both objects are passed on as served; only the one that can be read is used.
				want = 3
			}
			if got := c.count(s); got != want {
				t.Errorf("%d objects, want %d", got, want)
			}
		})
	}
}

func TestDecodeReason(t *testing.T) {
	for in, want := range map[string]string{
		"something else": "something else",
		"json: cannot unmarshal string into Go value of type map":                              "json: cannot unmarshal string into Go value of type map",
		"json: cannot unmarshal bool into Go struct field machineObject.spec.x of type string": "spec.x is a bool where a string belongs",
		"json: cannot unmarshal bool into Go struct field machineObject.spec.x":                "json: cannot unmarshal bool into Go struct field machineObject.spec.x",
	} {
		if got := decodeReason(errors.New(in)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestJoinReasons(t *testing.T) {
	if got := joinReasons([]string{"a", "", "b", "a", "c", "d", "e"}); got != "a; b; c; and 2 more" {
		t.Errorf("%q", got)
	}
}

func TestServesClusterAPI(t *testing.T) {
	for name, c := range map[string]struct {
		config  kubesim.Config
		sources string
		want    bool
	}{
		"yes":                  {sources: "v1beta1", want: true},
		"no":                   {sources: "workload"},
		"in a newer version":   {sources: "workload", config: kubesim.Config{Kinds: []kubesim.Kind{{Group: "cluster.x-k8s.io", Kind: "Cluster", Versions: []string{"v1beta9"}}}}, want: true},
		"the group alone":      {sources: "workload", config: kubesim.Config{Kinds: []kubesim.Kind{{Group: "cluster.x-k8s.io", Kind: "Other", Versions: []string{"v1"}}}}},
		"yes, but it is stale": {sources: "v1beta1", config: kubesim.Config{Stale: []string{"cluster.x-k8s.io"}}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			srv := sim(t, c.config, kubesim.Options{}, c.sources)
			got, err := client(t, srv).ServesClusterAPI(t.Context())
			if err != nil || got != c.want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	srv := sim(t, kubesim.Config{Faults: []kubesim.Fault{{Path: "/apis", Body: "{}"}}}, kubesim.Options{}, "workload")
	if _, err := client(t, srv).ServesClusterAPI(t.Context()); err == nil || !strings.Contains(err.Error(), srv.URL()) {
		t.Errorf("%v", err)
	}
}

// TestExecPlugin: credentials from a program, as in kubectl, and what is said when it fails.
func TestExecPlugin(t *testing.T) {
	srv := sim(t, kubesim.Config{}, kubesim.Options{TLS: true, Token: "from-plugin"}, "workload")
	data, err := srv.Kubeconfig("sim")
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]inventory.State{
		`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"from-plugin"}}'`: inventory.Complete,
		`exit 3`: inventory.Refused,
	} {
		plugin := `exec: {command: sh, args: ["-c", ` + string(must(json.Marshal(script))) + `], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`
		path := t.TempDir() + "/config"
		write(t, path, strings.Replace(string(data), "token: from-plugin", plugin, 1))
		c, err := Connect(Target{Key: "k", Kubeconfig: path})
		if err != nil {
			t.Fatal(err)
		}
		s := c.CollectWorkload(t.Context(), "k", WorkloadOptions{})
		if cov := coverage(t, s, "cluster/k", inventory.ScopeNodes); cov.State != want {
			t.Errorf("%s: %+v", script, cov)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestServerWarningsGoToTheLog: client-go would print them to stderr.
func TestServerWarningsGoToTheLog(t *testing.T) {
	var got []string
	logf := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	for _, target := range []Target{{Key: "k", Logf: logf}, {Logf: logf}, {}} {
		c := &Client{target: target, context: "ctx"}
		warnings{c}.HandleWarningHeader(299, "", "deprecated")
	}
	// Without a key a message is about the context.
	if want := []string{"k: server warning: deprecated", "ctx: server warning: deprecated"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A kubelet that cannot read the firmware states /etc/machine-id instead, which is no VM's UUID. With hyphens it is the
// firmware's, also where the machine-id was made from it.
func TestMachineIDIsNoUUID(t *testing.T) {
	const id = "1a2b00013c4d4e5f8000000000000001"
	const uuid = "1a2b0001-3c4d-4e5f-8000-000000000001"
	for in, want := range map[string]string{id: "", strings.ToUpper(id): "", uuid: uuid, "2a2b00013c4d4e5f8000000000000001": "2a2b0001-3c4d-4e5f-8000-000000000001"} {
		content := map[string]any{"spec": map[string]any{"clusterName": "prod"}, "status": map[string]any{"nodeInfo": map[string]any{"systemUUID": in, "machineID": id}}}
		n, err := node(object{name: "n", content: content}, "prod")
		if err != nil || n.SystemUUID != want || n.RawSystemUUID != "" {
			t.Errorf("Node with %s: %q, raw %q, %v", in, n.SystemUUID, n.RawSystemUUID, err)
		}
		m, err := machine(object{name: "m", content: content}, clusterKeys{})
		if err != nil || m.SystemUUID != want {
			t.Errorf("Machine with %s: %q, %v", in, m.SystemUUID, err)
		}
	}
}
