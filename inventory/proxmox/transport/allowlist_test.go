package transport

import (
	"net/http"
	"strings"
	"testing"
)

func TestPermit(t *testing.T) {
	for uri, node := range map[string]string{
		"/version":                                                "",
		"/access/permissions":                                     "",
		"/access/permissions?path=/vms/105":                       "",
		"/access/permissions?path=%2Fvms%2F105":                   "",
		"/cluster/status":                                         "",
		"/cluster/resources?type=vm":                              "",
		"/cluster/nextid?vmid=105":                                "",
		"/nodes":                                                  "",
		"/nodes/pve1/qemu/105/config?current=1":                   "pve1",
		"/nodes/a-b-9/qemu/999999999/config":                      "a-b-9",
		"/nodes/pve1/qemu/105/agent/network-get-interfaces":       "pve1",
		"/access/permissions?path=/nodes/pve1":                    "",
		"/storage":                                                "",
		"/nodes/pve1/tasks?limit=500&since=1796197232&source=all": "pve1",
		"/nodes/pve1/tasks?limit=500&since=1796197232&source=all&start=500": "pve1",
	} {
		path, query, _ := strings.Cut(uri, "?")
		got, agent, ok := permit(path, query)
		if !ok || got != node {
			t.Errorf("permit(%s) = node %q, %v; want %q", uri, got, ok, node)
		}
		if agent != strings.Contains(uri, "/agent/") {
			t.Errorf("permit(%s): agent %v", uri, agent)
		}
	}
	for _, uri := range []string{
		"", "/", "/version/", "/Version", "/version?x=1", "/version?current=1", "/access/ticket", "/access/permissions?userid=root@pam",
		"/access/permissions?path=/vms/105&path=/", "/access/permissions?path=/", "/cluster/resources?type=node", "/cluster/resources?type=vm&type=vm",
		"/cluster/nextid?vmid=1", "/cluster/nextid?vmid=105;x", "/nodes/pve1", "/nodes/pve1/qemu", "/nodes/pve1/qemu/105/config?current=0",
		"/nodes/pve1/qemu/105/config?snapshot=x", "/nodes/../qemu/105/config", "/nodes/pve1%2f../qemu/105/config", "/nodes/-x/qemu/105/config",
		"/nodes/pve1/qemu/105/status/stop", "/nodes/pve1/qemu/105/agent/exec", "/nodes/pve1/qemu/105/agent/file-read",
		"/nodes/pve1/qemu/0105/config", "/nodes/pve1/qemu/105/vncwebsocket", "/nodes/pve1/execute", "/cluster/nextid?vmid=%zz",
		"//version", "/version\n", "/nodes/pve1/lxc/110/config",
		"/access/permissions?path=/nodes", "/access/permissions?path=/nodes/..", "/access/permissions?path=/nodes/pve1/x",
		"/storage/local", "/storage?type=dir", "/nodes/pve1/storage", "/nodes/pve1/tasks?limit=0", "/nodes/pve1/tasks?source=archive",
		"/nodes/pve1/tasks?since=-1", "/nodes/pve1/tasks?start=100000", "/nodes/pve1/tasks?errors=1", "/nodes/pve1/tasks/UPID:x/log",
		"/cluster/tasks",
	} {
		path, query, _ := strings.Cut(uri, "?")
		if _, _, ok := permit(path, query); ok {
			t.Errorf("%q is let through", uri)
		}
	}
}

// What is not a listed GET to the configured server never leaves the process.
func TestOnlyListedGETsGoOut(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { ok(t, w) })
	other := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { ok(t, w) })
	tr := open(t, s.URL, nil)
	type change func(*http.Request)
	for name, c := range map[string]struct {
		method, url, body string
		change            change
	}{
		"POST":         {http.MethodPost, s.URL + "/api2/json/version", "", nil},
		"PUT":          {http.MethodPut, s.URL + "/api2/json/nodes/pve1/qemu/105/config", "x=1", nil},
		"DELETE":       {http.MethodDelete, s.URL + "/api2/json/nodes/pve1/qemu/105/config", "", nil},
		"HEAD":         {http.MethodHead, s.URL + "/api2/json/version", "", nil},
		"body":         {http.MethodGet, s.URL + "/api2/json/version", "x=1", nil},
		"upgrade":      {http.MethodGet, s.URL + "/api2/json/version", "", func(r *http.Request) { r.Header.Set("Upgrade", "websocket") }},
		"other host":   {http.MethodGet, other.URL + "/api2/json/version", "", nil},
		"userinfo":     {http.MethodGet, strings.Replace(s.URL, "://", "://u:p@", 1) + "/api2/json/version", "", nil},
		"other format": {http.MethodGet, s.URL + "/api2/extjs/version", "", nil},
		"not listed":   {http.MethodGet, s.URL + "/api2/json/nodes/pve1/qemu/105/status/current", "", nil},
		"traversal":    {http.MethodGet, s.URL + "/api2/json/nodes/x/../../access/ticket", "", nil},
	} {
		ctx, ex := WithExchange(t.Context())
		req, err := http.NewRequestWithContext(ctx, c.method, c.url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.body == "" {
			req.Body = http.NoBody
		}
		if c.change != nil {
			c.change(req)
		}
		send(t, tr, req)
		if e := mustFail(t, ex, Blocked); !strings.Contains(e.Reason, "not sent") || ex.Attempts != 0 {
			t.Errorf("%s: %v after %d attempts", name, e, ex.Attempts)
		}
	}
	if n := len(s.seen()) + len(other.seen()); n != 0 {
		t.Errorf("%d requests went out: %q %q", n, s.seen(), other.seen())
	}
	if count, retries := tr.Counts(); count != 0 || retries != 0 {
		t.Errorf("counted %d and %d", count, retries)
	}
	if _, ex := ask(t.Context(), t, tr, "/version"); ex.Err != nil {
		t.Fatalf("a listed GET does not go out: %v", ex.Err)
	}
	if s.verbs[http.MethodGet] != 1 || len(s.verbs) != 1 {
		t.Errorf("verbs: %v", s.verbs)
	}
}
