package pvesim

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notWritten are the recorded writes that a Cluster API provider does not send.
var notWritten = map[string]bool{"w_create_400": true, "w_create_401_smbios": true, "w_create_taken": true}

// TestRecordedWrites sends the writes that a real Proxmox VE was sent to a writable
// simulator, and compares the answers and the files that they leave.
func TestRecordedWrites(t *testing.T) {
	for _, version := range []string{"pve8", "pve9"} {
		t.Run(version, func(t *testing.T) {
			s := startRecordedFleet(t, version)
			s.opts.Writable = true
			sent := 0
			for _, r := range loadRecordings(t, version) {
				if r.Request.Method == http.MethodGet || !strings.HasPrefix(r.Name, "w_") && !strings.HasPrefix(r.Name, "put_") || notWritten[r.Name] {
					continue
				}
				sent++
				r.Body = withoutUPID(r.Body)
				got := r.replayWrite(t, s)
				if len(got) > 0 {
					t.Errorf("%s: %s %s differs:\n\t%s", r.Name, r.Request.Method, r.Request.Path, strings.Join(got, "\n\t"))
				}
				r.checkFile(t, s, version)
			}
			if sent != 12 {
				t.Errorf("%d writes were sent, want 12", sent)
			}
		})
	}
}

var reUPID = regexp.MustCompile(`UPID:([^:]+):[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:`)

func withoutUPID(body string) string { return reUPID.ReplaceAllString(body, "UPID:$1:") }

func (r recording) replayWrite(t *testing.T, s *Server) []string {
	t.Helper()
	body := ""
	if r.Request.Body != nil {
		body = *r.Request.Body
	}
	got := rawRequest(t, s, r.Request.Node, r.Request.Method, r.Request.Path, r.authorization(s), body, r.Request.Headers)
	var diffs []string
	if got.status != r.Status || got.reason != r.Reason {
		diffs = append(diffs, "status: got "+http.StatusText(got.status)+" "+got.reason+", want "+r.Reason)
	}
	want := rawAnswer{headers: r.Headers}
	for _, name := range []string{"Connection", "Content-Type"} {
		if g, w := got.values(name), want.values(name); strings.Join(g, " | ") != strings.Join(w, " | ") {
			diffs = append(diffs, "header "+name+": got "+strings.Join(g, " | ")+", want "+strings.Join(w, " | "))
		}
	}
	var g, w any
	if err := json.Unmarshal([]byte(withoutUPID(got.body)), &g); err != nil {
		t.Fatalf("%s: %v: %s", r.Name, err, got.body)
	}
	if err := json.Unmarshal([]byte(r.Body), &w); err != nil {
		t.Fatal(err)
	}
	gt, err1 := json.Marshal(g)
	wt, err2 := json.Marshal(w)
	if err1 != nil || err2 != nil || string(gt) != string(wt) {
		diffs = append(diffs, "body: got "+string(gt)+", want "+string(wt))
	}
	return diffs
}

var (
	reAnyUUID = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	reAnyMAC  = regexp.MustCompile(`BC:24:11(?::[0-9A-F]{2}){3}`)
)

// leftFiles are the files of guests that recorded writes left.
var leftFiles = map[string]string{
	"w_set_105": "105.conf", "w_set_smbios_nouuid": "105_smbios.conf", "w_set_running_100": "100.conf",
	"w_clone_402": "402.conf", "w_clone_403_named": "403.conf",
}

// checkFile compares a guest's file with the one that the recorded write left. What
// a clone makes up at random must only look alike.
func (r recording) checkFile(t *testing.T, s *Server, version string) {
	t.Helper()
	file, ok := leftFiles[r.Name]
	if !ok {
		return
	}
	number, _, _ := strings.Cut(strings.TrimSuffix(file, ".conf"), "_")
	id, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "after-writes", version, file))
	if err != nil {
		t.Fatal(err)
	}
	g := s.current().byID[id]
	if g == nil {
		t.Errorf("%s: no guest %d afterwards", r.Name, id)
		return
	}
	got, want := g.raw, string(data)
	if strings.HasPrefix(r.Name, "w_clone_") {
		if len(reAnyUUID.FindAllString(got, -1)) != 2 || strings.Contains(got, "11111111-aaaa") || strings.Contains(got, "AA:BB:13") {
			t.Errorf("%s: the clone shares its identity with the template:\n%s", r.Name, got)
		}
		mask := func(s string) string {
			return reAnyMAC.ReplaceAllString(reAnyUUID.ReplaceAllString(s, "UUID"), "MAC")
		}
		got, want = mask(got), mask(want)
	}
	if got != want {
		t.Errorf("%s: the file of %d is now\n%s\nwant\n%s", r.Name, id, got, want)
	}
}
