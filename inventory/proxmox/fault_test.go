package proxmox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// faults are what goes wrong with one answer.
var faults = map[string]reply{
	"401":             {401, "Authentication failed!", "", ""},
	"403":             {403, "Permission check failed (/vms, VM.Audit)", `{"data":null}`, ""},
	"500":             {500, "got timeout", `{"data":null}`, ""},
	"501":             {501, "Method 'GET' not implemented", `{"data":null}`, ""},
	"595":             {595, "No route to host", "", ""},
	"596":             {596, "Connection timed out", "", ""},
	"599":             {599, "Too many redirections", "", ""},
	"502 HTML":        {502, "Bad Gateway", "<html>", "Content-Type: text/html\r\n"},
	"login page":      {200, "OK", "<!DOCTYPE html>", "Content-Type: text/html\r\n"},
	"redirect":        {302, "Found", "", "Location: /login\r\n"},
	"empty":           {200, "OK", "", ""},
	"cut off":         {200, "OK", `{"data":[{"id":"qemu/1`, ""},
	"length too long": {200, "OK", `{"data":`, "Content-Length: 500\r\n"},
	"connection lost": {0, "", "", ""},
	"null":            {200, "OK", `null`, ""},
	"no data":         {200, "OK", `{}`, ""},
	"data null":       data(`null`),
	"data a number":   data(`7`),
	"data a string":   data(`"x"`),
	"list of junk":    data(`[1,"x",null,{}]`),
	"object of junk":  data(`{"smbios1":{},"/vms":7,"version":[]}`),
	"hostile errors":  {400, "x", `{"errors":null,"message":{}}`, ""},
}

// Whatever goes wrong with whichever answer: the run ends, the site is there, and nothing that was not read counts as
// read.
func TestEveryFaultOnEveryQuestion(t *testing.T) {
	for path, scope := range map[string]string{
		pathPermissions:  inventory.ScopePermissions,
		pathResources:    inventory.ScopeGuests,
		config(1, 100):   inventory.ConfigScope("pve1"),
		config(2, 201):   inventory.ConfigScope("pve2"),
		pathVersion:      inventory.ScopeVersion,
		pathStatus:       inventory.ScopeClusterStatus,
		"status + nodes": inventory.ScopeClusterStatus,
	} {
		for name, fault := range faults {
			t.Run(path+" "+name, func(t *testing.T) {
				f := newFake(t)
				if path == "status + nodes" {
					f.set(pathStatus, fault)
					f.set(pathNodes, fault)
				} else {
					f.set(path, fault)
				}
				s := f.collect(nil)
				c := cover(t, s, scope)
				if c.State == inventory.Complete || c.State == inventory.Absent || c.Reason == "" {
					t.Errorf("%s is %s: %s", scope, c.State, c.Reason)
				}
				optional := path == pathVersion || path == pathStatus
				// What is asked of a person makes sense for the fault.
				if strings.HasPrefix(name, "login") && path == pathResources && !strings.Contains(c.Remedy, "login page") {
					t.Errorf("remedy %q", c.Remedy)
				}
				if c.Optional != optional {
					t.Errorf("optional %v", c.Optional)
				}
				site := &s.Sites[0]
				if path == pathPermissions && site.Visibility.Complete {
					t.Error("the guest list counts as whole without the permissions")
				}
				if path == pathPermissions && strings.Contains(cover(t, s, inventory.ScopeGuests).Remedy, "pveum") {
					t.Error("a role is recommended, and nobody knows which ones there are")
				}
				if strings.HasPrefix(path, "/nodes/") {
					want(t, s, inventory.ScopeGuests, inventory.Complete)
				}
				if path == pathStatus && (site.NodeStatus("pve3") != inventory.NodeOffline || guest(t, s, 100).Config == nil) {
					t.Error("the list of nodes did not stand in")
				}
				if path == "status + nodes" && (site.NodeStatus("pve1") != inventory.NodeUnknown || guest(t, s, 100).Config == nil) {
					t.Error("without nodes' states every node is asked")
				}
			})
		}
	}
}

// A list of which some rows cannot be read is not whole.
func TestBadRowsMakeTheGuestListPartial(t *testing.T) {
	f := newFake(t)
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu"},{"vmid":"x","type":"qemu","node":"pve1"},"y"]`))
	s := f.collect(nil)
	want(t, s, inventory.ScopeGuests, inventory.Partial, "2 of 3 rows", "row 1:", "row 2:")
	if guest(t, s, 100).Config == nil {
		t.Error("the good row is lost")
	}
}

func TestPartialVisibility(t *testing.T) {
	f := newFake(t)
	f.set(pathPermissions, data(`{"/vms/100":{"VM.Audit":1}}`))
	f.set(pathStatus, refused("Permission check failed (/, Sys.Audit)"))
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu"},7]`))
	s := f.collect(nil)
	want(t, s, inventory.ScopeGuests, inventory.Partial, "/vms: VM.Audit is not held", "row 1")
	if c := cover(t, s, inventory.ScopeGuests); !strings.Contains(c.Remedy, "pveum acl modify / ") {
		t.Errorf("remedy %q", c.Remedy)
	}
	want(t, s, inventory.ScopeClusterStatus, inventory.Refused, "403")
}

// A part of a cluster without quorum answers with what it knew last. Neither its list nor its "free" proves anything.
func TestNotQuorate(t *testing.T) {
	f := newFake(t)
	f.set(pathStatus, data(`[{"type":"cluster","name":"lab","quorate":0},{"type":"node","name":"pve1","online":1},{"type":"node","name":"pve2","online":0},{"type":"node","name":"pve3","online":0}]`))
	f.set("/cluster/nextid?vmid=105", data(`"105"`))
	c := f.collector(nil)
	s := checked(t, f, c.Collect(t.Context()))
	if s.Sites[0].Visibility.Complete || *s.Sites[0].Quorate {
		t.Errorf("%+v", s.Sites[0])
	}
	want(t, s, inventory.ScopeGuests, inventory.Partial, "not quorate")
	if r := cover(t, s, inventory.ScopeGuests).Remedy; r != "on a node: pvecm status" {
		t.Errorf("remedy %q", r)
	}
	p := c.Probe(t.Context(), []int{105})
	if pr := p.Probes[0]; pr.Existence != inventory.ExistenceUnknown || !strings.Contains(pr.Reason, "not quorate") {
		t.Errorf("%+v", pr)
	}
}

// A dead entry node costs one question, and not five times the timeout.
func TestEntryThatDoesNotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		fault reply
		state inventory.State
	}{
		"connection lost": {reply{0, "", "", ""}, inventory.Failed},
		"401":             {reply{401, "No ticket", "", ""}, inventory.Refused},
	} {
		f := newFake(t)
		f.set(pathVersion, c.fault)
		s := f.collect(nil)
		if n := f.askedFor("/"); n > 2 {
			t.Errorf("%s: %d requests", name, n)
		}
		for _, scope := range []string{inventory.ScopePermissions, inventory.ScopeClusterStatus, inventory.ScopeGuests} {
			want(t, s, scope, c.state, "not asked, after GET /version: ")
			if cov := cover(t, s, scope); !cov.Missing() || cov.Remedy == "" {
				t.Errorf("%s: %+v", name, cov)
			}
		}
		if s.Sites[0].Name != "127.0.0.1" || s.Sites[0].Visibility.Complete || len(s.VMs) != 0 {
			t.Errorf("%s: %+v", name, s.Sites[0])
		}
	}
}

func TestServerThatIsGone(t *testing.T) {
	f := newFake(t)
	f.Close()
	s := f.collector(func(c *Config) { c.Site = "lab" }).Collect(t.Context())
	want(t, s, inventory.ScopeGuests, inventory.Failed, "refused")
	if s.Sites[0].Name != "lab" || s.Coverage[0].Source != "site/lab" {
		t.Errorf("%+v", s.Sites[0])
	}
}

// A token that expires during the run costs one question per worker, not three seconds per guest.
func TestTokenThatExpiresDuringTheRun(t *testing.T) {
	f := newFake(t)
	rows := make([]string, 0, 50)
	for i := range 50 {
		rows = append(rows, `{"id":"qemu/`+itoa(400+i)+`","vmid":`+itoa(400+i)+`,"node":"pve1","type":"qemu"}`)
		f.set(config(1, 400+i), reply{401, "Authentication failed!", "", ""})
	}
	f.set(pathResources, data("["+strings.Join(rows, ",")+"]"))
	s := f.collect(nil)
	want(t, s, inventory.ConfigScope("pve1"), inventory.Refused, "401 Authentication failed!")
	if n := f.askedFor("/qemu/"); n > defaultPerNode {
		t.Errorf("%d requests with a token that is no good", n)
	}
	if n := f.askedFor(pathResources); n != 1 {
		t.Errorf("the list was read %d times", n)
	}
}

func TestInterruption(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.setFunc(config(1, 100), func(int) reply { cancel(); return reply{0, "", "", ""} })
	c := f.collector(nil)
	s := c.Collect(ctx)
	want(t, s, inventory.ScopeGuests, inventory.Complete)
	want(t, s, inventory.ConfigScope("pve1"), inventory.Failed, "interrupted")
	want(t, s, inventory.NodeScope("pve1"), inventory.Failed, "interrupted")
	s = c.Collect(ctx)
	want(t, s, inventory.ScopeGuests, inventory.Failed, "interrupted")
	p := c.Probe(ctx, []int{105})
	if p.Probes[0].Existence != inventory.ExistenceUnknown || p.Coverage[0].State != inventory.Failed {
		t.Errorf("%+v", p)
	}
	agents, _ := c.Agents(ctx, []inventory.VM{{VMID: 100, Type: "qemu", Node: "pve1", Status: "running"}})
	if !strings.Contains(agents[100].Error, "interrupted") {
		t.Errorf("%+v", agents[100])
	}
}

// A configuration that was read in part is used as far as it goes, and its coverage says so.
func TestConfigurationReadInPart(t *testing.T) {
	f := newFake(t)
	f.set(config(1, 100), data(`{"memory":"lots","smbios1":"uuid=11111111-aaaa-4bbb-8ccc-000000000100"}`))
	s := f.collect(nil)
	vm := guest(t, s, 100)
	if vm.UUID() == "" || !strings.Contains(vm.ConfigError, "memory is a string that is not a size in MiB") {
		t.Errorf("%+v", vm)
	}
	want(t, s, inventory.ConfigScope("pve1"), inventory.Partial, "memory")
}

// The node stops answering in the middle of the run: a breaker ends it, and both the node and its guests say why.
func TestNodeThatDiesDuringTheRun(t *testing.T) {
	f := newFake(t)
	rows := make([]string, 0, 60)
	for i := range 60 {
		rows = append(rows, `{"id":"qemu/`+itoa(400+i)+`","vmid":`+itoa(400+i)+`,"node":"pve2","type":"qemu","status":"running"}`)
		f.set(config(2, 400+i), reply{595, "No route to host", "", ""})
	}
	f.set(config(2, 400), data(`{"digest":"x"}`))
	f.set(pathResources, data("["+strings.Join(rows, ",")+"]"))
	s := f.collect(nil)
	want(t, s, inventory.ConfigScope("pve2"), inventory.Partial, "had stopped answering (last: 595 No route to host)")
	want(t, s, inventory.NodeScope("pve2"), inventory.Failed, "does not answer")
	if n := f.askedFor("/qemu/"); n > 12 {
		t.Errorf("%d requests to a node that is dead", n)
	}
	if s.Sites[0].NodeStatus("pve2") != inventory.NodeUnknown {
		t.Error("the node counts as online")
	}
}

// No secret in anything that comes out, whatever the server sends back.
func TestSecretIsNowhere(t *testing.T) {
	f := newFake(t)
	echo := reply{500, "you sent PVEAPIToken=" + tokenRO + "=" + canary, `{"message":"` + canary + `","errors":{"` + canary + `":"` + canary + `"}}`, ""}
	for _, path := range []string{pathPermissions, pathStatus, pathNodes, config(1, 100), "/cluster/nextid?vmid=105",
		"/nodes/pve2/qemu/201/agent/network-get-interfaces"} {
		f.set(path, echo)
	}
	var log strings.Builder
	c := f.collector(func(c *Config) {
		c.Logf = func(format string, args ...any) { log.WriteString(sprintf(format, args...)) }
		c.GuestAgent = true
	})
	s := checked(t, f, c.Collect(t.Context()))
	agents, fragment := c.Agents(t.Context(), s.VMs)
	out := log.String() + sprintf("%+v %+v %+v", s, c.Probe(t.Context(), []int{105}), fragment) + sprintf("%+v", c.Doctor(t.Context()))
	for _, a := range agents {
		out += a.Error
	}
	if !strings.Contains(out, "REDACTED") {
		t.Error("nothing was sent back")
	}
	if strings.Contains(out, canary) {
		t.Error("the secret is in what comes out")
	}
	if strings.Contains(sprintf("%+v %#v %v", c.cfg, c.cfg, c.cfg.Secret), canary) {
		t.Error("the secret is in the printed configuration")
	}
}

// The client above never sleeps: it does so for a second after each failure that it holds for temporary.
func TestFailuresCostNoSleep(t *testing.T) {
	f := newFake(t)
	for _, path := range []string{pathPermissions, pathStatus, pathNodes, pathResources} {
		f.set(path, reply{500, "x", "<html>", ""})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c := f.collector(nil)
		for range 30 {
			c.Collect(context.Background())
		}
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatal("120 failures took more than a minute: something sleeps")
	}
}
