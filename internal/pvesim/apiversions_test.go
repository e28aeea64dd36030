package pvesim

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestVersion7(t *testing.T) {
	s := startServer(t, parse(t, `
version: "7"
tokens: {a@pve!tok: {role: PVEAuditor}, b@pve!tok: {}}
pools: {team: {comment: c, vms: [100]}}
vms: {100: {name: a, memory: 2048, status: running}}
options: {console: html5}
`), quick())
	if _, data := get(t, s, "/version"); text(data) != `{"console":"html5","release":"7.4","repoid":"0aa11bb2","version":"7.4-20"}` {
		t.Errorf("version: %s", text(data))
	}
	if _, data := get(t, s, "/nodes/pve1/qemu/100/config"); data.(map[string]any)["memory"] != 2048.0 {
		t.Errorf("memory is a number in 7: %v", data)
	}
	_, data := get(t, s, "/access/permissions")
	if m := data.(map[string]any); m["/pools"] == nil || m["/pool"] != nil {
		t.Errorf("the dump of 7 has /pools, not /pool: %v", m)
	}
	a := rawRequest(t, s, "pve1", http.MethodGet, apiRoot+"/nodes/pve1/qemu/100/config", s.AuthHeader("b@pve!tok"), "", nil)
	if a.reason != "Permission check failed (/vms/100, VM.Audit)" || a.body != `{"data":null}` {
		t.Errorf("an error of 7 has its text in the reason phrase alone: %q %q", a.reason, a.body)
	}
	if st, _ := get(t, s, "/pools?poolid=team"); st != "Bad Request: Parameter verification failed." {
		t.Errorf("?poolid= is of version 8: %s", st)
	}
	if _, data := get(t, s, "/pools/team"); data.(map[string]any)["comment"] != "c" {
		t.Errorf("pool: %v", data)
	}
	if st, _ := get(t, s, "/nodes/pve1/qemu/100/agent/info"); st != "Forbidden: Permission check failed (/vms/100, VM.Monitor)" {
		t.Errorf("the agent needs VM.Monitor: %s", st)
	}
	_, data = get(t, s, "/cluster/options")
	if m := data.(map[string]any); m["allowed-tags"] != nil || m["console"] != "html5" {
		t.Errorf("options: %v", m)
	}
	if st, _ := getAs(t, s, "b@pve!tok", "/cluster/options"); st != "Forbidden: Permission check failed (/, Sys.Audit)" {
		t.Errorf("options without Sys.Audit: %s", st)
	}
	_, data = get(t, s, "/nodes/pve1")
	if _, ok := rows(t, data, "name")["suspendall"]; ok {
		t.Error("suspendall is of version 8")
	}
}

// TestRunningFigures: what version 9 adds, and what a process adds that tells its
// version.
func TestRunningFigures(t *testing.T) {
	s := startServer(t, parse(t, `
version: "9"
tokens: {root@pam!full: {privsep: false}}
ha: {"vm:100": {state: started, service: started, comment: c}, "ct:200": }
vms: {100: {name: a, status: running, qemu: 9.0.2, pid: 4711, options: {balloon: "512", shares: "2000", serial0: socket}}}
containers: {200: {name: ct, status: running}}
`), quick())
	_, data := get(t, s, "/nodes/pve1/qemu/100/status/current")
	m := data.(map[string]any)
	for k, want := range map[string]any{
		"pid": 4711.0, "running-qemu": "9.0.2", "running-machine": "pc-i440fx-9.0+pve0", "shares": 2000.0, "serial": 1.0,
		"pressurecpusome": 0.0, "balloon_min": 512.0 * mib,
	} {
		if m[k] != want {
			t.Errorf("%s: got %v, want %v", k, m[k], want)
		}
	}
	if text(m["ha"]) != `{"managed":1,"state":"started"}` {
		t.Errorf("ha: %s", text(m["ha"]))
	}
	_, data = get(t, s, "/cluster/resources?type=vm")
	if r := rows(t, data, "vmid"); r[100.0]["hastate"] != "started" || r[200.0]["hastate"] != "started" {
		t.Errorf("hastate: %v", r)
	}
	_, data = get(t, s, "/cluster/ha/resources?type=vm")
	if r := rows(t, data, "sid"); len(r) != 1 || r["vm:100"]["comment"] != "c" || len(r["vm:100"]["digest"].(string)) != 40 {
		t.Errorf("ha resources: %v", r)
	}
	_, data = get(t, s, "/cluster/ha/status/current")
	if r := rows(t, data, "id"); r["service:vm:100"]["status"] != "vm:100 (pve1, started)" || r["service:ct:200"]["state"] != "queued" {
		t.Errorf("ha status: %v", r)
	}
}

func TestGroupsOfHA8(t *testing.T) {
	s := startServer(t, parse(t, "version: \"8\"\ntokens: {root@pam!full: {privsep: false}}\nha: {\"vm:100\": {group: g}}\nvms: {100: }\n"), quick())
	for path, key := range map[string]string{"/cluster/ha/resources": "sid", "/cluster/ha/status/current": "sid"} {
		_, data := get(t, s, path)
		if r := rows(t, data, key)["vm:100"]; r["group"] != "g" {
			t.Errorf("%s: %v", path, r)
		}
	}
	_, data := get(t, s, "/nodes/pve1/qemu/100/status/current")
	if ha := data.(map[string]any)["ha"].(map[string]any); ha["group"] != "g" {
		t.Errorf("ha: %v", ha)
	}
}

func TestAgentAnswers(t *testing.T) {
	s := startServer(t, parse(t, `
version: "9"
vms:
  100:
    status: running
    agent:
      hostname: guest-a
      interfaces:
        - {name: Ethernet, ips: ["192.0.2.5", "fe80::1%3"]}
        - {name: lo}
      errors: {get-fsinfo: {class: GenericError, desc: broken}}
  101: {status: running, agent: {dead: true}}
  102: {status: paused, agent: {}}
  103: {status: running, agent: {}, options: {agent: "0"}}
`), quick())
	const dead = "Internal Server Error: QEMU guest agent is not running"
	for _, tc := range []struct{ path, status, data string }{
		{"100/agent/get-host-name", "OK: OK", `{"result":{"host-name":"guest-a"}}`},
		{"100/agent/get-fsinfo", "OK: OK", `{"result":{"error":{"class":"GenericError","desc":"broken"}}}`},
		{"100/agent/get-users", "OK: OK", `{"result":{"error":{"class":"CommandNotFound","desc":"The command guest-get-users has not been found"}}}`},
		{"100/agent/info", "OK: OK", `{"result":{"supported_commands":[],"version":"9.0.2"}}`},
		{"100/agent/network-get-interfaces", "OK: OK", `{"result":[{"ip-addresses":[{"ip-address":"192.0.2.5","ip-address-type":"ipv4","prefix":-1},` +
			`{"ip-address":"fe80::1%3","ip-address-type":"ipv6","prefix":-1}],"name":"Ethernet"},{"name":"lo"}]}`},
		{"101/agent/get-host-name", dead, "null"},
		{"102/agent/get-host-name", dead, "null"},
		{"103/agent/get-host-name", dead, "null"},
		{"100/agent/get-nothing", "Not Implemented: Method 'GET /nodes/pve1/qemu/100/agent/get-nothing' not implemented", "null"},
	} {
		st, data := get(t, s, "/nodes/pve1/qemu/"+tc.path)
		if st != tc.status || text(data) != tc.data {
			t.Errorf("%s: got %s %s, want %s %s", tc.path, st, text(data), tc.status, tc.data)
		}
	}
}

func TestTasks(t *testing.T) {
	s := startServer(t, parse(t, `
tokens: {a@pve!tok: {role: PVEAuditor}, b@pve!tok: {}}
tasks:
  - {node: pve1, type: qmstart, id: "101", user: "b@pve!tok", started: 300}
  - {node: pve1, type: qmclone, id: "100", user: "a@pve!tok", started: 200, ended: 210, status: "clone failed"}
  - {node: pve1, type: vzdump, id: "100", started: 100, ended: 110}
`), quick())
	count := func(token, path string) int {
		t.Helper()
		st, data := getAs(t, s, token, path)
		if st != "OK: OK" {
			t.Fatalf("%s: %s", path, st)
		}
		return len(data.([]any))
	}
	for _, tc := range []struct {
		token, path string
		want        int
	}{
		{"a@pve!tok", "/cluster/tasks", 3},
		{"b@pve!tok", "/cluster/tasks", 0}, // a token is not the user of its tasks there
		{"a@pve!tok", "/nodes/pve1/tasks", 2},
		{"a@pve!tok", "/nodes/pve1/tasks?source=all", 3},
		{"a@pve!tok", "/nodes/pve1/tasks?source=active", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?vmid=100", 2},
		{"a@pve!tok", "/nodes/pve1/tasks?since=150", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?until=150", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?typefilter=vzdump", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?userfilter=ROOT", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?errors=1", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?limit=1", 1},
		{"a@pve!tok", "/nodes/pve1/tasks?start=1", 1},
		{"b@pve!tok", "/nodes/pve1/tasks?source=all", 1},
	} {
		if got := count(tc.token, tc.path); got != tc.want {
			t.Errorf("%s as %s: %d tasks, want %d", tc.path, tc.token, got, tc.want)
		}
	}
	upid := url.PathEscape(s.current().fleet.Tasks[1].upid())
	if _, data := get(t, s, "/nodes/pve1/tasks/"+upid+"/status"); data.(map[string]any)["exitstatus"] != "clone failed" {
		t.Errorf("status of a task that failed: %v", data)
	}
	if st, _ := getAs(t, s, "b@pve!tok", "/nodes/pve1/tasks/"+upid+"/status"); st != "Forbidden: Permission check failed (/nodes/pve1, Sys.Audit)" {
		t.Errorf("another's task: %s", st)
	}
	if st, _ := get(t, s, "/nodes/pve1/tasks/UPID:x/status"); !strings.HasPrefix(st, "Internal Server Error") {
		t.Errorf("a task that does not exist: %s", st)
	}
}

func TestSmallEndpoints(t *testing.T) {
	s := startServer(t, parse(t, `
tokens: {a@pve!tok: {role: PVEAuditor, comment: c}, b@pve!tok: {}, root@pam!full: {privsep: false}}
users: {u@pve: {enabled: false, comment: left}}
storages:
  local: {nodes: [pve1]}
  ceph: {type: rbd, shared: true, content: [images]}
nodes: {pve1: , pve2: }
pools: {team: {vms: [100, 200], storages: [ceph]}}
vms: {100: {name: a, tags: [x]}}
containers: {200: }
`), quick())
	for _, tc := range []struct{ token, path, want string }{
		{"b@pve!tok", "/access/users", `["b@pve"]`},
		{"a@pve!tok", "/access/users?enabled=0", `["u@pve"]`},
		{"a@pve!tok", "/access/users/a@pve/token", `["tok"]`},
		{"b@pve!tok", "/access/acl", `[]`},
		{"root@pam!full", "/access/acl", `["/","/"]`},
		{"a@pve!tok", "/nodes/pve1/storage", `["ceph","local"]`},
		{"a@pve!tok", "/nodes/pve2/storage", `["ceph"]`},
		{"a@pve!tok", "/nodes/pve1/storage?storage=local", `["local"]`},
		{"b@pve!tok", "/nodes/pve1/storage", `[]`},
		{"a@pve!tok", "/cluster/resources?type=storage", `["ceph","ceph","local"]`},
		{"a@pve!tok", "/cluster/resources?type=sdn", `[]`},
		{"b@pve!tok", "/cluster/resources?type=vm", `[]`},
		{"b@pve!tok", "/nodes/pve1/lxc", `[]`},
	} {
		st, data := getAs(t, s, tc.token, tc.path)
		if got := text(names(data)); st != "OK: OK" || got != tc.want {
			t.Errorf("%s as %s: %s %s, want %s", tc.path, tc.token, st, got, tc.want)
		}
	}
	for path, want := range map[string]string{
		"/pools?poolid=team":              `["ceph","lxc","qemu"]`,
		"/pools?poolid=team&type=qemu":    `["qemu"]`,
		"/pools?poolid=team&type=storage": `["ceph"]`,
		"/pools?poolid=team&type=lxc":     `["lxc"]`,
	} {
		_, data := get(t, s, path)
		if got := text(names(data.([]any)[0].(map[string]any)["members"])); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"/access/users/none@pve/token":            "Internal Server Error: no such user ('none@pve')",
		"/nodes/pve1/qemu/100/config?node=pve2":   "Bad Request: Parameter verification failed.",
		"/nodes/pve1/qemu?full=maybe":             "Bad Request: Parameter verification failed.",
		"/nodes/a_b/qemu":                         "Internal Server Error: hostname lookup 'a_b' failed - failed to get address info for: a_b: Name or service not known",
		"/nodes/pve1/qemu/100/config?snapshot=1x": "Bad Request: Parameter verification failed.",
		"/nodes/pve1/tasks?limit=x":               "Bad Request: Parameter verification failed.",
		"/cluster/nextid?vmid=0123":               "Bad Request: Parameter verification failed.",
	} {
		if st, _ := get(t, s, path); st != want {
			t.Errorf("%s: %s, want %s", path, st, want)
		}
	}
	if st, _ := getAs(t, s, "b@pve!tok", "/access/users/a@pve/token"); st != "Forbidden: Permission check failed (/access/groups, User.Modify)" {
		t.Errorf("another's tokens: %s", st)
	}
}

// names lists what the rows of a list are called, sorted.
func names(data any) []string {
	res := map[string][]string{}
	list, _ := data.([]any)
	for _, v := range list {
		row, _ := v.(map[string]any)
		for _, k := range []string{"storage", "userid", "tokenid", "path", "type", "name", "id"} {
			if s, ok := row[k].(string); ok {
				res[s] = append(res[s], s)
				break
			}
		}
	}
	all := []string{}
	for _, k := range sortedKeys(res) {
		all = append(all, res[k]...)
	}
	return all
}
