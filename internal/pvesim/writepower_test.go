package pvesim

import (
	"strings"
	"testing"
	"time"
)

func TestPower(t *testing.T) {
	power := func(vmid, action string) writeCase {
		return writeCase{method: "POST", path: "/nodes/pve1/qemu/" + vmid + "/status/" + action}
	}
	for _, tc := range []struct {
		name   string
		w      writeCase
		form   string
		want   string
		task   string
		kind   string
		vmid   int
		status string
	}{
		{name: "start", w: power("100", "start"), task: "OK", kind: "qmstart", vmid: 100, status: "running"},
		{name: "start what runs", w: power("101", "start"), task: "VM 101 already running"},
		{name: "start a template", w: power("900", "start"), task: "you can't start a vm if it's a template"},
		{name: "start what is locked", w: power("102", "start"), task: "VM is locked (backup)"},
		{name: "start what is managed", w: power("103", "start"), task: "OK", kind: "hastart", vmid: 103, status: "running"},
		{name: "start from disk", w: power("105", "start"), task: "OK", kind: "qmstart", vmid: 105, status: "running"},
		{name: "stop", w: power("101", "stop"), task: "OK", kind: "qmstop", vmid: 101, status: "stopped"},
		{name: "stop what is stopped", w: power("100", "stop"), task: "OK", kind: "qmstop", vmid: 100, status: "stopped"},
		{name: "shutdown", w: power("101", "shutdown"), task: "OK", kind: "qmshutdown", vmid: 101, status: "stopped"},
		{name: "shutdown what is paused", w: power("104", "shutdown"), want: "500 VM is paused - cannot shutdown"},
		{name: "force a shutdown", w: power("104", "shutdown"), form: "forceStop=1", task: "OK", kind: "qmshutdown", vmid: 104, status: "stopped"},
		{name: "keepActive", w: power("104", "shutdown"), form: "keepActive=1", want: "400 Parameter verification failed. [keepActive: Only root may use this option.]"},
		{name: "reset", w: power("101", "reset"), task: "OK", kind: "qmreset", vmid: 101, status: "running"},
		{name: "reset what is stopped", w: power("100", "reset"), want: "500 VM 100 not running"},
		{name: "resume", w: power("104", "resume"), task: "OK", kind: "qmresume", vmid: 104, status: "running"},
		{name: "resume what runs", w: power("101", "resume"), task: "OK", kind: "qmresume", vmid: 101, status: "running"},
		{name: "resume what is stopped", w: power("100", "resume"), want: "500 VM 100 not running"},
		{name: "resume from disk", w: power("105", "resume"), task: "OK", kind: "qmresume", vmid: 105, status: "running"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.w.form, tc.w.want, tc.w.task = tc.form, tc.want, tc.task
			s := tc.w.run(t)
			if tc.vmid == 0 {
				return
			}
			f := s.fleetNow()
			vm := s.current().byID[tc.vmid]
			if vm.status != tc.status || f.Tasks[0].Type != tc.kind || f.Tasks[0].ID != itoa(tc.vmid) {
				t.Errorf("it is %s after %s of %s", vm.status, f.Tasks[0].Type, f.Tasks[0].ID)
			}
			if tc.vmid == 103 && f.HA["vm:103"].State != "started" {
				t.Errorf("the resource is %+v", f.HA["vm:103"])
			}
			if tc.vmid == 105 && (vm.conf.main["lock"] != nil || vm.conf.main["vmstate"] != nil) {
				t.Errorf("still suspended: %s", vm.raw)
			}
		})
	}
}

// TestPowerOfWhatIsManaged: the task hands the request over and ends well, also when
// there is nothing to do or it cannot be done.
func TestPowerOfWhatIsManaged(t *testing.T) {
	s := startWritable(t)
	for _, step := range []struct{ action, lock, state, status string }{
		{"start", "", "started", "running"}, {"start", "", "started", "running"}, {"stop", "", "stopped", "stopped"},
		{"start", "backup", "started", "stopped"}, {"shutdown", "", "stopped", "stopped"},
	} {
		if step.lock != "" {
			if err := s.Update(func(f *Fleet) { f.VMs[103].Config = "lock: " + step.lock + "\n" }); err != nil {
				t.Fatal(err)
			}
		}
		st, upid := send(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/103/status/"+step.action, "")
		if st != "200 OK" || ended(t, s, upid) != "OK" {
			t.Fatalf("%s: %s", step.action, st)
		}
		if got := s.fleetNow(); got.HA["vm:103"].State != step.state || s.current().byID[103].status != step.status {
			t.Errorf("after %s: requested %s, it is %s", step.action, got.HA["vm:103"].State, s.current().byID[103].status)
		}
	}
	if err := s.Update(func(f *Fleet) {
		f.HA["vm:103"].State = "ignored"
		f.VMs[103].Config = "name: a\n"
	}); err != nil {
		t.Fatal(err)
	}
	if _, upid := send(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/103/status/start", ""); !strings.Contains(upid.(string), ":qmstart:") {
		t.Errorf("one that the manager ignores: %v", upid)
	}
}

// TestUptimeCountsFromTheStart: not from the start of the simulator.
func TestUptimeCountsFromTheStart(t *testing.T) {
	clock := newTestClock()
	opts := quick()
	opts.Writable, opts.Now = true, clock.now
	s := startServer(t, parse(t, writableFleet), opts)
	clock.advance(time.Hour)
	if st, _ := send(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/100/status/start", ""); st != "200 OK" {
		t.Fatal(st)
	}
	clock.advance(time.Minute)
	uptime := func() any {
		_, data := get(t, s, "/nodes/pve1/qemu/100/status/current")
		row, ok := data.(map[string]any)
		if !ok {
			t.Fatalf("got %v", data)
		}
		return row["uptime"]
	}
	if got := uptime(); got != 60.0 {
		t.Errorf("up for %v s, want 60", got)
	}
	if st, _ := send(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/100/status/stop", ""); st != "200 OK" || uptime() != 0.0 {
		t.Errorf("stopped (%s), it is up for %v s", st, uptime())
	}
}
