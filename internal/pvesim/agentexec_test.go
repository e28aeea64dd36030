package pvesim

import "testing"

// TestAgentExec: commands are taken by an agent that answers, for those who may run
// some.
func TestAgentExec(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.VMs[101].Agent = &Agent{}
		f.VMs[100].Agent = &Agent{}
		f.VMs[104].Agent = &Agent{}
		f.VMs[200].Status, f.VMs[200].Agent = "running", &Agent{Results: map[string]any{"exec-status": map[string]any{"exited": 0}}}
	}); err != nil {
		t.Fatal(err)
	}
	run := `{"command":["cloud-init","status"]}`
	for _, tc := range []struct{ token, vm, form, want string }{
		{"all@pve!tok", "pve1/qemu/101", run, "200 OK"},
		{"few@pve!tok", "pve1/qemu/101", run, "403 Permission check failed (/vms/101, VM.GuestAgent.Unrestricted)"},
		{"all@pve!tok", "pve1/qemu/101", "", "400 Parameter verification failed. [command: property is missing and it is not optional]"},
		{"all@pve!tok", "pve1/qemu/100", run, "500 VM 100 is not running"},
		{"all@pve!tok", "pve1/qemu/104", run, "500 QEMU guest agent is not running"},
		{"all@pve!tok", "pve1/qemu/102", run, "500 No QEMU guest agent configured"},
		{"all@pve!tok", "pve1/qemu/999", run, "500 Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist"},
	} {
		got, data := send(t, s, tc.token, "POST", "/nodes/"+tc.vm+"/agent/exec", tc.form)
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.vm, got, tc.want)
		}
		if obj, ok := data.(map[string]any); tc.want == "200 OK" && (!ok || obj["pid"] != float64(execPID)) {
			t.Errorf("%s: %v", tc.vm, data)
		}
	}
	status := "/agent/exec-status?pid=" + itoa(execPID)
	_, data := get(t, s, "/nodes/pve1/qemu/101"+status)
	if obj, ok := data.(map[string]any); !ok || obj["exited"] != 1.0 || obj["exitcode"] != 0.0 || obj["out-data"] != "status: done\n" {
		t.Errorf("got %v", data)
	}
	if _, data = get(t, s, "/nodes/pve2/qemu/200"+status); data.(map[string]any)["exited"] != 0.0 {
		t.Errorf("a fleet's own result: %v", data)
	}
	if st, _ := get(t, s, "/nodes/pve1/qemu/101/agent/exec-status?pid=1"); st != "Internal Server Error: Agent error: Invalid parameter 'pid'" {
		t.Errorf("another process: %s", st)
	}
	if st, _ := get(t, s, "/nodes/pve1/qemu/100"+status); st != "Internal Server Error: VM 100 is not running" {
		t.Errorf("stopped: %s", st)
	}
	if len(s.fleetNow().Tasks) != 0 {
		t.Error("a command left a task")
	}
	opts := quick()
	opts.Writable = true
	s = startServer(t, parse(t, "version: \"8\"\nvms: {100: {status: running, agent: {}}}\n"), opts)
	if got, _ := send(t, s, DefaultTokenID, "POST", "/nodes/pve1/qemu/100/agent/exec", run); got != "403 Permission check failed (/vms/100, VM.Monitor)" {
		t.Errorf("version 8: %s", got)
	}
}
