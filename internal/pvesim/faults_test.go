package pvesim

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {pve1: , pve2: }\nvms: {100: {name: a}, 101: {name: b, node: pve2}}\n"), quick())
	ask := func(path string) string {
		t.Helper()
		a := rawRequest(t, s, "pve1", http.MethodGet, apiRoot+path, s.AuthHeader(DefaultTokenID), "", nil)
		return fmt.Sprintf("%d %s %s", a.status, a.reason, a.body)
	}
	const config100, config101 = "/nodes/pve1/qemu/100/config", "/nodes/pve2/qemu/101/config"

	stop := s.Fail(Match{Path: "/nodes/*/qemu/100/config"}, Fault{Status: 596, Reason: "Broken pipe", Skip: 1, Times: 2})
	var got []string
	for range 4 {
		got = append(got, strings.Fields(ask(config100))[0])
	}
	if strings.Join(got, " ") != "200 596 596 200" {
		t.Errorf("skip one, fail two: got %v", got)
	}
	if !strings.HasPrefix(ask(config101), "200") {
		t.Error("the fault hit another path")
	}
	stop()

	stop = s.Fail(Match{Node: "pve2", Method: http.MethodGet, Token: DefaultTokenID}, Fault{Status: 403, Reason: "Permission check failed", Body: `{"data":null}`})
	if a := ask(config101); a != `403 Permission check failed {"data":null}` {
		t.Errorf("got %s", a)
	}
	if !strings.HasPrefix(ask(config100), "200") {
		t.Error("the fault hit another node")
	}
	stop()
	stop() // twice does no harm

	stop = s.Fail(Match{Path: "/cluster/resources"}, Fault{MalformedJSON: true, Delay: time.Nanosecond})
	a := rawRequest(t, s, "pve1", http.MethodGet, apiRoot+"/cluster/resources", s.AuthHeader(DefaultTokenID), "", nil)
	if a.status != http.StatusOK || a.body == "" || json.Valid([]byte(a.body)) {
		t.Errorf("a body that was cut short: %d %.40q", a.status, a.body)
	}
	stop()

	stop = s.Fail(Match{}, Fault{Status: 200, Reason: "OK"})
	if a := ask("/version"); a != "200 OK " {
		t.Errorf("an answer without a body: %q", a)
	}
	stop()

	if r := s.Requests(); !r[1].Faulted || r[0].Faulted || r[1].Status != 596 {
		t.Errorf("recorded: %+v", r[:2])
	}
}

func TestFaultReset(t *testing.T) {
	s := startServer(t, parse(t, ""), quick())
	s.Fail(Match{Token: DefaultTokenID}, Fault{Reset: true, Times: 1})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(conn)
	if _, err := fmt.Fprintf(conn, "GET %s/version HTTP/1.1\r\nHost: a\r\nAuthorization: %s\r\n\r\n", apiRoot, s.AuthHeader(DefaultTokenID)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); err == nil || n != 0 {
		t.Errorf("got %d bytes and %v, want a reset", n, err)
	}
	if st, _ := get(t, s, "/version"); st != "OK: OK" {
		t.Errorf("the next request: %s", st)
	}
}

// TestWorkers: a node works on no more than its workers allow, and both daemons
// have their own.
func TestWorkers(t *testing.T) {
	w := newWorkers(3)
	var leave []func()
	for range 3 {
		leave = append(leave, w.enter(true))
	}
	entered := make(chan func())
	go func() { entered <- w.enter(true) }()
	for w.inFlight.Load() != 4 {
		time.Sleep(time.Millisecond)
	}
	if len(w.daemon) != 3 {
		t.Fatalf("%d requests in work, want 3", len(w.daemon))
	}
	w.enter(false)() // the other daemon is free
	select {
	case <-entered:
		t.Fatal("a fourth request is in work")
	default:
	}
	leave[0]()
	leave[0]() // once is enough
	(<-entered)()
	leave[1]()
	leave[2]()
	if w.inFlight.Load() != 0 || w.peak.Load() != 5 || len(w.daemon)+len(w.proxy) != 0 {
		t.Errorf("in flight %d, peak %d", w.inFlight.Load(), w.peak.Load())
	}
}

func TestUpdate(t *testing.T) {
	s := startServer(t, parse(t, "nodes: {pve1: , pve2: }\nvms: {100: {name: a}}\n"), quick())
	before := s.current()
	for name, f := range map[string]func(*Fleet){
		"a mistake":      func(f *Fleet) { f.VMs[100].Status = "odd" },
		"a new node":     func(f *Fleet) { f.Nodes["pve3"] = &Node{} },
		"a node is gone": func(f *Fleet) { delete(f.Nodes, "pve2") },
	} {
		if err := s.Update(f); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if s.current() != before {
		t.Error("a change that was refused changed something")
	}
	if err := s.Update(func(f *Fleet) {
		f.VMs[101] = &VM{Name: "b"}
		f.Workers = 1
		f.ACL = append(f.ACL, ACL{Path: "/vms/100", To: DefaultTokenID, Role: "NoAccess"})
		f.Tokens = map[string]*Token{DefaultTokenID: {Role: "PVEAuditor"}}
	}); err != nil {
		t.Fatal(err)
	}
	if s.current().byID[100].conf != before.byID[100].conf {
		t.Error("a file that did not change was parsed again")
	}
	_, data := get(t, s, "/cluster/resources?type=vm")
	if all := rows(t, data, "vmid"); len(all) != 1 || all[101.0]["name"] != "b" {
		t.Errorf("got %v, want the new guest and not the one that is hidden now", all)
	}
	if cap(s.workersOf(s.current().nodes[0]).proxy) != 1 {
		t.Error("the number of workers did not change")
	}
	// A fleet that relies on the defaults has no entry for its node.
	d := startServer(t, &Fleet{}, quick())
	if err := d.SetOffline("pve1", 0); err != nil {
		t.Error(err)
	}
}
