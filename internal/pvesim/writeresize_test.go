package pvesim

import (
	"strings"
	"testing"
)

func TestResize(t *testing.T) {
	resize := func(vmid, form string) writeCase {
		return writeCase{method: "PUT", path: "/nodes/pve1/qemu/" + vmid + "/resize", form: form}
	}
	for _, tc := range []struct {
		name       string
		w          writeCase
		token      string
		want, task string
		leaves     string
	}{
		{name: "to a size", w: resize("100", "disk=scsi0&size=20G"), task: "OK", leaves: "scsi0: thin:vm-100-disk-0,size=20G\n"},
		{name: "as JSON", w: resize("100", `{"disk":"scsi0","size":"1T"}`), task: "OK", leaves: "size=1T\n"},
		{name: "by a size", w: resize("100", "disk=scsi0&size=%2B512M"), task: "OK", leaves: "size=8704M\n"},
		{name: "to what it is", w: resize("100", "disk=scsi0&size=8G"), task: "OK"},
		{name: "shrink", w: resize("100", "disk=scsi0&size=7G"), task: "shrinking disks is not supported"},
		{name: "no such disk", w: resize("100", "disk=scsi9&size=7G"), task: "disk 'scsi9' does not exist"},
		{name: "a CD-ROM", w: resize("100", "disk=ide0&size=7G"), task: "you can't resize a cdrom"},
		{name: "no such VM", w: resize("999", "disk=scsi0&size=7G"), task: "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist"},
		{name: "locked", w: resize("102", "disk=scsi0&size=9G"), task: "VM is locked (backup)"},
		{name: "digest", w: resize("100", "disk=scsi0&size=9G&digest=abc"), task: "checksum mismatch (file change by other user?)"},
		{name: "right to the storage", w: resize("100", "disk=scsi0&size=9G"), token: "few@pve!tok", task: "403 Permission check failed (/storage/thin, Datastore.AllocateSpace)"},
		{name: "size", w: resize("100", "disk=scsi0&size=big"), want: "400 Parameter verification failed. [size: value does not match the regex pattern]"},
		{name: "disk", w: resize("100", "disk=floppy0&size=1G"), want: "400 Parameter verification failed. [disk: value 'floppy0' does not have a value in the enumeration]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.w.token, tc.w.want, tc.w.task = tc.token, tc.want, tc.task
			s := tc.w.run(t)
			if got := s.current().byID[100].raw; tc.leaves != "" && !strings.Contains(got, tc.leaves) {
				t.Errorf("no %q in\n%s", tc.leaves, got)
			}
		})
	}
}

// TestResizeOfVersion7 is done when it answers, without a task.
func TestResizeOfVersion7(t *testing.T) {
	opts := quick()
	opts.Writable = true
	s := startServer(t, parse(t, `
version: "7"
tokens: {a@pve!tok: {role: Administrator}}
vms: {100: {options: {scsi0: "local:100/vm-100-disk-0.raw,size=1G"}}}
`), opts)
	st, data := send(t, s, "a@pve!tok", "PUT", "/nodes/pve1/qemu/100/resize", "disk=scsi0&size=2G")
	if st != "200 OK" || data != nil || len(s.fleetNow().Tasks) != 0 || !strings.Contains(s.fleetNow().VMs[100].Config, "size=2G") {
		t.Errorf("%s, %v, %+v", st, data, s.fleetNow().VMs[100])
	}
	if st, _ := send(t, s, "a@pve!tok", "PUT", "/nodes/pve1/qemu/100/resize", "disk=scsi0&size=1G"); st != "500 shrinking disks is not supported" {
		t.Errorf("shrinking: %s", st)
	}
}
