package pvesim

import (
	"errors"
	"strings"
	"testing"
)

// TestDraft: what a change of one option does to the rest of a file.
func TestDraft(t *testing.T) {
	const special = "[special:cloudinit]\nciuser: old\n"
	for _, tc := range []struct {
		name, config, form, want string
	}{
		{"an unused disk is used again", "scsi0: thin:vm-100-disk-0\nunused0: thin:vm-100-disk-1\nunused3: thin:vm-100-disk-2\n",
			"scsi1=thin:vm-100-disk-1", "scsi0: thin:vm-100-disk-0\nscsi1: thin:vm-100-disk-1\nunused3: thin:vm-100-disk-2\n"},
		{"another guest's disk is not kept", "scsi0: thin:vm-777-disk-0\n", "scsi0=none,media=cdrom", "scsi0: none,media=cdrom\n"},
		{"the next free number", "scsi0: thin:vm-100-disk-0\nunused0: thin:vm-100-disk-1\n", "delete=scsi0",
			"unused0: thin:vm-100-disk-1\nunused1: thin:vm-100-disk-0\n"},
		{"an unused disk is removed", "unused0: thin:vm-100-disk-1\ncores: 1\n", "delete=unused0", "cores: 1\n"},
		{"sections stay", "cores: 1\n\n" + special + "\n[snap]\n#note\ncores: 3\n", "cores=2", "cores: 2\n\n" + special + "\n[snap]\n#note\ncores: 3\n"},
		{"a cloud-init drive takes its section along", "ide2: ceph:vm-100-cloudinit,media=cdrom\ncores: 1\n\n" + special, "delete=ide2", "cores: 1\n"},
		{"what does not validate is lost", "name: a_b\nsmbios1: uuid=x\ncores: 1\n", "cores=2", "cores: 2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := startWritable(t)
			if err := s.Update(func(f *Fleet) { f.VMs[100] = &VM{Config: tc.config} }); err != nil {
				t.Fatal(err)
			}
			if st, _ := send(t, s, "all@pve!tok", "PUT", "/nodes/pve1/qemu/100/config", tc.form); st != "200 OK" {
				t.Fatal(st)
			}
			if got := s.fleetNow().VMs[100].Config; got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// TestProtectionOfDisks: a protected VM keeps its disks, not its options.
func TestProtectionOfDisks(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.VMs[102] = &VM{Config: "cores: 1\nprotection: 1\nscsi0: thin:vm-102-disk-0\nunused0: thin:vm-102-disk-1\nvmstate: thin:vm-102-state\n"}
	}); err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{
		"delete=scsi0":   "500 can't remove drive 'scsi0' - protection mode enabled",
		"delete=unused0": "500 can't remove unused disk 'thin:vm-102-disk-1' - protection mode enabled",
		"delete=vmstate": "500 can't remove vmstate 'thin:vm-102-state' - protection mode enabled",
		"delete=cores":   "200 OK",
	} {
		if got, _ := send(t, s, "all@pve!tok", "PUT", "/nodes/pve1/qemu/102/config", form); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}

// TestRightsOfTheirOwn are those that one option needs beside its area's.
func TestRightsOfTheirOwn(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.Roles["Narrow"] = []string{"VM.Config.Options", "VM.Config.Disk", "VM.Audit", "Datastore.Audit"}
		f.Tokens["narrow@pve!tok"] = &Token{Role: "Narrow"}
		f.Roles["Reader"] = []string{"Datastore.Audit"}
		f.Tokens["reader@pve!tok"] = &Token{Role: "Reader"}
	}); err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{
		"startup=order=1":             "403 Permission check failed (/, Sys.Modify)",
		"delete=vmstate":              "403 Permission check failed (/vms/100, VM.PowerMgmt)",
		"serial0=socket":              "403 Permission check failed (/vms/100, VM.Config.HWType)",
		"scsi1=ceph:vm-101-disk-0":    "200 OK", // it may configure 101's disks too
		"scsi2=ceph:import/a.qcow2":   "500 volume 'ceph:import/a.qcow2' does not exist",
		"scsi2=ceph:backup/a.vma.zst": "500 missing privileges to access ceph:backup/a.vma.zst",
	} {
		if got, _ := send(t, s, "narrow@pve!tok", "PUT", "/nodes/pve1/qemu/100/config", form); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	_, data := getAs(t, s, "narrow@pve!tok", "/nodes/pve1/storage/ceph/content")
	if len(rows(t, data, "volid")) == 0 {
		t.Error("who may configure the guests' disks sees none of them")
	}
	_, data = getAs(t, s, "reader@pve!tok", "/nodes/pve1/storage/ceph/content")
	if len(rows(t, data, "volid")) != 0 {
		t.Errorf("who may not sees %v", data)
	}
	_, data = getAs(t, s, "reader@pve!tok", "/nodes/pve1/storage/local/content")
	if len(rows(t, data, "volid")) != 1 {
		t.Errorf("ISO images are for all who may read the storage, who sees %v", data)
	}
}

// TestAFailedTaskChangesNothing: not even what it did before it failed.
func TestAFailedTaskChangesNothing(t *testing.T) {
	s := startWritable(t)
	c := &call{srv: s, st: s.current(), now: s.opts.now(), auth: "all@pve!tok", next: s.fleetNow()}
	c.fork(c.st.nodes[0], "qmtest", "100", func(log *taskLog) error {
		log.printf("one\ntwo")
		delete(c.next.VMs, 100)
		return errors.New("out of\nspace")
	})
	if c.next.VMs[100] == nil {
		t.Error("the VM is gone")
	}
	task := c.next.Tasks[0]
	if task.Status != "out of space" || strings.Join(task.Log, ";") != "one;two" || task.Ended == 0 {
		t.Errorf("task %+v", task)
	}
}
