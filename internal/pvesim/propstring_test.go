package pvesim

import (
	"maps"
	"testing"
)

func TestPropertyStrings(t *testing.T) {
	for _, tc := range []struct {
		name   string
		schema propSchema
		text   string
		want   map[string]string // nil: refused
	}{
		{"keys in any order", smbiosSchema, "manufacturer=Rm9v,uuid=11111111-AAAA-4bbb-8ccc-000000000101,base64=1",
			map[string]string{"manufacturer": "Rm9v", "uuid": "11111111-AAAA-4bbb-8ccc-000000000101", "base64": "1"}},
		{"a bad uuid", smbiosSchema, "uuid=not-a-uuid", nil},
		{"a key twice", smbiosSchema, "serial=a,serial=b", nil},
		{"an unknown key", smbiosSchema, "colour=red", nil},
		{"a model as the key", netSchema, "virtio=BC:24:11:AA:BB:01,bridge=vmbr0",
			map[string]string{"model": "virtio", "macaddr": "BC:24:11:AA:BB:01", "bridge": "vmbr0"}},
		{"the model as the default key", netSchema, "virtio,bridge=vmbr0,macaddr=BC:24:11:AA:BB:05",
			map[string]string{"model": "virtio", "macaddr": "BC:24:11:AA:BB:05", "bridge": "vmbr0"}},
		{"model spelt out", netSchema, "model=virtio,macaddr=BC:24:11:AA:BB:05",
			map[string]string{"model": "virtio", "macaddr": "BC:24:11:AA:BB:05"}},
		{"two models", netSchema, "virtio=BC:24:11:AA:BB:01,e1000=BC:24:11:AA:BB:02", nil},
		{"no model", netSchema, "bridge=vmbr0", nil},
		{"no mac address", netSchema, "virtio=BC:24:11:AA:BB", nil},
		{"a tag out of range", netSchema, "virtio,tag=4095", nil},
		{"trunks with semicolons", netSchema, "e1000=BC:24:11:AA:BB:1F,trunks=10;20-30",
			map[string]string{"model": "e1000", "macaddr": "BC:24:11:AA:BB:1F", "trunks": "10;20-30"}},
		{"the agent as a flag", agentSchema, "1", map[string]string{"enabled": "1"}},
		{"the agent as omni writes it", agentSchema, "enabled=true,fstrim_cloned_disks=1",
			map[string]string{"enabled": "true", "fstrim_cloned_disks": "1"}},
		{"not a flag", agentSchema, "enabled=maybe", nil},
		{"two default keys", agentSchema, "1,0", nil},
		{"memory as a number", memorySchema, "4096", map[string]string{"current": "4096"}},
		{"memory with its key", memorySchema, "current=4096", map[string]string{"current": "4096"}},
		{"memory too small", memorySchema, "8", nil},
		{"a disk", driveSchemas["scsi"], "local:100/vm-100-disk-0.qcow2,iothread=1,size=32G",
			map[string]string{"file": "local:100/vm-100-disk-0.qcow2", "iothread": "1", "size": "32G"}},
		{"a disk without a file", driveSchemas["scsi"], "size=32G", nil},
		{"an option of another bus", driveSchemas["ide"], "local:1/a.raw,iothread=1", nil},
		{"a disk with an unknown option", driveSchemas["scsi"], "local:109/vm-109-disk-0.qcow2,unknownopt=1", nil},
		{"an older name of an option", driveSchemas["scsi"], "local:1/a.raw,iops_rd_length=5",
			map[string]string{"file": "local:1/a.raw", "iops_rd_max_length": "5"}},
		{"blank parts", bootSchema, " ", map[string]string{}},
		{"an address with its prefix", ipconfigSchema, "ip=192.0.2.11/24,gw=192.0.2.1",
			map[string]string{"ip": "192.0.2.11/24", "gw": "192.0.2.1"}},
		{"an address without a prefix", ipconfigSchema, "ip=192.0.2.11", nil},
		{"both families", ipconfigSchema, "ip=dhcp,ip6=auto", map[string]string{"ip": "dhcp", "ip6": "auto"}},
		{"an address of the other family", ipconfigSchema, "ip6=192.0.2.11/24", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.schema.parse(tc.text)
			if tc.want == nil {
				if err == nil {
					t.Fatalf("%q was taken as %v", tc.text, got)
				}
				return
			}
			if err != nil {
				t.Fatalf("%q: %v", tc.text, err)
			}
			if !maps.Equal(got, tc.want) {
				t.Errorf("%q: got %v, want %v", tc.text, got, tc.want)
			}
		})
	}
}

// FuzzPropertyString: whatever is taken has only keys of the schema, and all that
// are required.
func FuzzPropertyString(f *testing.F) {
	for _, s := range []string{"uuid=11111111-aaaa-4bbb-8ccc-000000000101", "virtio=BC:24:11:AA:BB:01,bridge=vmbr0", "1", "a=b,,=c", ",", "=", "enabled"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, schema := range []propSchema{smbiosSchema, netSchema, agentSchema, memorySchema, bootSchema, driveSchemas["scsi"]} {
			got, err := schema.parse(text)
			if err != nil {
				continue
			}
			for key, p := range schema {
				if _, ok := got[key]; p.required && !ok {
					t.Errorf("%q was taken without %s", text, key)
				}
			}
			for key := range got {
				if _, ok := schema[key]; !ok {
					t.Errorf("%q was taken with the unknown key %s", text, key)
				}
			}
		}
	})
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "528K": 528 << 10, "629M": 629 << 20, "32G": 32 << 30, "1T": 1 << 40, "1.5G": 3 << 29, "42": 42} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "G", "1X", "-1", "1e9", "1..2", "9999999999T"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q was taken as %d", text, got)
		}
	}
}
