package proxmox

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

var update = flag.Bool("update", false, "write the golden files")

// recording is one answer of a real Proxmox VE; internal/pvesim/testdata/README.md says where they come from.
type recording struct {
	Name    string
	Request struct{ Method, Path, Token string }
	Status  int
	Reason  string
	Headers [][2]string
	Body    string
}

// path is below /api2/json.
func (r *recording) path() string { return strings.TrimPrefix(r.Request.Path, "/api2/json") }

// recordings reads those of one version. There are as many as there are, so that a test cannot pass on fewer.
func recordings(t *testing.T, version string) []recording {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "internal", "pvesim", "testdata", "recordings", version+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out []recording
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) != 253 {
		t.Fatalf("%d recordings", len(out))
	}
	return out
}

// reply is the recorded answer as it went over the wire.
func (r *recording) reply() reply {
	var head strings.Builder
	hasLength := false
	for _, h := range r.Headers {
		if h[0] == "Connection" {
			continue // the fake closes each connection, and says so
		}
		hasLength = hasLength || h[0] == "Content-Length"
		head.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	if !hasLength {
		head.WriteString("X-No-Content-Length: 1\r\n")
	}
	return reply{r.Status, r.Reason, r.Body, head.String()}
}

// readAs are the kinds of answers that the collector reads, and what has to come out of each.
var readAs = []struct {
	prefix string
	read   func(t *testing.T, r *recording, data any, e *transport.Error)
}{
	{"/version", readVersion},
	{"/access/permissions", readPermissions},
	{"/cluster/status", readStatus},
	{"/cluster/resources?type=vm", readGuests},
	{"/cluster/nextid?vmid=", readNextID},
	{"/nodes", readNodes},
}

// Every recorded answer to a question that the collector asks is read, and nothing in it that the Snapshot has a
// place for is lost. Refusals count: each is an error of the right kind.
func TestEveryRecordingIsRead(t *testing.T) {
	for _, version := range []string{"pve8", "pve9"} {
		t.Run(version, func(t *testing.T) {
			kinds := map[string]int{}
			for _, r := range recordings(t, version) {
				if r.Request.Method != http.MethodGet {
					continue
				}
				kind, read := reader(r.path())
				if read == nil {
					continue
				}
				kinds[kind]++
				t.Run(r.Name, func(t *testing.T) {
					data, e := replay(t, &r)
					read(t, &r, data, e)
				})
			}
			for kind, least := range map[string]int{"/version": 8, "/access/permissions": 28, "/cluster/status": 3, "/cluster/resources?type=vm": 14,
				"/cluster/nextid?vmid=": 8, "/nodes": 2, "config": 45, "agent": 7} {
				if kinds[kind] < least {
					t.Errorf("%d recordings of %s were read, want at least %d", kinds[kind], kind, least)
				}
			}
		})
	}
}

func reader(path string) (string, func(*testing.T, *recording, any, *transport.Error)) {
	switch {
	case strings.Contains(path, "/qemu/") && (strings.HasSuffix(path, "/config") || strings.HasSuffix(path, "/config?current=1")):
		return "config", readConfig
	case strings.HasSuffix(path, "/agent/network-get-interfaces"):
		return "agent", readAgent
	case strings.HasPrefix(path, "/nodes/"), strings.HasPrefix(path, "/access/permissions?userid="), strings.HasPrefix(path, "/access/permissions?path=vms"):
		return "", nil
	}
	for _, k := range readAs {
		if path == k.prefix || strings.HasPrefix(path, k.prefix+"?") || strings.HasSuffix(k.prefix, "=") && strings.HasPrefix(path, k.prefix) {
			return k.prefix, k.read
		}
	}
	return "", nil
}

// replay asks the recorded question through the whole client. Questions that the collector does not put in this form
// (an id out of range, say) are asked by a GET that the transport lets through, and answered as recorded.
func replay(t *testing.T, r *recording) (any, *transport.Error) {
	t.Helper()
	f := newFake(t)
	path := r.path()
	for _, substitute := range []string{path, pathVersion} {
		f.set(substitute, r.reply())
	}
	c := f.collector(nil)
	data, e := c.get(t.Context(), path)
	if e != nil && e.Kind == transport.Blocked {
		data, e = c.get(t.Context(), pathVersion)
	}
	if len(f.asked()) == 0 {
		t.Fatal("nothing was asked")
	}
	if (e == nil) != (r.Status == 200) {
		t.Fatalf("status %d became %v", r.Status, e)
	}
	if e != nil && (e.Status != r.Status || e.Reason != r.Reason) {
		t.Errorf("%d %s became %d %s", r.Status, r.Reason, e.Status, e.Reason)
	}
	if e != nil {
		want := map[int]transport.Kind{401: transport.Refused, 403: transport.Refused, 595: transport.NodeDown, 596: transport.NodeDown}[r.Status]
		if strings.Contains(r.Reason, "does not exist") {
			want = transport.Missing
		}
		if want == 0 {
			want = transport.Failed
		}
		if e.Kind != want {
			t.Errorf("kind %d, want %d: %v", e.Kind, want, e)
		}
	}
	return data, e
}

func readVersion(t *testing.T, r *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	if version, major, err := normalize.Version(data); err != nil || !strings.Contains(r.Body, `"`+version+`"`) || major < 8 {
		t.Errorf("%q, %d, %v", version, major, err)
	}
}

func readPermissions(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	perms, err := normalize.ParsePermissions(data)
	if err != nil {
		t.Fatal(err)
	}
	back := map[string]any{}
	for path, privs := range perms {
		flags := map[string]any{}
		for priv, propagate := range privs {
			flags[priv] = map[bool]float64{true: 1}[propagate]
		}
		back[path] = flags
	}
	if got, want := asJSON(t, back), asJSON(t, data); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func readStatus(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	st, err := normalize.ClusterStatus(data)
	if err != nil || st.Bad != nil || st.ClusterName != "lab" || len(st.Nodes) != 3 || !*st.Quorate {
		t.Errorf("%+v, %v", st, err)
	}
}

func readNodes(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		t.Fatal(e)
	}
	st, err := normalize.Nodes(data)
	if err != nil || st.Bad != nil || len(st.Nodes) != 3 {
		t.Errorf("%+v, %v", st, err)
	}
}

// notKept are the keys of guest rows that the Snapshot has no place for: measurements, and what the configuration
// says better.
var notKept = []string{"cpu", "mem", "memhost", "netin", "netout", "disk", "diskread", "diskwrite", "maxcpu", "maxmem", "maxdisk"}

func readGuests(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	vms, bad, err := normalize.Guests(data)
	rows, _ := data.([]any)
	if err != nil || bad != nil || len(vms) != len(rows) {
		t.Fatalf("%d of %d rows, bad %q, %v", len(vms), len(rows), bad, err)
	}
	for i, row := range rows {
		m, vm := row.(map[string]any), &vms[i]
		back := map[string]any{"id": fmt.Sprintf("%s/%d", vm.Type, vm.VMID), "vmid": float64(vm.VMID), "type": vm.Type, "node": vm.Node, "status": vm.Status}
		put := func(key, value string) {
			if value != "" {
				back[key] = value
			}
		}
		put("name", vm.Name)
		put("pool", vm.Pool)
		put("lock", vm.Lock)
		put("hastate", vm.HAState)
		if vm.Template != nil {
			back["template"] = map[bool]float64{true: 1}[*vm.Template]
		}
		if _, listed := m["uptime"]; listed {
			back["uptime"] = float64(vm.UptimeSeconds)
		}
		want := maps.Clone(m)
		for key := range m {
			if slices.Contains(notKept, key) || strings.HasPrefix(key, "pressure") {
				delete(want, key)
			}
		}
		if m["name"] == fmt.Sprintf("VM %d", vm.VMID) {
			delete(want, "name")
		}
		if tags, ok := m["tags"].(string); ok {
			delete(want, "tags")
			if !slices.Equal(vm.Tags, normalize.Tags(tags)) || len(vm.Tags) == 0 {
				t.Errorf("tags %q of %q", vm.Tags, tags)
			}
		}
		if got, want := asJSON(t, back), asJSON(t, want); got != want {
			t.Errorf("row %d\ngot  %s\nwant %s", i, got, want)
		}
	}
}

func readNextID(t *testing.T, r *recording, data any, e *transport.Error) {
	var vmid int
	if _, err := fmt.Sscanf(r.path(), "/cluster/nextid?vmid=%d", &vmid); err != nil {
		vmid = -1 // nextid_abc
	}
	want := inventory.ExistenceUnknown
	if e == nil {
		want = inventory.Free
	} else if strings.Contains(r.Body, "already exists") {
		want = inventory.Exists
	}
	if got, reason := normalize.NextID(data, e, vmid); got != want {
		t.Errorf("%s (%s), want %s", got, reason, want)
	}
}

// notKeptConfig are the keys of configurations that the Snapshot has no place for, and the secrets that it must not
// hold.
var notKeptConfig = []string{"boot", "numa", "vmgenid", "hotplug", "startup", "serial0", "cpuunits", "migrate_downtime", "vmstate", "cipassword"}

func readConfig(t *testing.T, r *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	var vmid int
	var node string
	if _, err := fmt.Sscanf(strings.ReplaceAll(r.path(), "/", " "), " nodes %s qemu %d", &node, &vmid); err != nil {
		t.Fatal(err)
	}
	c, err := normalize.ParseConfig(data, vmid)
	if err != nil || c.Problems != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	text := asJSON(t, c)
	for key, value := range data.(map[string]any) {
		v := fmt.Sprint(value)
		if i := strings.LastIndexByte(v, '='); i >= 0 && key == "memory" {
			v = v[i+1:]
		}
		switch {
		case slices.Contains(notKeptConfig, key):
			if key == "cipassword" && strings.Contains(text, v) {
				t.Error("the masked password is kept")
			}
		case key == "sshkeys":
			if !c.VM.HasSSHKeys || strings.Contains(text, "AAAAC3Nza") {
				t.Error("sshkeys")
			}
		case key == "args":
			if !c.VM.HasArgs {
				t.Error("args")
			}
		case key == "template", key == "onboot", key == "protection":
			got := map[string]bool{"template": c.Template, "onboot": c.VM.OnBoot, "protection": c.VM.Protection}[key]
			if got != (v == "1") {
				t.Errorf("%s is %v", key, got)
			}
		case key == "agent":
			if c.VM.AgentEnabled != strings.Contains(v, "1") {
				t.Errorf("agent %q became %v", v, c.VM.AgentEnabled)
			}
		case key == "tags":
			if !slices.Equal(c.Tags, normalize.Tags(v)) {
				t.Errorf("tags %q", c.Tags)
			}
		case key == "smbios1":
			readSMBIOS(t, c, v)
		case key == "meta":
			if c.VM.CreatedAt == nil || !strings.Contains(v, fmt.Sprint(c.VM.CreatedAt.Unix())) {
				t.Errorf("meta %q became %v", v, c.VM.CreatedAt)
			}
		case strings.HasPrefix(key, "net"), strings.HasPrefix(key, "scsi") && key != "scsihw", strings.HasPrefix(key, "ide"), strings.HasPrefix(key, "virtio"),
			strings.HasPrefix(key, "ipconfig"), strings.HasPrefix(key, "unused"), strings.HasPrefix(key, "efidisk"):
			if !strings.Contains(text, `"slot":"`+key+`"`) {
				t.Errorf("%s is lost", key)
			}
		default:
			if quoted := asJSON(t, v); !strings.Contains(text, quoted) && !strings.Contains(text, ":"+v+",") {
				t.Errorf("%s = %q is lost in %s", key, v, text)
			}
		}
	}
}

func readSMBIOS(t *testing.T, c *normalize.Config, smbios1 string) {
	t.Helper()
	_, after, has := strings.Cut(smbios1, "uuid=")
	raw, _, _ := strings.Cut(after, ",")
	if c.VM.HasArgs {
		raw, has = "99999999-aaaa-4bbb-8ccc-000000000206", true
	}
	if has != (c.VM.UUID != "") || c.VM.UUID != strings.ToLower(raw) || c.VM.RawUUID != raw {
		t.Errorf("smbios1 %q became %q from %q", smbios1, c.VM.UUID, c.VM.UUIDSource)
	}
}

func readAgent(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	a := normalize.Agent(data)
	if a.Error != "" || len(a.Interfaces) != 2 || a.Interfaces[1].MAC != "bc:24:11:aa:bb:07" || len(a.Interfaces[1].Addresses) != 2 {
		t.Errorf("%+v", a)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// recorded serves one version's recordings, to the token that each was asked with.
func recorded(t *testing.T, version string) *httptest.Server {
	t.Helper()
	answers := map[string]*recording{}
	all := recordings(t, version)
	for i := range all {
		if r := &all[i]; r.Request.Method == http.MethodGet && !strings.HasPrefix(r.Name, "w_") {
			answers[r.Request.Token+" "+r.path()] = r
		}
	}
	f := &fake{t: t}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		token := strings.TrimPrefix(strings.TrimSuffix(req.Header.Get("Authorization"), "="+canary), "PVEAPIToken=")
		path := strings.TrimPrefix(req.URL.RequestURI(), "/api2/json")
		// Not every question was recorded with every token. /version is the same for all.
		for _, who := range []string{token, "root@pam!full"} {
			if r := answers[who+" "+path]; r != nil && (who == token || path == pathVersion) {
				f.write(w, r.reply())
				return
			}
		}
		f.write(w, reply{501, "not recorded", "", ""})
	}))
	t.Cleanup(s.Close)
	return s
}

// The fragment of the recorded fleet as a whole, as a token gets it that sees everything, and one that sees nothing and may
// not read the state of the cluster.
func TestRecordedFleet(t *testing.T) {
	for _, version := range []string{"pve8", "pve9"} {
		for _, token := range []string{"root@pam!full", "none@pve!tk"} {
			t.Run(version+" "+token, func(t *testing.T) {
				server := recorded(t, version)
				c, err := New(Config{Site: "lab", URL: server.URL, TokenID: token, Secret: inventory.NewSecret(canary), retryDelay: time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(c.Close)
				s := c.Collect(t.Context())
				s.Sites[0].URL = ""
				got, err := json.MarshalIndent(s, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				name := version + "-" + strings.NewReplacer("@", "-", "!", "-").Replace(token) + ".json"
				golden(t, filepath.Join("testdata", name), append(got, '\n'))
			})
		}
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs (run with -update to see how):\n%s", file, got)
	}
}
