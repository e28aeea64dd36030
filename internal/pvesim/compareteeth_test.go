package pvesim

import (
	"strings"
	"testing"
)

// TestComparisonFindsDifferences: a comparison that finds nothing proves nothing.
func TestComparisonFindsDifferences(t *testing.T) {
	const path = apiRoot + "/cluster/resources?type=vm"
	want := `{"data":[{"id":"qemu/100","type":"qemu","vmid":100,"cpu":0.1,"name":"a","template":0},{"id":"qemu/1000","type":"qemu","vmid":1000,"cpu":0,"name":"b"}]}`
	for _, tc := range []struct{ name, path, old, new string }{
		{"a number as text", path, `"vmid":100,`, `"vmid":"100",`},
		{"a figure as text", path, `"cpu":0.1`, `"cpu":"0.1"`},
		{"a key more", path, `"name":"a"`, `"name":"a","x":1`},
		{"a key less", path, `"name":"a",`, ``},
		{"another value", path, `"name":"a"`, `"name":"c"`},
		{"null", path, `"name":"a"`, `"name":null`},
		{"a flag as a boolean", path, `"template":0`, `"template":false`},
		{"another order of the guests", path, `{"id":"qemu/100","type":"qemu","vmid":100,"cpu":0.1,"name":"a","template":0},{"id":"qemu/1000","type":"qemu","vmid":1000,"cpu":0,"name":"b"}`,
			`{"id":"qemu/1000","type":"qemu","vmid":1000,"cpu":0,"name":"b"},{"id":"qemu/100","type":"qemu","vmid":100,"cpu":0.1,"name":"a","template":0}`},
		{"a row less", path, `,{"id":"qemu/1000","type":"qemu","vmid":1000,"cpu":0,"name":"b"}`, ``},
		{"no JSON", path, `]}`, `]`},
		{"an object for a list", apiRoot + "/nodes", `{"data":[`, `{"data":{},"x":[`},
		{"another order of an ordered list", apiRoot + "/pools", `{"id":"qemu/100",`, `{"id":"qemu/10001",`},
	} {
		got := strings.Replace(want, tc.old, tc.new, 1)
		if got == want {
			t.Fatalf("%s: nothing was replaced", tc.name)
		}
		if diffs := compareBodies(tc.path, want, got); len(diffs) == 0 {
			t.Errorf("%s: no difference found", tc.name)
		}
	}
	other := strings.Replace(want, `"cpu":0.1`, `"cpu":0.7`, 1)
	if diffs := compareBodies(path, want, other); len(diffs) != 0 {
		t.Errorf("a volatile figure counts as a difference: %v", diffs)
	}
	if len(compareBodies(path, "", "x")) == 0 || len(compareBodies(path, "x", "")) == 0 {
		t.Error("a body that should be empty is not looked at")
	}
}

// TestExclusionRulesHold: the rules are applied, not only written down.
func TestExclusionRulesHold(t *testing.T) {
	for path, want := range map[string]bool{
		"/api2/json/version":                                           true,
		"/api2/json/cluster/resources?type=vm":                         true,
		"/api2/json/nodes/pve1/qemu/100/config?current=1":              true,
		"/api2/json/nodes/pve1/qemu/100/agent/network-get-interfaces":  true,
		"/api2/json/access/permissions?path=/vms/203":                  true,
		"/api2/json/pools/?poolid=a":                                   true,
		"/api2/json/nodes/pve1/qemu/100/pending":                       false,
		"/api2/json/cluster/config/nodes":                              false,
		"/api2/json/nodes/pve1/qemu/100/agent/get-osinfo":              false,
		"/api2/json/nodes/pve1/tasks/UPID%3Apve1%3A00004532%3A/status": false,
	} {
		if got := collectorEndpoints.MatchString(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	recs := loadRecordings(t, "pve8")
	for _, tc := range []struct {
		name  string
		excl  map[string]string
		wants int
	}{
		{"none", map[string]string{}, 0},
		{"one that the collector needs", map[string]string{"config_100": ""}, 1},
		{"one that does not exist", map[string]string{"nonsense": ""}, 1},
		{"too many", manyExclusions(recs), 1},
	} {
		if got := exclusionProblems(recs, tc.excl); len(got) != tc.wants {
			t.Errorf("%s: %d problems, want %d: %v", tc.name, len(got), tc.wants, got)
		}
	}
}

func manyExclusions(recs []recording) map[string]string {
	res := map[string]string{}
	for _, r := range recs {
		if strings.HasPrefix(r.Name, "pending_") {
			res[r.Name] = ""
		}
	}
	return res
}
