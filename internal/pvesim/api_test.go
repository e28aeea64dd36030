package pvesim

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// quick are options for tests: plain HTTP, and nothing that waits.
func quick() Options {
	return Options{PlainHTTP: true, AuthDelay: NoDelay, AgentTimeout: NoDelay}
}

// get asks the API of the first node as the first token and returns status and
// reason, and the data.
func get(t *testing.T, s *Server, path string) (status string, data any) {
	t.Helper()
	return getAs(t, s, s.TokenIDs()[0], path)
}

func getAs(t *testing.T, s *Server, token, path string) (status string, data any) {
	t.Helper()
	node := s.current().nodes[0].name
	a := rawRequest(t, s, node, http.MethodGet, apiRoot+path, s.AuthHeader(token), "", nil)
	var body struct {
		Data any `json:"data"`
	}
	if a.body != "" {
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			t.Fatalf("%s: %v: %s", path, err, a.body)
		}
	}
	return strings.TrimSpace(http.StatusText(a.status) + ": " + a.reason), body.Data
}

// rows returns a list by the value of a key.
func rows(t *testing.T, data any, key string) map[any]map[string]any {
	t.Helper()
	res := map[any]map[string]any{}
	list, ok := data.([]any)
	if !ok {
		t.Fatalf("not a list: %v", data)
	}
	for _, v := range list {
		row, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("not a row: %v", v)
		}
		res[row[key]] = row
	}
	return res
}

// TestOfflineNode: the rows of a node that went off stay for five minutes, then
// only what the cluster file system knows is left.
func TestOfflineNode(t *testing.T) {
	clock := newTestClock()
	opts := quick()
	opts.Now = clock.now
	s := startServer(t, parse(t, `
nodes: {pve1: , pve2: }
pools: {team: {vms: [101]}}
vms:
  101: {node: pve2, name: a, status: running, uptime: 1h, tags: [k8s], lock: migrate}
`), opts)
	if err := s.SetOffline("pve2", 0); err != nil {
		t.Fatal(err)
	}
	clock.advance(4 * time.Minute)
	_, data := get(t, s, "/cluster/resources?type=vm")
	if r := rows(t, data, "vmid")[101.0]; r["status"] != "running" || r["name"] != "a" || r["uptime"] != 3600.0 {
		t.Errorf("after four minutes: %v, want the last broadcast", r)
	}
	_, data = get(t, s, "/nodes")
	if r := rows(t, data, "node")["pve2"]; r["status"] != "offline" || r["maxcpu"] == nil || r["uptime"] != nil {
		t.Errorf("the node after four minutes: %v", r)
	}
	clock.advance(time.Minute)
	_, data = get(t, s, "/cluster/resources?type=vm")
	r := rows(t, data, "vmid")[101.0]
	if len(r) != 8 || r["status"] != "unknown" || r["tags"] != "k8s" || r["lock"] != "migrate" || r["pool"] != "team" {
		t.Errorf("after five minutes: %v, want status unknown with pool, tags and lock", r)
	}
	if st, _ := get(t, s, "/nodes/pve2/qemu/101/config"); st != ": Connection refused" {
		t.Errorf("its configuration: %s", st)
	}
	if err := s.SetOnline("pve2"); err != nil {
		t.Fatal(err)
	}
	if st, _ := get(t, s, "/nodes/pve2/qemu/101/config"); st != "OK: OK" {
		t.Errorf("back on: %s", st)
	}
	if s.SetOffline("pve9", 0) == nil || s.SetOnline("pve9") == nil {
		t.Error("a node that does not exist was switched")
	}
}

// TestSilentNode: a node whose pvestatd hangs is on and answers, but its rows are
// unknown.
func TestSilentNode(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {pve1: , pve2: {silent: true}}\nvms: {101: {node: pve2, name: a, status: running}}\n"), quick())
	_, data := get(t, s, "/cluster/resources")
	all := rows(t, data, "id")
	if all["qemu/101"]["status"] != "unknown" || all["node/pve2"]["status"] != "unknown" || all["storage/pve2/local"]["status"] != "unknown" {
		t.Errorf("got %v", all)
	}
	if st, _ := get(t, s, "/nodes/pve2/qemu/101/config"); st != "OK: OK" {
		t.Errorf("its configuration: %s", st)
	}
}

func TestStandaloneHost(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {alone: {ip: 192.0.2.7}}\n"), quick())
	_, data := get(t, s, "/cluster/status")
	all := rows(t, data, "type")
	if len(all) != 1 || all["node"]["nodeid"] != 0.0 || all["node"]["ip"] != "192.0.2.7" {
		t.Errorf("got %v, want one row of a node and none of a cluster", data)
	}
}

// TestFreshAndHidden: a guest that no broadcast named yet, and one whose row a
// test hides.
func TestFreshAndHidden(t *testing.T) {
	s := startServer(t, parse(t, "vms: {100: {name: new, fresh: true}, 101: {name: gone, hidden: true}}\n"), quick())
	_, data := get(t, s, "/cluster/resources?type=vm")
	all := rows(t, data, "vmid")
	if len(all) != 1 || all[100.0]["status"] != "unknown" || all[100.0]["name"] != nil {
		t.Errorf("got %v", all)
	}
	_, data = get(t, s, "/nodes/pve1/qemu")
	if _, ok := rows(t, data, "vmid")[101.0]; ok {
		t.Error("the hidden guest is in the node's list")
	}
	if st, _ := get(t, s, "/nodes/pve1/qemu/101/config"); st != "OK: OK" {
		t.Errorf("the hidden guest cannot be read: %s", st)
	}
}

// TestBroadcastDelay: a change takes a cycle to reach the cluster's list.
func TestBroadcastDelay(t *testing.T) {
	clock := newTestClock()
	opts := quick()
	opts.Now, opts.BroadcastEvery = clock.now, 10*time.Second
	s := startServer(t, parse(t, "vms: {100: {name: old}}\n"), opts)
	if err := s.Update(func(f *Fleet) {
		f.VMs[100].Name = "new"
		f.VMs[101] = &VM{Name: "born"}
	}); err != nil {
		t.Fatal(err)
	}
	clock.advance(9 * time.Second)
	if err := s.Update(func(f *Fleet) { f.VMs[100].Tags = []string{"live"} }); err != nil {
		t.Fatal(err)
	}
	_, data := get(t, s, "/cluster/resources?type=vm")
	if r := rows(t, data, "vmid"); r[100.0]["name"] != "old" || r[100.0]["tags"] != "live" || r[101.0]["status"] != "unknown" {
		t.Errorf("before the broadcast: %v", r)
	}
	clock.advance(10 * time.Second)
	_, data = get(t, s, "/cluster/resources?type=vm")
	if r := rows(t, data, "vmid"); r[100.0]["name"] != "new" || r[101.0]["name"] != "born" {
		t.Errorf("after the broadcast: %v", r)
	}
}
