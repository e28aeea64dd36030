package pvesim

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// writableFleet has a template on shared storage, a stopped and a running VM, and
// tokens with few privileges.
const writableFleet = `
nodes: {pve1: , pve2: , pve3: {offline: 10m}}
users: {few@pve: , none@pve: }
roles:
  Few: [VM.Audit, VM.Clone, VM.Allocate, VM.PowerMgmt, VM.Config.CPU, VM.Config.Disk, VM.Config.CDROM, Sys.Audit]
  Plain: [VM.Audit]
tokens:
  all@pve!tok: {role: Administrator}
  few@pve!tok: {role: Few}
  none@pve!tok: {role: Plain}
acl:
  - {path: /, to: few@pve, role: Few}
  - {path: /, to: none@pve, role: Plain}
storages:
  local: {type: dir, path: /var/lib/vz, content: [iso, vztmpl], volumes: [{name: iso/debian.iso, node: pve1, size: 659554304}]}
  ceph: {type: rbd, content: [images], shared: true}
  thin: {type: lvmthin, content: [images]}
  off: {type: dir, content: [images, iso], disabled: true}
pools: {team: {}}
ha: {"vm:103": {}}
options: {registered-tags: prod}
vms:
  900:
    node: pve1
    agent: {hostname: template}
    config: |
      #from%3A the factory
      agent: 1
      boot: order=scsi0
      cores: 2
      ide2: ceph:vm-900-cloudinit,media=cdrom
      memory: 2048
      name: tmpl
      net0: virtio=BC:24:11:00:09:00,bridge=vmbr0,firewall=1
      scsi0: ceph:base-900-disk-0,discard=on,size=10G
      smbios1: manufacturer=Foo,uuid=11111111-aaaa-4bbb-8ccc-000000000900
      template: 1
      unused0: ceph:vm-900-disk-7
      vmgenid: 22222222-aaaa-4bbb-8ccc-000000000900

      [snap]
      cores: 1
      snaptime: 1700000000
  100: {node: pve1, name: local, uuid: 11111111-aaaa-4bbb-8ccc-000000000100, options: {scsi0: "thin:vm-100-disk-0,size=8G", ide0: "none,media=cdrom", boot: order=scsi0}}
  101: {node: pve1, name: runs, status: running, cores: 2, mac: BC:24:11:00:01:01, tags: [a, prod], options: {scsi0: "ceph:vm-101-disk-0,size=8G"}}
  102: {node: pve1, name: kept, protection: true, lock: backup, options: {scsi0: "thin:vm-102-disk-0,size=8G"}}
  103: {node: pve1, name: watched}
  104: {node: pve1, name: asleep, status: paused}
  105: {node: pve1, name: ondisk, lock: suspended, options: {vmstate: "thin:vm-105-state-suspend"}}
  200: {node: pve2, name: elsewhere}
`

func startWritable(t *testing.T) *Server {
	t.Helper()
	opts := quick()
	opts.Writable = true
	return startServer(t, parse(t, writableFleet), opts)
}

// send sends a write to the first node and returns "status reason", the errors of
// the parameters, and the data.
func send(t *testing.T, s *Server, token, method, path, form string) (status string, data any) {
	t.Helper()
	headers := map[string]string{}
	if form != "" {
		headers["Content-Type"] = "application/x-www-form-urlencoded"
	}
	if strings.HasPrefix(form, "{") {
		headers["Content-Type"] = "application/json"
	} else if !strings.Contains(form, "%") {
		form = encodeForm(form)
	}
	return sendRaw(t, s, token, method, path, form, headers)
}

// encodeForm encodes the values of a form that is written down plainly.
func encodeForm(form string) string {
	var pairs []string
	for _, pair := range strings.Split(form, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != "" {
			pairs = append(pairs, name+"="+url.QueryEscape(value))
		}
	}
	return strings.Join(pairs, "&")
}

func sendRaw(t *testing.T, s *Server, token, method, path, body string, headers map[string]string) (status string, data any) {
	t.Helper()
	a := rawRequest(t, s, "pve1", method, apiRoot+path, s.AuthHeader(token), body, headers)
	var answer struct {
		Data   any               `json:"data"`
		Errors map[string]string `json:"errors"`
	}
	if a.body != "" && strings.HasPrefix(a.body, "{") {
		if err := json.Unmarshal([]byte(a.body), &answer); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, a.body)
		}
	}
	status = fmt.Sprintf("%d %s", a.status, a.reason)
	for _, name := range sortedKeys(answer.Errors) {
		status += " [" + name + ": " + strings.TrimSpace(answer.Errors[name]) + "]"
	}
	return status, answer.Data
}

// fleetNow is the fleet as it is served now.
func (s *Server) fleetNow() *Fleet { return s.current().fleet.clone() }

// ended is how the newest task ended; it fails when upid is another's.
func ended(t *testing.T, s *Server, upid any) string {
	t.Helper()
	tasks := s.fleetNow().Tasks
	if len(tasks) == 0 || tasks[0].upid() != upid {
		t.Fatalf("the newest of %d tasks is not %v", len(tasks), upid)
	}
	_, data := get(t, s, fmt.Sprintf("/nodes/%s/tasks/%s/status", tasks[0].Node, upid))
	row, ok := data.(map[string]any)
	if !ok || row["status"] != "stopped" {
		t.Fatalf("the task's status is %v", data)
	}
	return fmt.Sprint(row["exitstatus"])
}

// writeCase is a write and what comes of it: the answer of the request, and the
// exit status of its task if it makes one.
type writeCase struct {
	name, token, method, path, form string
	want                            string
	task                            string
}

func (w writeCase) run(t *testing.T) *Server {
	t.Helper()
	s := startWritable(t)
	before := s.fleetNow()
	status, data := send(t, s, orDefault(w.token, "all@pve!tok"), w.method, w.path, w.form)
	if status != orDefault(w.want, "200 OK") {
		t.Fatalf("got %s, want %s", status, orDefault(w.want, "200 OK"))
	}
	if w.task != "" {
		if got := ended(t, s, data); got != w.task {
			t.Errorf("the task ended with %q, want %q", got, w.task)
		}
	}
	after := s.fleetNow()
	if w.want != "" && w.want != "200 OK" || w.task != "" && w.task != "OK" {
		after.Tasks = before.Tasks
		if !reflect.DeepEqual(before, after) {
			t.Errorf("what was refused changed the fleet")
		}
	}
	if log := s.Writes(); len(log) != 1 || log[0].Method != w.method || log[0].Time.IsZero() {
		t.Errorf("recorded %+v, want this write", log)
	}
	return s
}

func runWrites(t *testing.T, cases []writeCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) { tc.run(t) })
	}
}

// allWrites are one good request of each kind.
var allWrites = []writeCase{
	{method: "POST", path: "/nodes/pve1/qemu/900/clone", form: "newid=500"},
	{method: "POST", path: "/nodes/pve1/qemu/100/config", form: "cores=4"},
	{method: "PUT", path: "/nodes/pve1/qemu/100/config", form: "cores=4"},
	{method: "PUT", path: "/nodes/pve1/qemu/100/resize", form: "disk=scsi0&size=9G"},
	{method: "POST", path: "/nodes/pve1/qemu/100/status/start"},
	{method: "POST", path: "/nodes/pve1/qemu/101/status/stop"},
	{method: "POST", path: "/nodes/pve1/qemu/101/status/shutdown"},
	{method: "POST", path: "/nodes/pve1/qemu/101/status/reset"},
	{method: "POST", path: "/nodes/pve1/qemu/104/status/resume"},
	{method: "DELETE", path: "/nodes/pve1/qemu/100"},
	{method: "POST", path: "/nodes/pve1/storage/local/upload"},
	{method: "DELETE", path: "/nodes/pve1/storage/local/content/local:iso/debian.iso"},
}

// TestWritesAreRefusedByDefault: without the option every one of them is refused
// and nothing changes.
func TestWritesAreRefusedByDefault(t *testing.T) {
	s := startServer(t, parse(t, writableFleet), quick())
	before := s.fleetNow()
	for _, w := range allWrites {
		status, _ := send(t, s, "all@pve!tok", w.method, w.path, w.form)
		if want := "403 pvesim changes nothing: " + w.method + " " + w.path + " refused"; status != want {
			t.Errorf("%s %s: %s, want %s", w.method, w.path, status, want)
		}
	}
	if !reflect.DeepEqual(before, s.fleetNow()) {
		t.Error("a refused write changed the fleet")
	}
	if len(s.Writes()) != len(allWrites) {
		t.Errorf("%d writes recorded, want %d", len(s.Writes()), len(allWrites))
	}
}

// TestWritesChangeAndNeedARight: each of them succeeds for an administrator and
// leaves a task of the token, and is refused to a token that may only look.
func TestWritesChangeAndNeedARight(t *testing.T) {
	for _, w := range allWrites {
		if strings.HasSuffix(w.path, "/upload") {
			continue // see TestUpload
		}
		t.Run(w.method+w.path, func(t *testing.T) {
			s := w.run(t)
			if w.method == "PUT" && strings.HasSuffix(w.path, "/config") {
				return // the one without a task
			}
			tasks := s.fleetNow().Tasks
			if len(tasks) != 1 || tasks[0].User != "all@pve!tok" || tasks[0].Status != "OK" || tasks[0].Node != "pve1" {
				t.Errorf("tasks %+v, want one of the token", tasks)
			}
			_, data := get(t, s, "/nodes/pve1/tasks")
			if row := rows(t, data, "user")["all@pve"]; row["tokenid"] != "tok" {
				t.Errorf("the list of tasks has %v", data)
			}
		})
		denied := w
		denied.token = "none@pve!tok"
		t.Run("denied "+w.method+w.path, func(t *testing.T) {
			s := startWritable(t)
			before := s.fleetNow()
			if status, _ := send(t, s, denied.token, w.method, w.path, w.form); !strings.HasPrefix(status, "403 Permission check failed") {
				t.Errorf("got %s", status)
			}
			if !reflect.DeepEqual(before, s.fleetNow()) {
				t.Error("it changed the fleet")
			}
		})
	}
}

// TestWritesToOtherPlaces are requests that go before the checks of an endpoint.
func TestWritesToOtherPlaces(t *testing.T) {
	s := startWritable(t)
	for _, tc := range []struct{ method, path, form, want string }{
		{"POST", "/nodes/pve1/qemu", "vmid=500", "501 Method 'POST /nodes/pve1/qemu' not implemented"},
		{"DELETE", "/pools/team", "", "501 Method 'DELETE /pools/team' not implemented"},
		{"POST", "/nodes/nope/qemu/100/status/start", "", "500 hostname lookup 'nope' failed - failed to get address info for: nope: Name or service not known"},
		{"POST", "/nodes/pve3/qemu/100/status/start", "", "595 Connection refused"},
		{"POST", "/nodes/pve2/qemu/100/status/start", "", "500 Configuration file 'nodes/pve2/qemu-server/100.conf' does not exist"},
		{"POST", "/nodes/pve1/qemu/100/status/start", "vmid=101", "400 Parameter verification failed. [vmid: duplicate parameter (already defined in URI) with conflicting values!]"},
		{"POST", "/nodes/pve1/qemu/100/status/start", "bad=1", "400 Parameter verification failed. [bad: property is not defined in schema and the schema does not allow additional properties]"},
		{"POST", "/nodes/pve1/qemu/100/status/start", "skiplock=1", "400 Parameter verification failed. [skiplock: Only root may use this option.]"},
		{"POST", "/nodes/pve1/qemu/100/config", `{"cores": [1]}`, "400 Parameter verification failed. [cores: type check ('string') failed - got ARRAY]"},
		{"POST", "/nodes/pve1/qemu/100/config", `{"cores": {}}`, "400 Parameter verification failed. [cores: type check ('string') failed - got HASH]"},
		{"POST", "/nodes/pve1/qemu/100/config", `{"cores": [{}]}`, "400 Parameter verification failed. [cores: type check ('string') failed - got ARRAY]"},
		{"POST", "/nodes/pve1/qemu/100/config", `{"cores"`, "500 malformed JSON string: unexpected EOF"},
		{"POST", "/nodes/pve1/qemu/100/config", "a=%zz", "400 Parameter verification failed. [a: property is not defined in schema and the schema does not allow additional properties]"},
		{"POST", "/nodes/pve1/qemu/100/config", "cores=%31;cores=2", "400 Parameter verification failed. [cores: type check ('string') failed - got ARRAY]"},
		{"POST", "/nodes/pve1/qemu/100/config", "%" + strings.Repeat("a", maxPost), "501 for data too large"},
	} {
		if got, _ := send(t, s, "all@pve!tok", tc.method, tc.path, tc.form); got != tc.want {
			t.Errorf("%s %s: got %s, want %s", tc.method, tc.path, got, tc.want)
		}
	}
	got, _ := sendRaw(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/100/config", "x", map[string]string{"Content-Type": "text/plain"})
	if got != "506 upload 'Content-Type 'text/plain' not implemented" {
		t.Errorf("text: %s", got)
	}
	if n := len(s.fleetNow().Tasks); n != 0 {
		t.Errorf("%d tasks, want none", n)
	}
}
