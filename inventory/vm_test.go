package inventory

import (
	"strings"
	"testing"
)

func TestBootDrive(t *testing.T) {
	for _, c := range []struct{ boot, disks, want string }{
		{"", "", ""},
		{"", "scsi0", "scsi0"},
		{"", "virtio0 scsi1 scsi0", "scsi0"},
		{"", "sata0 virtio0", "virtio0"},
		{"", "scsi0 ide0", "ide0"},
		{"", "scsi10 scsi2", "scsi2"},
		{"virtio0", "scsi0 virtio0", "virtio0"},
		{"sata3", "scsi0", "scsi0"},
		{"", "ide2:cdrom ide0:cloudinit scsi3", "scsi3"},
		{"ide2", "ide2:cdrom scsi3", "scsi3"},
		{"", "scsi0:foreign scsi1", "scsi1"},
		{"", "scsi1:foreign", ""},
		{"scsi1", "scsi0 scsi1:foreign", "scsi1"},
		{"", "efidisk0 tpmstate0 unused0", ""},
	} {
		config := VMConfig{BootDisk: c.boot}
		for _, text := range strings.Fields(c.disks) {
			slot, kind, _ := strings.Cut(text, ":")
			config.Disks = append(config.Disks, Disk{Slot: slot, CDROM: kind == "cdrom", CloudInit: kind == "cloudinit", Foreign: kind == "foreign"})
		}
		got := ""
		if d := config.BootDrive(); d != nil {
			got = d.Slot
		}
		if got != c.want {
			t.Errorf("boot %q, disks %q: %q, want %q", c.boot, c.disks, got, c.want)
		}
	}
}
