package proxmox

import (
	"bufio"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
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
