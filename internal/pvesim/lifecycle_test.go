package pvesim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// provider is a client as a Cluster API provider has it: JSON bodies, connections
// that are kept, and a wait for each task.
type provider struct {
	t *testing.T
	s *Server
}

func (p provider) do(method, path string, body any) any {
	p.t.Helper()
	var payload string
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		payload = string(data)
	}
	return p.raw(method, path, "application/json", payload)
}

func (p provider) raw(method, path, contentType, payload string) any {
	p.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, p.s.URL+apiRoot+path, strings.NewReader(payload))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", p.s.AuthHeader("all@pve!tok"))
	if payload != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer closeBody(p.t, res)
	var answer struct {
		Data any `json:"data"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s: %v", method, path, res.Status, err)
	}
	return answer.Data
}

// wait reads the status of a task until it has ended well.
func (p provider) wait(upid any) {
	p.t.Helper()
	text := fmt.Sprint(upid)
	row, ok := p.do(http.MethodGet, "/nodes/"+strings.Split(text, ":")[1]+"/tasks/"+text+"/status", nil).(map[string]any)
	if !ok || row["status"] != "stopped" || row["exitstatus"] != "OK" || row["user"] != "all@pve" || row["tokenid"] != "tok" {
		p.t.Fatalf("the task %s: %v", text, row)
	}
}

// TestLifeOfAMachine goes the way of CAPMOX 0.9.0 with a machine, from the clone to
// the deletion, and looks at the fleet after every step.
func TestLifeOfAMachine(t *testing.T) {
	s := startWritable(t)
	p := provider{t, s}
	vm := func() *guest {
		t.Helper()
		g := s.current().byID[500]
		if g == nil {
			t.Fatal("VM 500 is gone")
		}
		return g
	}
	line := func(key string) string { return fmt.Sprint(vm().conf.main[key]) }
	want := func(key, value string) {
		t.Helper()
		if got := line(key); got != value {
			t.Errorf("%s is %q, want %q", key, got, value)
		}
	}

	if id := p.do("GET", "/cluster/nextid?vmid=500", nil); id != "500" {
		t.Fatalf("nextid says %v", id)
	}
	p.wait(p.do("POST", "/nodes/pve1/qemu/900/clone", map[string]any{
		"newid": 500, "name": "worker-1", "full": 1, "pool": "team", "target": "pve2",
	}))
	want("name", "worker-1")
	want("memory", "2048")
	if vm().node.name != "pve2" || vm().running() || s.current().poolOf[500] != "team" {
		t.Errorf("it is on %s in pool %q", vm().node.name, s.current().poolOf[500])
	}
	uuid := line("smbios1")
	const path = "/nodes/pve2/qemu/500"
	p.wait(p.do("POST", path+"/config", map[string]any{"sockets": 2, "cores": 4, "memory": 8192, "tags": "k8s;Worker"}))
	want("memory", "8192")
	want("sockets", "2")
	want("tags", "k8s;worker")
	p.wait(p.do("PUT", path+"/resize", map[string]string{"disk": "scsi0", "size": "40G"}))
	want("scsi0", "ceph:vm-500-disk-0,discard=on,size=40G")

	body, kind := uploadBody(t, "iso", "user-data-500.iso", strings.Repeat("x", 2048))
	p.wait(p.raw("POST", "/nodes/pve2/storage/local/upload", kind, body))
	p.wait(p.do("POST", path+"/config", map[string]any{"tags": "k8s;worker;go-proxmox+cloud-init"}))
	p.wait(p.do("POST", path+"/config", map[string]any{
		"ide0": "local:iso/user-data-500.iso,media=cdrom", "boot": line("boot") + ";ide0",
	}))
	want("ide0", "local:iso/user-data-500.iso,media=cdrom,size=2K")
	want("boot", "order=scsi0;ide0")
	want("tags", "go-proxmox+cloud-init;k8s;worker")

	p.wait(p.do("POST", path+"/status/start", nil))
	if vm().status != "running" {
		t.Errorf("it is %s", vm().status)
	}
	p.wait(p.do("POST", path+"/config", map[string]any{"ide0": "none,media=cdrom"}))
	want("ide0", "none,media=cdrom")
	p.wait(p.do("DELETE", "/nodes/pve2/storage/local/content/local:iso/user-data-500.iso", nil))
	p.wait(p.do("POST", path+"/config", map[string]any{"tags": "k8s;worker"}))
	want("tags", "k8s;worker")
	if line("smbios1") != uuid {
		t.Errorf("the identity changed from %s to %s", uuid, line("smbios1"))
	}

	p.wait(p.do("POST", path+"/status/stop", nil))
	if vm().running() {
		t.Error("it still runs")
	}
	p.wait(p.do("DELETE", path, nil))
	f := s.fleetNow()
	if f.VMs[500] != nil || len(f.Pools["team"].VMs) != 0 {
		t.Errorf("left: %v, pool %v", f.VMs[500], f.Pools["team"].VMs)
	}
	var kinds []string
	for _, task := range f.Tasks {
		kinds = append(kinds, task.Type)
	}
	const history = "qmdestroy qmstop qmconfig imgdel qmconfig qmstart qmconfig qmconfig imgcopy resize qmconfig qmclone"
	if got := strings.Join(kinds, " "); got != history {
		t.Errorf("tasks, newest first:\n%s\nwant\n%s", got, history)
	}
	if n := len(s.Writes()); n != 12 {
		t.Errorf("%d writes were recorded, want 12", n)
	}
}
