package normalize

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestParseConfig(t *testing.T) {
	const data = `{"name":"DB01.example.internal","template":0,"tags":"B;a",
	 "sockets":2,"cores":4,"vcpus":6,"cpulimit":"1.5","cpu":"cputype=host,flags=+aes","memory":"4096","balloon":1024,
	 "scsi30":"local:101/vm-101-disk-0.raw,size=1T","scsi2":"local:101/vm-101-disk-2.raw","scsihw":"virtio-scsi-single",
	 "unused255":"local:101/vm-101-disk-9.raw","tpmstate0":"local:101/vm-101-disk-3.raw,size=4M,version=v2.0",
	 "net31":"e1000=BC:24:11:AA:BB:1F,bridge=vmbr1","net4":"virtio=BC:24:11:AA:BB:02","numa":1,"numa0":"cpus=0-3,memory=2048",
	 "ipconfig31":"ip=dhcp","serial0":"socket","boot":"order=scsi30",
	 "description":"plain: text\nsecond line","ostype":"l26","machine":"type=q35,viommu=intel","bios":"ovmf",
	 "agent":"enabled=1,fstrim_cloned_disks=1","onboot":1,"protection":"1","cicustom":"user=local:snippets/u.yaml","ciuser":"ubuntu",
	 "cipassword":"**********","sshkeys":"ssh-ed25519%20AAAAC3","nameserver":"192.0.2.53","searchdomain":"example.internal",
	 "args":"-device secret-thing","parent":"before-upgrade","lock":"backup","digest":"95f43bef",
	 "meta":"creation-qemu=8.1.5,ctime=1712345678","smbios1":"uuid=` + uuidA + `","vmgenid":"22222222-aaaa-4bbb-8ccc-000000000100"}`
	got, err := ParseConfig(decode(t, data), 101)
	if err != nil {
		t.Fatal(err)
	}
	created := time.Unix(1712345678, 0).UTC()
	want := &Config{Name: "DB01.example.internal", Tags: []string{"a", "b"}, VM: inventory.VMConfig{
		Digest: "95f43bef", UUID: uuidA, RawUUID: uuidA, UUIDSource: "smbios1", CreatedAt: &created,
		Sockets: 2, Cores: 4, VCPUs: 6, CPULimit: 1.5, CPUType: "host", MemoryMiB: 4096, BalloonMiB: i64(1024), BootDisk: "scsi30",
		Disks: []inventory.Disk{
			{Slot: "scsi2", Storage: "local", Volume: "101/vm-101-disk-2.raw"},
			{Slot: "scsi30", Storage: "local", Volume: "101/vm-101-disk-0.raw", SizeBytes: i64(1 << 40)},
			{Slot: "tpmstate0", Storage: "local", Volume: "101/vm-101-disk-3.raw", SizeBytes: i64(4 << 20)},
			{Slot: "unused255", Storage: "local", Volume: "101/vm-101-disk-9.raw"},
		},
		NICs: []inventory.NIC{
			{Slot: "net4", Model: "virtio", MAC: "bc:24:11:aa:bb:02"},
			{Slot: "net31", Model: "e1000", MAC: "bc:24:11:aa:bb:1f", Bridge: "vmbr1"},
		},
		IPConfigs:   []inventory.IPConfig{{Slot: "ipconfig31", IPv4: "dhcp"}},
		Description: "plain: text\nsecond line", OSType: "l26", MachineType: "q35", BIOS: "ovmf", SCSIHW: "virtio-scsi-single",
		AgentEnabled: true, OnBoot: true, Protection: true, CICustom: "user=local:snippets/u.yaml", CIUser: "ubuntu",
		Nameserver: "192.0.2.53", SearchDomain: "example.internal", HasSSHKeys: true, HasArgs: true,
		ParentSnapshot: "before-upgrade", Lock: "backup",
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestBootDisk(t *testing.T) {
	const disks = `"scsi0":"local:vm-101-disk-0,size=8G","virtio0":"local:vm-101-disk-1,size=32G","ide2":"local:vm-101-cloudinit,media=cdrom","unused0":"local:vm-101-disk-2"`
	for boot, want := range map[string]string{
		``: "", `,"boot":"order=virtio0;net0"`: "virtio0", `,"boot":"order=net0;ide2;virtio0;scsi0"`: "virtio0", `,"boot":"order=net0"`: "",
		`,"boot":"order=scsi7;scsi0"`: "scsi0", `,"boot":"cdn","bootdisk":"virtio0"`: "virtio0", `,"boot":"c","bootdisk":"scsi9"`: "",
		`,"bootdisk":"virtio0"`: "virtio0", `,"boot":"order=scsi0","bootdisk":"virtio0"`: "scsi0", `,"boot":"legacy=cdn","bootdisk":"virtio0"`: "virtio0",
		`,"boot":"order=unused0"`: "", `,"boot":"order="`: "", `,"boot":"order=ide2","bootdisk":"virtio0"`: "",
	} {
		got, err := ParseConfig(decode(t, "{"+disks+boot+"}"), 101)
		if err != nil {
			t.Fatal(err)
		}
		if got.VM.BootDisk != want || len(got.Problems) > 0 {
			t.Errorf("%s: %q, want %q (%v)", boot, got.VM.BootDisk, want, got.Problems)
		}
	}
	if got, err := ParseConfig(decode(t, `{"boot":["order=scsi0"]}`), 101); err != nil || len(got.Problems) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// An empty configuration file gives a digest only; every other value is Proxmox's default.
func TestParseConfigOfAnEmptyFile(t *testing.T) {
	got, err := ParseConfig(decode(t, `{"digest":"da39a3ee"}`), 112)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{VM: inventory.VMConfig{Digest: "da39a3ee", Sockets: 1, Cores: 1, VCPUs: 1, MemoryMiB: 512}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestMemoryInEverySpelling(t *testing.T) {
	for in, want := range map[string]int64{`65536`: 65536, `"65536"`: 65536, `"current=65536"`: 65536, `""`: 512, `null`: 512} {
		got, err := ParseConfig(decode(t, `{"memory":`+in+`}`), 100)
		if err != nil || got.VM.MemoryMiB != want || got.Problems != nil {
			t.Errorf("memory %s: %+v, %v; want %d", in, got, err, want)
		}
	}
}

func TestAgentInEverySpelling(t *testing.T) {
	for in, want := range map[string]bool{`"1"`: true, `1`: true, `true`: true, `"enabled=1,fstrim_cloned_disks=1"`: true,
		`"enabled=true"`: true, `"type=virtio,enabled=1"`: true, `"1,type=isa"`: true,
		`"0"`: false, `0`: false, `"enabled=0"`: false, `""`: false, `null`: false, `"type=virtio"`: false} {
		got, err := ParseConfig(decode(t, `{"agent":`+in+`}`), 100)
		if err != nil || got.VM.AgentEnabled != want || got.Problems != nil {
			t.Errorf("agent %s: %+v, %v; want %v", in, got, err, want)
		}
	}
}

func TestCreatedAtNeedsATime(t *testing.T) {
	for _, meta := range []string{"", "creation-qemu=9.0.2", "ctime=", "ctime=0", "ctime=-5", "ctime=soon", "ctime=99999999999999999999"} {
		if got := createdAt(meta); got != nil {
			t.Errorf("createdAt(%q) = %v", meta, got)
		}
	}
	if got := createdAt("ctime=1727000000,creation-qemu=9.0.2"); got == nil || got.Unix() != 1727000000 || got.Location() != time.UTC {
		t.Errorf("createdAt: %v", got)
	}
}

// What cannot be read is named, and is not replaced by a default that looks like an answer.
func TestUnreadableKeysAreProblems(t *testing.T) {
	for key, value := range map[string]string{
		"memory": `"lots"`, "cores": `"two"`, "sockets": `[]`, "vcpus": `{}`, "balloon": `"x"`, "cpulimit": `-1`, "name": `[]`,
		"tags": `{}`, "onboot": `"perhaps"`, "agent": `[]`, "net0": `1`, "scsi0": `null`, "ipconfig0": `[]`, "description": `true`,
	} {
		got, err := ParseConfig(decode(t, `{"`+key+`":`+value+`,"digest":"d"}`), 100)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0], key+" is ") {
			t.Errorf("%s = %s: problems %q", key, value, got.Problems)
		}
		if got.VM.Digest != "d" {
			t.Errorf("%s: the other keys are lost", key)
		}
	}
	got, err := ParseConfig(decode(t, `{"memory":"lots"}`), 100)
	if err != nil || got.VM.MemoryMiB != 0 {
		t.Errorf("memory that cannot be read became %d MiB", got.VM.MemoryMiB)
	}
}

func TestUnreadableIdentityIsAnError(t *testing.T) {
	for _, data := range []string{`null`, `[]`, `"x"`, `{"smbios1":1}`, `{"args":["-uuid"]}`, `{"smbios1":{}}`} {
		if c, err := ParseConfig(decode(t, data), 100); err == nil {
			t.Errorf("%s passes for a configuration: %+v", data, c)
		}
	}
	if _, err := ParseConfig(decode(t, `{"smbios1":null}`), 100); err != nil {
		t.Errorf("null is an absent key: %v", err)
	}
}

// No secret of a configuration reaches the struct, not in a problem either.
func TestSecretsAreNotKept(t *testing.T) {
	const canary = "CANARY-4711"
	got, err := ParseConfig(decode(t, `{"cipassword":"`+canary+`","sshkeys":"`+canary+`","args":"-fw_cfg name=x,string=`+canary+`",
	 "memory":"`+canary+`","cores":"`+canary+`","agent":"`+canary+`","onboot":"`+canary+`"}`), 100)
	if err != nil {
		t.Fatal(err)
	}
	if !got.VM.HasSSHKeys || !got.VM.HasArgs || len(got.Problems) != 4 {
		t.Fatalf("the configuration was not read: %+v", got)
	}
	if s := strings.Join(got.Problems, "\n") + dump(t, got); strings.Contains(s, canary) {
		t.Errorf("the canary is in %s", s)
	}
}
