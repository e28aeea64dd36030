package normalize

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// Whatever a server sends under "data", reading it ends without a panic and keeps what the structs promise.

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"smbios1":"uuid=` + uuidA + `","memory":"current=4096","net0":"virtio,macaddr=BC:24:11:AA:BB:05","scsi30":"a:vm-9999-x,size=1T"}`))
	f.Add([]byte(`{"args":"-uuid 'x","agent":"enabled=true","meta":"ctime=1","cores":"2","balloon":0,"cpulimit":"0.4"}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"net31":1,"unused255":null,"ipconfig0":"ip=dhcp"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var data any
		if json.Unmarshal(body, &data) != nil {
			return
		}
		c, err := ParseConfig(data, 100)
		if err != nil {
			return
		}
		if c.VM.UUID != "" {
			if canonical, usable := inventory.NormalizeUUID(c.VM.UUID); !usable || canonical != c.VM.UUID {
				t.Errorf("UUID %q is not canonical or no identity", c.VM.UUID)
			}
		}
		if c.VM.Sockets < 1 || c.VM.Cores < 1 || c.VM.VCPUs < 1 || c.VM.MemoryMiB < 0 || c.VM.CPULimit < 0 {
			t.Errorf("impossible sizes: %+v", c.VM)
		}
		if !slices.IsSortedFunc(c.VM.Disks, func(a, b inventory.Disk) int { return compareSlots(a.Slot, b.Slot) }) {
			t.Errorf("disks are not in order: %+v", c.VM.Disks)
		}
		for _, n := range c.VM.NICs {
			if n.MAC != strings.ToLower(n.MAC) {
				t.Errorf("MAC %q", n.MAC)
			}
		}
		for _, d := range c.VM.Disks {
			if d.SizeBytes != nil && *d.SizeBytes < 0 {
				t.Errorf("disk of %d bytes", *d.SizeBytes)
			}
		}
	})
}

func FuzzGuests(f *testing.F) {
	f.Add([]byte(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"unknown"},7]`))
	f.Add([]byte(`[{"vmid":"100","node":"pve1","type":"lxc","template":"","tags":"b,a"},{"vmid":100,"node":"pve2","type":"qemu"}]`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var data any
		if json.Unmarshal(body, &data) != nil {
			return
		}
		vms, bad, err := Guests(data)
		if err != nil {
			return
		}
		seen := map[int]bool{}
		for _, vm := range vms {
			if seen[vm.VMID] || !inventory.ValidVMID(vm.VMID) || vm.Node == "" || vm.Status == "" || vm.UptimeSeconds < 0 {
				t.Errorf("impossible guest %+v", vm)
			}
			seen[vm.VMID] = true
		}
		if rows := data.([]any); len(vms)+len(bad) > len(rows) {
			t.Errorf("%d guests and %d bad rows out of %d rows", len(vms), len(bad), len(rows))
		}
	})
}

func FuzzPermissions(f *testing.F) {
	f.Add([]byte(`{"/vms":{"VM.Audit":1},"/vms/100":[]}`))
	f.Add([]byte(`{"/":{"VM.Audit":"1"}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var data any
		if json.Unmarshal(body, &data) != nil {
			return
		}
		MayAuditVM(data, 100)
		p, err := ParsePermissions(data)
		if err != nil {
			return
		}
		vis := p.Visibility()
		held, propagate := p.OnVMs(PrivVMAudit)
		if vis.Complete && (!held || !propagate || p.Empty()) {
			t.Errorf("%s counts as seeing everything", body)
		}
		if vis.Complete != (len(vis.Reasons) == 0) {
			t.Errorf("complete %v with reasons %q", vis.Complete, vis.Reasons)
		}
	})
}

func FuzzOtherAnswers(f *testing.F) {
	f.Add([]byte(`[{"type":"cluster","quorate":"1"},{"type":"node","name":"pve1","online":1}]`))
	f.Add([]byte(`{"result":[{"name":"eth0","ip-addresses":[{"ip-address":"::1%3","prefix":-1}]}]}`))
	f.Add([]byte(`{"version":"9.2.11"}`))
	f.Add([]byte(`"105"`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var data any
		if json.Unmarshal(body, &data) != nil {
			return
		}
		if s, err := ClusterStatus(data); err == nil && len(s.Nodes) == 0 {
			t.Error("a cluster without nodes")
		}
		if s, err := Nodes(data); err == nil && len(s.Nodes) == 0 {
			t.Error("no nodes, and no error")
		}
		if v, major, err := Version(data); err == nil && (v == "" || major < 0) {
			t.Errorf("version %q, %d", v, major)
		}
		if a := Agent(data); a == nil || a.Error != "" && a.Interfaces != nil {
			t.Errorf("agent %+v", a)
		}
		if e, _ := NextID(data, nil, 105); e == inventory.Exists {
			t.Error("status 200 never means that a VMID is taken")
		}
	})
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{"a;b,c d", "32G", "-uuid x 'y", "virtio=BC:24:11:AA:BB:05,tag=1", "1.5T", "ctime=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tags := Tags(s)
		if again := Tags(strings.Join(tags, ";")); !slices.Equal(tags, again) {
			t.Errorf("Tags(%q) is not stable: %q, then %q", s, tags, again)
		}
		if n, ok := Size(s); ok && n < 0 {
			t.Errorf("Size(%q) = %d", s, n)
		}
		argsUUID(s)
		createdAt(s)
		if n := nic("net0", s); n.MAC != "" && !macForm.MatchString(n.MAC) {
			t.Errorf("nic(%q) has MAC %q", s, n.MAC)
		}
		disk("scsi0", s, 100)
		ipConfig("ipconfig0", s)
	})
}
