package pvesim

import (
	"slices"
	"testing"
)

func TestDestroyRefusals(t *testing.T) {
	destroy := func(vmid string) writeCase { return writeCase{method: "DELETE", path: "/nodes/pve1/qemu/" + vmid} }
	for _, tc := range []struct {
		name       string
		w          writeCase
		want, task string
	}{
		{name: "protected", w: destroy("102"), want: "500 can't remove VM 102 - protection mode enabled"},
		{name: "running", w: destroy("101"), want: "500 VM 101 is running - destroy failed"},
		{name: "managed", w: destroy("103"), want: "500 unable to remove VM 103 - used in HA resources and purge parameter not set."},
		{name: "not there", w: destroy("999"), want: "500 Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist"},
		{name: "skiplock", w: destroy("100?skiplock=1"), want: "400 Parameter verification failed. [skiplock: Only root may use this option.]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.w.want, tc.w.task = tc.want, tc.task
			tc.w.run(t)
		})
	}
}

// TestDestroy: with the VM its place in pools, its own permissions and, with purge,
// its high-availability resource go.
func TestDestroy(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.Pools["team"] = &Pool{VMs: []int{103, 101}}
		f.Pools["empty"] = nil
		f.ACL = append(f.ACL, ACL{Path: "/vms/103", To: "few@pve", Role: "NoAccess"})
	}); err != nil {
		t.Fatal(err)
	}
	st, data := send(t, s, "all@pve!tok", "DELETE", "/nodes/pve1/qemu/103?purge=1&destroy-unreferenced-disks=1", "")
	if st != "200 OK" || ended(t, s, data) != "OK" {
		t.Fatal(st)
	}
	f := s.fleetNow()
	if f.VMs[103] != nil || f.HA["vm:103"] != nil || len(f.HA) != 0 || !slices.Equal(f.Pools["team"].VMs, []int{101}) {
		t.Errorf("left: %v, HA %v, pool %v", f.VMs[103], f.HA, f.Pools["team"].VMs)
	}
	if slices.ContainsFunc(f.ACL, func(e ACL) bool { return e.Path == "/vms/103" }) {
		t.Error("its permissions are left")
	}
	if got, _ := get(t, s, "/nodes/pve1/qemu/103/config"); got != "Internal Server Error: Configuration file 'nodes/pve1/qemu-server/103.conf' does not exist" {
		t.Errorf("its configuration: %s", got)
	}
	if _, id := get(t, s, "/cluster/nextid?vmid=103"); id != "103" {
		t.Errorf("its VMID is not free: %v", id)
	}
}

// TestDestroyTasksThatFail: a lock, and a template whose linked clone lives.
func TestDestroyTasksThatFail(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) { f.VMs[102].Protection = false }); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ method, path, form, want string }{
		{"DELETE", "/nodes/pve1/qemu/102", "", "VM is locked (backup)"},
		{"POST", "/nodes/pve1/qemu/900/clone", "newid=500", "OK"},
		{"DELETE", "/nodes/pve1/qemu/900", "", "base volume 'ceph:base-900-disk-0' is still in use by linked cloned"},
		{"DELETE", "/nodes/pve1/qemu/500", "", "OK"},
		{"DELETE", "/nodes/pve1/qemu/900", "", "OK"},
		{"DELETE", "/nodes/pve1/qemu/105", "", "OK"}, // suspended to disk
	} {
		st, data := send(t, s, "all@pve!tok", tc.method, tc.path, tc.form)
		if st != "200 OK" {
			t.Fatalf("%s %s: %s", tc.method, tc.path, st)
		}
		if got := ended(t, s, data); got != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.method, tc.path, got, tc.want)
		}
	}
}
