package normalize

import (
	"encoding/json"
	"fmt"
	"testing"
)

const benchConfig = `{"data":{"name":"k8s-a-worker-1","cores":4,"sockets":1,"cpu":"x86-64-v2-AES","memory":"8192","balloon":0,"numa":0,
"ostype":"l26","scsihw":"virtio-scsi-single","boot":"order=scsi0;ide2;net0","scsi0":"local-lvm:vm-100-disk-0,discard=on,iothread=1,size=32G",
"ide2":"local-lvm:vm-100-cloudinit,media=cdrom,size=4M","net0":"virtio=BC:24:11:00:00:64,bridge=vmbr0,firewall=1,tag=42",
"ipconfig0":"ip=192.0.2.100/24,gw=192.0.2.1","agent":"enabled=1,fstrim_cloned_disks=1","onboot":1,"tags":"k8s;worker",
"description":"managed by script","smbios1":"uuid=3f6a1c52-8e0b-4c7d-9a21-5b0e7f4d1c90","meta":"creation-qemu=9.0.2,ctime=1727000000",
"digest":"0f1e2d3c4b5a69788796a5b4c3d2e1f001234567"}}`

// BenchmarkConfig decodes and reads one configuration.
func BenchmarkConfig(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var body map[string]any
		if err := json.Unmarshal([]byte(benchConfig), &body); err != nil {
			b.Fatal(err)
		}
		if _, err := ParseConfig(body["data"], 100); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGuests reads the decoded rows of 5,000 guests.
func BenchmarkGuests(b *testing.B) {
	rows := make([]any, 5000)
	for i := range rows {
		rows[i] = map[string]any{"id": fmt.Sprintf("qemu/%d", 100+i), "vmid": float64(100 + i), "node": "pve1", "type": "qemu",
			"status": "running", "name": fmt.Sprintf("vm-%d", i), "template": float64(0), "tags": "k8s;worker", "uptime": float64(86400)}
	}
	b.ReportAllocs()
	for b.Loop() {
		vms, bad, err := Guests(rows)
		if err != nil || len(bad) != 0 || len(vms) != len(rows) {
			b.Fatal(len(vms), bad, err)
		}
	}
}
