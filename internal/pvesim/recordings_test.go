package pvesim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// recording is one recorded answer of a real Proxmox VE (testdata/README.md).
type recording struct {
	Name    string `json:"name"`
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Node    string            `json:"node"`
		Token   string            `json:"token"`
		Body    *string           `json:"body"`
		Headers map[string]string `json:"headers"`
	} `json:"request"`
	Status  int         `json:"status"`
	Reason  string      `json:"reason"`
	Headers [][2]string `json:"headers"`
	Body    string      `json:"body"`
}

// recordingsPerVersion is how many recordings there are; a test that read fewer
// would pass without looking.
const recordingsPerVersion = 253

func loadRecordings(t *testing.T, version string) []recording {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "recordings", version+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var res []recording
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var r recording
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatalf("%s: line %d: %v", version, len(res)+1, err)
		}
		res = append(res, r)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if len(res) != recordingsPerVersion {
		t.Fatalf("%s: %d recordings, want %d", version, len(res), recordingsPerVersion)
	}
	return res
}

func startRecordedFleet(t *testing.T, version string) *Server {
	t.Helper()
	fleet, err := LoadFleet("testdata/fleet.yaml", "testdata/overlay.yaml", "testdata/overlay-"+version+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	frozen := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	return startServer(t, fleet, Options{
		PlainHTTP: true, AuthDelay: NoDelay, AgentTimeout: NoDelay, Now: func() time.Time { return frozen },
		BroadcastEvery: time.Hour, // what the recorded writes changed had not been broadcast yet
	})
}

func startServer(t *testing.T, fleet *Fleet, opts Options) *Server {
	t.Helper()
	s, err := Start(fleet, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the simulator: %v", err)
		}
	})
	return s
}

// authorization turns the token of a recording into a header.
func (r recording) authorization(s *Server) string {
	tok := r.Request.Token
	if tok == "" || strings.Contains(tok, "=") || strings.HasPrefix(tok, "Bearer ") {
		return tok
	}
	return s.AuthHeader(tok)
}

// TestRecordings asks the simulator everything that a real Proxmox VE was asked
// and compares the answers. What may differ stands in the exclusions.
func TestRecordings(t *testing.T) {
	for _, version := range []string{"pve8", "pve9"} {
		t.Run(version, func(t *testing.T) {
			s := startRecordedFleet(t, version)
			for _, r := range loadRecordings(t, version) {
				prepare(t, s, version, r)
				reason, excluded := exclusions[r.Name]
				diffs := r.replay(t, s)
				switch {
				case excluded && len(diffs) == 0:
					t.Errorf("%s: matches, yet it is excluded (%s)", r.Name, reason)
				case !excluded && len(diffs) > 0:
					t.Errorf("%s: %s %s as %q differs:\n\t%s", r.Name, r.Request.Method, r.Request.Path, r.Request.Token,
						strings.Join(diffs, "\n\t"))
				}
			}
			checkExclusions(t, loadRecordings(t, version))
		})
	}
}

// replay sends the recorded request and lists what differs.
func (r recording) replay(t *testing.T, s *Server) []string {
	t.Helper()
	body := ""
	if r.Request.Body != nil {
		body = *r.Request.Body
	}
	got := rawRequest(t, s, r.Request.Node, r.Request.Method, r.Request.Path, r.authorization(s), body, r.Request.Headers)
	var diffs []string
	if got.status != r.Status || got.reason != r.Reason {
		diffs = append(diffs, fmt.Sprintf("status: got %d %s, want %d %s", got.status, got.reason, r.Status, r.Reason))
	}
	want := rawAnswer{headers: r.Headers}
	for _, name := range []string{"Connection", "Server", "Content-Type"} {
		if g, w := got.values(name), want.values(name); strings.Join(g, " | ") != strings.Join(w, " | ") {
			diffs = append(diffs, fmt.Sprintf("header %s: got %q, want %q", name, g, w))
		}
	}
	if g, w := len(got.values("Content-Length")), len(want.values("Content-Length")); g != w {
		diffs = append(diffs, fmt.Sprintf("header Content-Length: got %d of them, want %d", g, w))
	}
	return append(diffs, compareBodies(r.Request.Path, r.Body, got.body)...)
}

var reConfigOf = regexp.MustCompile(`/qemu/(\d+)/`)

// prepare brings the fleet into the state that the recorded writes before a
// recording left, because the simulator carries out none by default.
func prepare(t *testing.T, s *Server, version string, r recording) {
	t.Helper()
	set := func(f *Fleet, vmid int, file string) {
		data, err := os.ReadFile(filepath.Join("testdata", "after-writes", version, file))
		if err != nil {
			t.Fatal(err)
		}
		if f.VMs[vmid] == nil {
			f.VMs[vmid] = &VM{Node: "pve1"}
		}
		f.VMs[vmid].Config = string(data)
	}
	if !strings.HasPrefix(r.Name, "w_") || r.Request.Method != http.MethodGet {
		return
	}
	err := s.Update(func(f *Fleet) {
		switch r.Name {
		case "w_resources_after_create":
			set(f, 105, "105_smbios.conf")
			for id := 400; id <= 403; id++ {
				set(f, id, strconv.Itoa(id)+".conf")
			}
			f.Pools["team-a"].VMs = append(f.Pools["team-a"].VMs, 403)
		case "w_task_status":
			f.Tasks = append(f.Tasks, recordedTask(t, r))
		case "w_get_105_smbios":
			set(f, 105, "105_smbios.conf")
		default:
			m := reConfigOf.FindStringSubmatch(r.Request.Path)
			if m == nil {
				t.Fatalf("%s: no state known for this recording", r.Name)
			}
			id, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			set(f, id, m[1]+".conf")
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
}

// recordedTask is the task that a recording asks about: the clone that made 403.
func recordedTask(t *testing.T, r recording) Task {
	t.Helper()
	var body struct {
		Data struct {
			PID       int   `json:"pid"`
			PStart    int   `json:"pstart"`
			StartTime int64 `json:"starttime"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		t.Fatal(err)
	}
	return Task{
		Node: "pve1", Type: "qmclone", ID: "113", User: "root@pam!full", PID: body.Data.PID, PStart: body.Data.PStart,
		Started: body.Data.StartTime, Ended: body.Data.StartTime + 1, Status: "OK",
	}
}
