package proxmox

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

const (
	canary  = "11111111-cafe-4000-8000-00000000dead"
	tokenRO = "audit@pve!ro"
)

// reply is one answer, written as it stands: net/http's own server knows no reason phrases but the standard ones.
type reply struct {
	status int
	reason string
	body   string
	header string
}

func data(json string) reply { return reply{200, "OK", `{"data":` + json + `}`, ""} }

func refused(reason string) reply { return reply{403, reason, `{"data":null}`, ""} }

// fake is an API that answers each path as a test says.
type fake struct {
	*httptest.Server
	t      *testing.T
	secret string

	mu     sync.Mutex
	routes map[string]func(n int) reply
	hits   map[string]int
	log    []string
	verbs  map[string]int
	// extra is how many requests a pass may take beyond one for each guest and six.
	extra int
}

// newFake starts one with a small fleet: pve1 and pve2 online, pve3 offline since a while, one template, one
// container.
func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, secret: canary, routes: map[string]func(int) reply{}, hits: map[string]int{}, verbs: map[string]int{}}
	f.set(pathVersion, data(`{"version":"9.2.11","release":"9.2"}`))
	f.set(pathPermissions, data(`{"/":{"VM.Audit":1,"Sys.Audit":1,"Pool.Audit":1},"/vms":{"VM.Audit":1},"/pool":{"Pool.Audit":1,"VM.Audit":1}}`))
	f.set(pathStatus, data(`[{"type":"cluster","name":"lab","quorate":1,"nodes":3},{"type":"node","name":"pve1","online":1,"ip":"192.0.2.11"},
	 {"type":"node","name":"pve2","online":1},{"type":"node","name":"pve3","online":0}]`))
	f.set(pathNodes, data(`[{"node":"pve1","status":"online"},{"node":"pve3","status":"offline"},{"node":"pve2","status":"online"}]`))
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running","name":"web01","template":0,"uptime":43},
	 {"id":"lxc/110","vmid":110,"node":"pve1","type":"lxc","status":"running","name":"ct110","template":0},
	 {"id":"qemu/200","vmid":200,"node":"pve2","type":"qemu","status":"stopped","name":"tmpl","template":1},
	 {"id":"qemu/201","vmid":201,"node":"pve2","type":"qemu","status":"running","name":"web02","template":0},
	 {"id":"qemu/300","vmid":300,"node":"pve3","type":"qemu","status":"unknown","tags":"k8s"}]`))
	f.set(config(1, 100), data(`{"name":"web01","digest":"a","smbios1":"uuid=11111111-aaaa-4bbb-8ccc-000000000100","agent":"1"}`))
	f.set(config(2, 200), data(`{"name":"tmpl","digest":"b","template":1,"smbios1":"uuid=11111111-aaaa-4bbb-8ccc-000000000200"}`))
	f.set(config(2, 201), data(`{"name":"web02","digest":"c","smbios1":"uuid=11111111-aaaa-4bbb-8ccc-000000000201","agent":"1"}`))
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func config(node, vmid int) string {
	return fmt.Sprintf("/nodes/pve%d/qemu/%d/config?current=1", node, vmid)
}

func (f *fake) set(path string, r reply) { f.setFunc(path, func(int) reply { return r }) }

// setFunc answers by how often the path was asked, from 1.
func (f *fake) setFunc(path string, answer func(n int) reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.routes[path] = answer
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.RequestURI(), "/api2/json")
	f.mu.Lock()
	f.log = append(f.log, path)
	f.verbs[r.Method]++
	f.hits[path]++
	n, answer := f.hits[path], f.routes[path]
	f.mu.Unlock()
	if got := r.Header.Get("Authorization"); got != "PVEAPIToken="+tokenRO+"="+f.secret {
		f.t.Errorf("Authorization is not the token")
	}
	a := reply{501, "Method 'GET " + path + "' not implemented", `{"data":null}`, ""}
	if answer != nil {
		a = answer(n)
	}
	f.write(w, a)
}

// write sends an answer as it stands; one without a status is a connection that is cut.
func (f *fake) write(w http.ResponseWriter, a reply) {
	conn, buf, err := w.(http.Hijacker).Hijack()
	if err != nil {
		f.t.Errorf("hijack: %v", err)
		return
	}
	if a.status != 0 {
		head := a.header
		if head == "" {
			head = "Content-Type: application/json;charset=UTF-8\r\n"
		}
		if !strings.Contains(head, "Content-Length: ") && !strings.Contains(head, "X-No-Content-Length") {
			head += fmt.Sprintf("Content-Length: %d\r\n", len(a.body))
		}
		_, err = fmt.Fprintf(buf, "HTTP/1.1 %d %s\r\nConnection: close\r\n%s\r\n%s", a.status, a.reason, head, a.body)
		if err == nil {
			err = buf.Flush()
		}
		if err != nil {
			f.t.Logf("the client has gone: %v", err)
		}
	}
	// The server, which ends with the test, may have been first.
	if err := conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		f.t.Errorf("close: %v", err)
	}
}

func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// askedFor counts the requests whose path holds the text.
func (f *fake) askedFor(text string) int {
	n := 0
	for _, path := range f.asked() {
		if strings.Contains(path, text) {
			n++
		}
	}
	return n
}

// forget drops what was asked so far, so that one fake serves several passes.
func (f *fake) forget() *fake {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log, f.verbs, f.hits = nil, map[string]int{}, map[string]int{}
	return f
}

// collector opens a Collector to the fake.
func (f *fake) collector(change func(*Config)) *Collector {
	f.t.Helper()
	cfg := Config{URL: f.URL, TokenID: tokenRO, Secret: inventory.NewSecret(canary), Logf: f.t.Logf, Timeout: 30 * time.Second,
		retryDelay: time.Millisecond}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

// collect runs the first pass and checks what holds for every outcome.
func (f *fake) collect(change func(*Config)) *inventory.Snapshot {
	f.t.Helper()
	return checked(f.t, f, f.collector(change).Collect(f.t.Context()))
}

func checked(t *testing.T, f *fake, s *inventory.Snapshot) *inventory.Snapshot {
	t.Helper()
	if len(s.Sites) != 1 || s.Sites[0].Name == "" || s.Sites[0].URL != f.URL+"/api2/json" {
		t.Fatalf("the site is missing: %+v", s.Sites)
	}
	site := &s.Sites[0]
	if site.Visibility.Complete != (len(site.Visibility.Reasons) == 0) {
		t.Errorf("visibility complete %v with reasons %q", site.Visibility.Complete, site.Visibility.Reasons)
	}
	scopes := map[string]bool{}
	for _, c := range s.Coverage {
		if c.Source != inventory.SiteSource(site.Name) || scopes[c.Scope] {
			t.Errorf("coverage of %s %s is twice there or of another source", c.Source, c.Scope)
		}
		scopes[c.Scope] = true
		if (c.State == inventory.Complete) != (c.Reason == "") {
			t.Errorf("%s is %s with the reason %q", c.Scope, c.State, c.Reason)
		}
		if c.State == inventory.Complete && c.Got != c.Asked || c.Got+c.Failed != c.Asked {
			t.Errorf("%s: asked %d, got %d, failed %d", c.Scope, c.Asked, c.Got, c.Failed)
		}
	}
	for _, must := range []string{inventory.ScopeVersion, inventory.ScopePermissions, inventory.ScopeClusterStatus, inventory.ScopeGuests} {
		if !scopes[must] {
			t.Errorf("no coverage of %s", must)
		}
	}
	qemu := 0
	for _, vm := range s.VMs {
		if vm.Site != site.Name {
			t.Errorf("guest %d is of site %q", vm.VMID, vm.Site)
		}
		if vm.Type != inventory.GuestQEMU {
			continue
		}
		qemu++
		if vm.Config == nil && vm.ConfigError == "" {
			t.Errorf("guest %d has neither a configuration nor a reason", vm.VMID)
		}
		if !scopes[inventory.ConfigScope(vm.Node)] || !scopes[inventory.NodeScope(vm.Node)] {
			t.Errorf("guest %d is on %s, which has no coverage", vm.VMID, vm.Node)
		}
	}
	if len(s.Requests) != 1 || s.Requests[0].Count > qemu+6+f.extra {
		t.Errorf("requests %+v for %d guests", s.Requests, qemu)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.verbs[http.MethodGet] != len(f.log) {
		t.Errorf("verbs: %v", f.verbs)
	}
	if total := s.Requests[0].Count + s.Requests[0].Retries; total != len(f.log) {
		t.Errorf("counted %+v, and %d requests came in", s.Requests[0], len(f.log))
	}
	return s
}

// cover returns a scope's entry.
func cover(t *testing.T, s *inventory.Snapshot, scope string) inventory.Coverage {
	t.Helper()
	c := s.CoverageOf(inventory.SiteSource(s.Sites[0].Name), scope)
	if c == nil {
		t.Fatalf("no coverage of %s", scope)
	}
	return *c
}

// want checks a scope's state, and that the reason holds each text.
func want(t *testing.T, s *inventory.Snapshot, scope string, state inventory.State, texts ...string) {
	t.Helper()
	c := cover(t, s, scope)
	if c.State != state {
		t.Errorf("%s is %s, want %s (%s)", scope, c.State, state, c.Reason)
	}
	for _, text := range texts {
		if !strings.Contains(c.Reason, text) {
			t.Errorf("%s: %q does not hold %q", scope, c.Reason, text)
		}
	}
}

func guest(t *testing.T, s *inventory.Snapshot, vmid int) *inventory.VM {
	t.Helper()
	for i := range s.VMs {
		if s.VMs[i].VMID == vmid {
			return &s.VMs[i]
		}
	}
	t.Fatalf("guest %d is missing", vmid)
	return nil
}
