package normalize

import (
	"reflect"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func i64(n int64) *int64 { return &n }

func TestDisk(t *testing.T) {
	for _, c := range []struct {
		slot, value string
		want        inventory.Disk
	}{
		{"scsi0", "local-lvm:vm-100-disk-0,discard=on,iothread=1,size=32G",
			inventory.Disk{Storage: "local-lvm", Volume: "vm-100-disk-0", SizeBytes: i64(32 << 30)}},
		{"scsi1", "size=1T,file=local:100/vm-100-disk-1.qcow2,ssd=1",
			inventory.Disk{Storage: "local", Volume: "100/vm-100-disk-1.qcow2", SizeBytes: i64(1 << 40)}},
		{"ide2", "local:iso/debian-12.iso,media=cdrom,size=629M",
			inventory.Disk{Storage: "local", Volume: "iso/debian-12.iso", SizeBytes: i64(629 << 20), CDROM: true}},
		{"ide2", "none,media=cdrom", inventory.Disk{Volume: "none", CDROM: true}},
		{"ide0", "local:101/vm-101-cloudinit.qcow2,media=cdrom,size=4M",
			inventory.Disk{Storage: "local", Volume: "101/vm-101-cloudinit.qcow2", SizeBytes: i64(4 << 20), CDROM: true, CloudInit: true, Foreign: true}},
		{"scsi2", "local-lvm:vm-100-cloudinit,media=cdrom", inventory.Disk{Storage: "local-lvm", Volume: "vm-100-cloudinit", CDROM: true, CloudInit: true}},
		{"ide2", "local-lvm:cloudinit,media=cdrom", inventory.Disk{Storage: "local-lvm", Volume: "cloudinit", CDROM: true, CloudInit: true}},
		{"ide0", "local:iso/user-data-100.iso,media=cdrom", inventory.Disk{Storage: "local", Volume: "iso/user-data-100.iso", CDROM: true}},
		{"scsi3", "ceph:vm-9999-pvc-0f3a,backup=0,size=10G",
			inventory.Disk{Storage: "ceph", Volume: "vm-9999-pvc-0f3a", SizeBytes: i64(10 << 30), Foreign: true}},
		{"scsi0", "zfs:base-9000-disk-0/vm-100-disk-0,size=8G",
			inventory.Disk{Storage: "zfs", Volume: "base-9000-disk-0/vm-100-disk-0", SizeBytes: i64(8 << 30)}},
		{"scsi0", "local:9000/base-9000-disk-0.qcow2/100/vm-100-disk-0.qcow2",
			inventory.Disk{Storage: "local", Volume: "9000/base-9000-disk-0.qcow2/100/vm-100-disk-0.qcow2"}},
		{"virtio1", "/dev/disk/by-id/ata-vm-200-x,size=1000204886016",
			inventory.Disk{Volume: "/dev/disk/by-id/ata-vm-200-x", SizeBytes: i64(1000204886016)}},
		{"efidisk0", "local-lvm:vm-100-disk-1,efitype=4m,size=528K",
			inventory.Disk{Storage: "local-lvm", Volume: "vm-100-disk-1", SizeBytes: i64(528 << 10)}},
		{"unused0", "local-lvm:vm-100-disk-9", inventory.Disk{Storage: "local-lvm", Volume: "vm-100-disk-9"}},
		{"scsi4", "local-lvm:vm-100-disk-4,size=big", inventory.Disk{Storage: "local-lvm", Volume: "vm-100-disk-4"}},
		{"scsi5", "volume=local-lvm:vm-100-disk-5", inventory.Disk{Storage: "local-lvm", Volume: "vm-100-disk-5"}},
		{"scsi6", "", inventory.Disk{}},
	} {
		c.want.Slot = c.slot
		if got := disk(c.slot, c.value, 100); !reflect.DeepEqual(got, c.want) {
			t.Errorf("disk(%q)\n got %+v\nwant %+v", c.value, got, c.want)
		}
	}
}

func TestNIC(t *testing.T) {
	const addr = "bc:24:11:aa:bb:05"
	for value, want := range map[string]inventory.NIC{
		"virtio=BC:24:11:AA:BB:05,bridge=vmbr0,firewall=1,tag=42": {Model: "virtio", MAC: addr, Bridge: "vmbr0", Firewall: true, VLAN: 42},
		"virtio,bridge=vmbr0,macaddr=BC:24:11:AA:BB:05":           {Model: "virtio", MAC: addr, Bridge: "vmbr0"},
		"macaddr=BC:24:11:AA:BB:05,model=virtio":                  {Model: "virtio", MAC: addr},
		"bridge=vmbr1,e1000=BC:24:11:AA:BB:05,link_down=1,mtu=1400,queues=4,rate=12.5,trunks=10;20": {Model: "e1000", MAC: addr,
			Bridge: "vmbr1", LinkDown: true, MTU: 1400, Queues: 4},
		"e1000-82545em=BC:24:11:AA:BB:05": {Model: "e1000-82545em", MAC: addr},
		"virtio=BC:24:11:AA:BB:05":        {Model: "virtio", MAC: addr},
		"virtio":                          {Model: "virtio"},
		"virtio,macaddr=nonsense":         {Model: "virtio"},
		"virtio=BC:24:11:AA:BB:05,tag=x,mtu=99999999,queues=-1": {Model: "virtio", MAC: addr},
	} {
		want.Slot = "net0"
		if got := nic("net0", value); got != want {
			t.Errorf("nic(%q)\n got %+v\nwant %+v", value, got, want)
		}
	}
}

func TestIPConfig(t *testing.T) {
	for value, want := range map[string]inventory.IPConfig{
		"ip=192.0.2.11/24,gw=192.0.2.1":               {IPv4: "192.0.2.11/24", Gateway4: "192.0.2.1"},
		"ip=dhcp,ip6=auto":                            {IPv4: "dhcp", IPv6: "auto"},
		"gw6=2001:db8::1,ip6=2001:db8::10/64,ip=dhcp": {IPv4: "dhcp", IPv6: "2001:db8::10/64", Gateway6: "2001:db8::1"},
		"": {},
	} {
		want.Slot = "ipconfig0"
		if got := ipConfig("ipconfig0", value); got != want {
			t.Errorf("ipConfig(%q)\n got %+v\nwant %+v", value, got, want)
		}
	}
}
