package pvesim

import (
	"strings"
	"testing"
)

// configCase is a change of options and what it leaves in the file.
type configCase struct {
	name, vmid, token, form string
	want                    string // of PUT, and of POST unless task is given
	task                    string // exit status of the task of POST, when it fails there
	has, hasNot             []string
}

func (tc configCase) run(t *testing.T) {
	t.Helper()
	path := "/nodes/pve1/qemu/" + orDefault(tc.vmid, "100") + "/config"
	t.Run("PUT", func(t *testing.T) {
		w := writeCase{token: tc.token, method: "PUT", path: path, form: tc.form, want: tc.want}
		if tc.task != "" {
			w.want = "500 " + tc.task
			if rest, ok := strings.CutPrefix(tc.task, "403 "); ok {
				w.want = "403 " + rest
			}
		}
		tc.check(t, w.run(t))
	})
	t.Run("POST", func(t *testing.T) {
		w := writeCase{token: tc.token, method: "POST", path: path, form: tc.form, want: tc.want, task: tc.task}
		if tc.want == "" && tc.task == "" {
			w.task = "OK"
		}
		tc.check(t, w.run(t))
	})
}

func (tc configCase) check(t *testing.T, s *Server) {
	t.Helper()
	got := s.current().byID[int(toInt(orDefault(tc.vmid, "100")))]
	for _, want := range tc.has {
		if !strings.Contains(got.raw, want) {
			t.Errorf("no %q in\n%s", want, got.raw)
		}
	}
	for _, no := range tc.hasNot {
		if strings.Contains(got.raw, no) {
			t.Errorf("%q in\n%s", no, got.raw)
		}
	}
}

func TestConfigOfAStoppedVM(t *testing.T) {
	for _, tc := range []configCase{
		{name: "what CAPMOX sets", form: `{"sockets":2,"cores":4,"memory":4096,"description":"a: b\n\n","net0":"virtio,bridge=vmbr0,mtu=1400,tag=7,queues=2","tags":"B;a;b"}`,
			has:    []string{"#a%3A b\n", "sockets: 2\n", "cores: 4\n", "memory: 4096\n", "net0: virtio=BC:24:11:", ",bridge=vmbr0,mtu=1400,queues=2,tag=7\n", "tags: a;b\n", "name: local\n"},
			hasNot: []string{"[PENDING]", "#\n"}},
		{name: "its ISO image", form: "ide0=local:iso/debian.iso,media=cdrom&boot=order=scsi0;ide0",
			has: []string{"ide0: local:iso/debian.iso,media=cdrom,size=629M\n", "boot: order=scsi0;ide0\n"}},
		{name: "a CD-ROM joins the boot order", form: "sata0=none,media=cdrom", has: []string{"sata0: none,media=cdrom\n", "boot: order=scsi0;sata0\n"}},
		{name: "a new disk", form: "scsi1=ceph:32,discard=on", has: []string{"scsi1: ceph:vm-100-disk-0,discard=on,size=32G\n"}, hasNot: []string{"order=scsi0;scsi1"}},
		{name: "a second disk of a storage", form: "scsi1=thin:0.5", has: []string{"scsi1: thin:vm-100-disk-1,size=512M\n"}},
		{name: "a cloud-init drive", form: "ide2=ceph:cloudinit", has: []string{"ide2: ceph:vm-100-cloudinit,media=cdrom\n"}},
		{name: "another disk in place", form: "scsi0=ceph:1", has: []string{"scsi0: ceph:vm-100-disk-0,size=1G\n", "unused0: thin:vm-100-disk-0\n"}},
		{name: "options of a disk", form: "scsi0=thin:vm-100-disk-0,size=8G,ssd=1", has: []string{"scsi0: thin:vm-100-disk-0,size=8G,ssd=1\n"}, hasNot: []string{"unused"}},
		{name: "delete", form: "delete=boot,onboot,ide0", hasNot: []string{"boot", "ide0", "[PENDING]"}},
		{name: "delete a disk", form: "delete=scsi0", has: []string{"unused0: thin:vm-100-disk-0\n", "boot: order=\n"}, hasNot: []string{"\nscsi0"}},
		{name: "delete a disk for good", form: "delete=scsi0&force=1", hasNot: []string{"unused0", "\nscsi0"}},
		{name: "delete and set", form: "delete=ide0&cores=3", has: []string{"cores: 3\n"}, hasNot: []string{"ide0"}},
		{name: "a password", form: "cipassword=hunter2", has: []string{"cipassword: **********\n"}, hasNot: []string{"hunter2"}},
		{name: "no tags", vmid: "101", form: `{"tags":""}`, hasNot: []string{"tags: a"}},
		{name: "cdrom is ide2", form: "cdrom=none", has: []string{"ide2: none\n"}},
		{name: "tags need a right", token: "few@pve!tok", form: "tags=x", task: "403 Permission check failed (/vms/100, VM.Config.Options)"},
		{name: "a saved state", vmid: "105", form: "delete=vmstate", hasNot: []string{"vmstate", "lock"}},
		{name: "a locked VM's cores", vmid: "105", form: "cores=1", want: "500 VM is locked (suspended)"},
		{name: "a saved state without a right", token: "none@pve!tok", vmid: "105", form: "delete=vmstate", want: "403 Permission check failed (/vms/105, " + strings.Join(configPrivileges, "|") + ")"},
		{name: "empty note", vmid: "900", form: `{"description":""}`, hasNot: []string{"factory", "#"}, has: []string{"[snap]\ncores: 1\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.run(t) })
	}
}

func TestConfigOfARunningVM(t *testing.T) {
	for _, tc := range []configCase{
		{name: "what the process need not know", form: "name=other&tags=a;prod;x&description=n&onboot=1&ciuser=u&ipconfig0=ip=dhcp",
			has: []string{"name: other\n", "tags: a;prod;x\n", "#n\n", "onboot: 1\n", "ciuser: u\n"}, hasNot: []string{"[PENDING]"}},
		{name: "CPUs and memory", form: "cores=8&memory=4096", has: []string{"cores: 2\n", "\n[PENDING]\ncores: 8\nmemory: 4096\n"}},
		{name: "a network card", form: "net1=virtio,bridge=vmbr0", has: []string{"net1: virtio=BC"}, hasNot: []string{"[PENDING]"}},
		{name: "another bridge", form: "net0=virtio=BC:24:11:00:01:01,bridge=vmbr7", has: []string{"bridge=vmbr7\n"}, hasNot: []string{"[PENDING]"}},
		{name: "without hotplug", form: "hotplug=0", has: []string{"hotplug: 0\n"}, hasNot: []string{"[PENDING]"}},
		{name: "a disk", form: "scsi1=ceph:1", has: []string{"scsi1: ceph:vm-101-disk-1,size=1G\n"}, hasNot: []string{"[PENDING]"}},
		{name: "a CD-ROM where none was", form: "ide0=none,media=cdrom", has: []string{"[PENDING]\nide0: none,media=cdrom\n"}},
		{name: "a disk becomes a CD-ROM", form: "scsi0=none,media=cdrom", want: "400 Parameter verification failed. [scsi0: hotplug problem - unable to change media type]"},
		{name: "unplug", form: "delete=net0,cores,tags", has: []string{"cores: 2\n", "[PENDING]\ndelete: cores\n"}, hasNot: []string{"net0", "tags"}},
		{name: "what it is already", form: "cores=2", has: []string{"cores: 2\n"}, hasNot: []string{"[PENDING]"}},
	} {
		tc.vmid = "101"
		if tc.want != "" { // a task would fail with these words, not the request
			t.Run(tc.name, func(t *testing.T) {
				writeCase{method: "PUT", path: "/nodes/pve1/qemu/101/config", form: tc.form, want: tc.want}.run(t)
			})
			continue
		}
		t.Run(tc.name, func(t *testing.T) { tc.run(t) })
	}
}

func TestConfigRefusals(t *testing.T) {
	bad := "400 Parameter verification failed. "
	for _, tc := range []configCase{
		{name: "nothing", form: "digest=", want: "500 no options specified"},
		{name: "unknown", form: "colour=red", want: bad + "[colour: property is not defined in schema and the schema does not allow additional properties]"},
		{name: "internal", form: "meta=ctime=1", want: bad + "[meta: property is not defined in schema and the schema does not allow additional properties]"},
		{name: "integer", form: "cores=many", want: bad + "[cores: type check ('integer') failed - got 'many']"},
		{name: "too few", form: "cores=0", want: bad + "[cores: value must have a minimum value of 1]"},
		{name: "negative", form: "balloon=-1", want: bad + "[balloon: value must have a minimum value of 0]"},
		{name: "list", form: "ostype=dos", want: bad + "[ostype: value 'dos' does not have a value in the enumeration 'other, wxp, w2k, w2k3, w2k8, wvista, win7, win8, win10, win11, l24, l26, solaris']"},
		{name: "pattern", form: "bootdisk=net0", want: bad + "[bootdisk: value does not match the regex pattern]"},
		{name: "property string", form: "net0=nic,bridge=vmbr0", want: bad + "[net0: invalid format - format error\nnet0.model: value 'nic' does not have a value in the enumeration '" + strings.Join(nicModels, ", ") + "']"},
		{name: "drive", form: "scsi0=x,colour=red", want: bad + "[scsi0: invalid format - format error\nscsi0.file: invalid format]"},
		{name: "hot plug", form: "hotplug=maybe", want: bad + "[hotplug: invalid format - hotplug]"},
		{name: "delete of nonsense", form: "delete=a/b", want: bad + "[delete: invalid format - invalid configuration ID 'a/b']"},
		{name: "delete of the unknown", form: "delete=colour", want: bad + "[delete: unknown option 'colour']"},
		{name: "revert of the unknown", form: "revert=colour", want: bad + "[revert: unknown option 'colour']"},
		{name: "set and delete", form: "cores=1&delete=cores", want: bad + "[delete: you can't use '-cores' and -delete cores' at the same time]"},
		{name: "set and revert", form: "cores=1&revert=cores", want: bad + "[delete: you can't use '-cores' and -revert cores' at the same time]"},
		{name: "revert and delete", form: "delete=cores&revert=cores", want: bad + "[delete: you can't use '-cores' and -revert cores' at the same time]"},
		{name: "skiplock", form: "cores=1&skiplock=1", want: bad + "[skiplock: Only root may use this option.]"},
		{name: "digest", form: "cores=1&digest=abc", want: "500 checksum mismatch (file change by other user?)"},
		{name: "locked", vmid: "102", form: "cores=1", want: "500 VM is locked (backup)"},
		{name: "balloon", form: "balloon=4096&memory=2048", want: "500 balloon value too large (must be smaller than assigned memory)"},
		{name: "balloon of the default", form: "balloon=4096", want: "500 balloon value too large (must be smaller than assigned memory)"},
		{name: "root's own", form: "args=-s", want: "500 only root can set 'args' config"},
		{name: "a generation", form: "vmgenid=1", want: "500 only root can set 'vmgenid' config"},
		{name: "a lock", form: "lock=backup", want: "500 only root can set 'lock' config"},
		{name: "memory", token: "few@pve!tok", form: "memory=1024", want: "403 Permission check failed (/vms/100, VM.Config.Memory)"},
		{name: "deleting it", token: "few@pve!tok", form: "delete=memory", want: "403 Permission check failed (/vms/100, VM.Config.Memory)"},
		{name: "network", token: "few@pve!tok", form: "net0=virtio,bridge=vmbr0", want: "403 Permission check failed (/vms/100, VM.Config.Network)"},
		{name: "cloud-init", token: "few@pve!tok", form: "ciuser=a", want: "403 Permission check failed (/vms/100, VM.Config.Cloudinit|VM.Config.Network)"},
		{name: "numa nodes are CPU", token: "few@pve!tok", form: "numa0=cpus=0"},
		{name: "an ISO image without a right", token: "few@pve!tok", form: "ide0=local:iso/debian.iso,media=cdrom", want: "403 Permission check failed (/storage/local, Datastore.AllocateSpace|Datastore.Audit)"},
		{name: "space", token: "few@pve!tok", form: "scsi1=ceph:1", want: "403 Permission check failed (/storage/ceph, Datastore.AllocateSpace)"},
		{name: "another's disk", token: "few@pve!tok", form: "scsi1=ceph:vm-101-disk-0", want: "403 Permission check failed (/storage/ceph, Datastore.Audit)"},
		{name: "the host's drive", token: "few@pve!tok", form: "ide0=cdrom,media=cdrom", want: "403 Permission check failed (/, Sys.Console)"},
		{name: "a path", form: "scsi1=/dev/sda", want: "500 Only root can pass arbitrary filesystem paths."},
		{name: "no such storage", form: "scsi1=nope:1", want: "500 storage 'nope' does not exist"},
		{name: "no images there", form: "scsi1=local:1", want: bad + "[storage: storage 'local' does not support vm images]"},
		{name: "cloud-init drive", token: "few@pve!tok", form: "ide2=ceph:cloudinit", task: "403 Permission check failed (/vms/100, VM.Config.Cloudinit)"},
		{name: "no such volume", form: "ide0=local:iso/nope.iso,media=cdrom", task: "volume 'local:iso/nope.iso' does not exist"},
		{name: "a second cloud-init drive", vmid: "900", form: "ide3=ceph:cloudinit", task: "ide3 - cloud-init drive is already attached at 'ide2'"},
		{name: "boot order", form: "boot=order=scsi0;net5", task: "invalid bootorder: device 'net5' does not exist'"},
		{name: "protected", vmid: "101", form: "delete=unused0"},
		{name: "a real serial port", form: "serial0=/dev/ttyS0", task: "only root can set 'serial0' config for real devices"},
		{name: "a real USB device", form: "usb0=host=1234:5678", task: "only root can set 'usb0' config for real devices"},
		{name: "a real PCI device", form: "hostpci0=01:00", task: "only root can set 'hostpci0' config for real devices"},
		{name: "a registered tag", token: "tags@pve!tok", vmid: "101", form: "tags=a", task: "403 Permission check failed (/, Sys.Modify for modifying tag 'prod')"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.token == "tags@pve!tok" {
				t.Run("", func(t *testing.T) { tc.runWithTagger(t) })
				return
			}
			tc.run(t)
		})
	}
}

// runWithTagger is run for a token that may set options, and no more.
func (tc configCase) runWithTagger(t *testing.T) {
	t.Helper()
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.Roles["Tagger"] = []string{"VM.Config.Options"}
		f.Tokens["tags@pve!tok"] = &Token{Role: "Tagger"}
	}); err != nil {
		t.Fatal(err)
	}
	if st, _ := send(t, s, tc.token, "PUT", "/nodes/pve1/qemu/101/config", tc.form); st != tc.task {
		t.Errorf("got %s, want %s", st, tc.task)
	}
	if st, _ := send(t, s, tc.token, "PUT", "/nodes/pve1/qemu/101/config", "tags=b;prod"); st != "200 OK" {
		t.Errorf("a free tag: %s", st)
	}
}

// TestPendingIsAppliedAtTheStart: what a running VM could not take it has after
// the next start, and revert takes it back.
func TestPendingIsAppliedAtTheStart(t *testing.T) {
	s := startWritable(t)
	for _, step := range []struct{ method, path, form, has string }{
		{"PUT", "config", "cores=8&machine=q35&delete=smbios1", "[PENDING]\ncores: 8\nmachine: q35\n"},
		{"PUT", "config", "revert=machine", "[PENDING]\ncores: 8\n"},
		{"POST", "status/stop", "", "[PENDING]\ncores: 8\n"},
		{"POST", "status/start", "", "cores: 8\n"},
	} {
		if st, _ := send(t, s, "all@pve!tok", step.method, "/nodes/pve1/qemu/101/"+step.path, step.form); st != "200 OK" {
			t.Fatalf("%s: %s", step.path, st)
		}
		if got := s.fleetNow().VMs[101].Config; !strings.Contains(got, step.has) {
			t.Fatalf("after %s %s: no %q in\n%s", step.path, step.form, step.has, got)
		}
	}
	if got := s.fleetNow().VMs[101].Config; strings.Contains(got, "PENDING") || strings.Contains(got, "machine") {
		t.Errorf("left:\n%s", got)
	}
}

// TestBackgroundDelay: within the delay the answer is that of the task.
func TestBackgroundDelay(t *testing.T) {
	s := startWritable(t)
	path := "/nodes/pve1/qemu/100/config"
	if st, data := send(t, s, "all@pve!tok", "POST", path, "cores=4&background_delay=5"); st != "200 OK" || data != nil || len(s.fleetNow().Tasks) != 1 {
		t.Errorf("%s, %v", st, data)
	}
	if st, _ := send(t, s, "all@pve!tok", "POST", path, "ide0=local:iso/nope.iso&background_delay=5"); st != "500 failed to update VM 100: volume 'local:iso/nope.iso' does not exist" {
		t.Errorf("a task that fails: %s", st)
	}
	if st, _ := send(t, s, "all@pve!tok", "POST", path, "cores=4&background_delay=31"); st != "400 Parameter verification failed. [background_delay: value must be between 1 and 30]" {
		t.Errorf("too long: %s", st)
	}
}

func TestUniqueTags(t *testing.T) {
	for style, want := range map[string]string{
		"": "a;b;c", "case-sensitive=1": "A;B;a;c", "ordering=config": "b;a;c", "case-sensitive=1,ordering=config": "B;a;c;A",
	} {
		s := startServer(t, parse(t, "options: {tag-style: \""+style+"\"}\n"), quick())
		if got := s.current().uniqueTags("B,a c;A;B"); got != want {
			t.Errorf("%q: %s, want %s", style, got, want)
		}
	}
}
