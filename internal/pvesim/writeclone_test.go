package pvesim

import (
	"slices"
	"strings"
	"testing"
)

func TestCloneRefusals(t *testing.T) {
	clone := func(vmid, form string) writeCase {
		return writeCase{method: "POST", path: "/nodes/pve1/qemu/" + vmid + "/clone", form: form}
	}
	cases := []struct {
		name  string
		w     writeCase
		token string
		want  string
		task  string
	}{
		{name: "no newid", w: clone("900", "name=a"), want: "400 Parameter verification failed. [newid: property is missing and it is not optional]"},
		{name: "newid", w: clone("900", "newid=99"), want: "400 Parameter verification failed. [newid: invalid format - value does not look like a valid VM ID]"},
		{name: "name", w: clone("900", "newid=500&name=a_b"), want: "400 Parameter verification failed. [name: invalid format - value does not look like a valid DNS name]"},
		{name: "pool's name", w: clone("900", "newid=500&pool=a+b"), want: "400 Parameter verification failed. [pool: invalid format - value contains invalid characters]"},
		{name: "format", w: clone("900", "newid=500&format=vdi"), want: "400 Parameter verification failed. [format: value 'vdi' does not have a value in the enumeration 'raw, qcow2, vmdk']"},
		{name: "pool", w: clone("900", "newid=500&pool=nope"), want: "403 Permission check failed (pool 'nope' does not exist)"},
		{name: "target", w: clone("900", "newid=500&target=nope"), want: "500 no such cluster node 'nope'"},
		{name: "storage", w: clone("900", "newid=500&full=1&storage=nope"), want: "500 storage 'nope' does not exist"},
		{name: "disabled storage", w: clone("900", "newid=500&full=1&storage=off"), want: "500 storage 'off' is disabled"},
		{name: "storage without images", w: clone("900", "newid=500&full=1&storage=local"), want: "400 Parameter verification failed. [storage: storage 'local' does not support vm images]"},
		{name: "to a local storage elsewhere", w: clone("900", "newid=500&full=1&storage=thin&target=pve2"), want: "500 can't clone to non-shared storage 'thin'"},
		{name: "local disks to elsewhere", w: clone("100", "newid=500&target=pve2"), want: "500 can't clone VM to node 'pve2' (VM uses local storage)"},
		{name: "linked with a storage", w: clone("900", "newid=500&storage=thin"), want: "500 parameter 'storage' not allowed for linked clones"},
		{name: "linked with a format", w: clone("900", "newid=500&format=raw"), want: "500 parameter 'format' not allowed for linked clones"},
		{name: "linked to no template", w: clone("100", "newid=500&full=0"), want: "500 Linked clone feature is not supported for 'thin:vm-100-disk-0' (scsi0)"},
		{name: "snapshot", w: clone("900", "newid=500&snapname=nope"), want: "500 snapshot 'nope' does not exist"},
		{name: "locked", w: clone("102", "newid=500"), want: "500 VM is locked (backup)"},
		{name: "no source", w: clone("999", "newid=500"), want: "500 Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist"},
		{name: "taken", w: clone("900", "newid=101"), want: "500 unable to create VM 101: config file already exists"},
		{name: "taken on another node", w: clone("900", "newid=200"), task: "close (rename) atomic file '/etc/pve/nodes/pve1/qemu-server/200.conf' failed: File exists"},
		{name: "no right to the storage", w: clone("100", "newid=500"), token: "few@pve!tok", want: "403 Permission check failed (/storage/thin, Datastore.AllocateSpace)"},
		{name: "no right to the network", w: clone("103", "newid=500"), token: "few@pve!tok"}, // it has none
	}
	for _, tc := range cases {
		tc.w.token, tc.w.want, tc.w.task = tc.token, tc.want, tc.task
		t.Run(tc.name, func(t *testing.T) { tc.w.run(t) })
	}
}

// TestMayClone: VM.Allocate may also come from the pool, and each right is needed.
func TestMayClone(t *testing.T) {
	s := startWritable(t)
	if err := s.Update(func(f *Fleet) {
		f.Roles["Cloner"] = []string{"VM.Clone"}
		f.Roles["Maker"] = []string{"VM.Allocate", "Datastore.AllocateSpace"}
		f.Users["capi@pve"] = &User{}
		no := false
		f.Tokens["capi@pve!tok"] = &Token{PrivSep: &no}
		f.ACL = append(f.ACL, ACL{Path: "/vms/103", To: "capi@pve", Role: "Cloner"}, ACL{Path: "/pool/team", To: "capi@pve", Role: "Maker"})
	}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ vmid, form, want string }{
		{"100", "newid=500&pool=team", "403 Permission check failed (/vms/100, VM.Clone)"},
		{"103", "newid=500", "403 Permission check failed"},
		{"103", "", "403 Permission check failed"},
		{"103", "newid=500&pool=team", "200 OK"},
	} {
		if got, _ := send(t, s, "capi@pve!tok", "POST", "/nodes/pve1/qemu/"+tc.vmid+"/clone", tc.form); got != tc.want {
			t.Errorf("%s to %s: got %s, want %s", tc.vmid, tc.form, got, tc.want)
		}
	}
	if f := s.fleetNow(); !slices.Equal(f.Pools["team"].VMs, []int{500}) {
		t.Errorf("pool %v", f.Pools["team"].VMs)
	}
}

// TestCloneNeedsTheNetwork: since version 8 the bridges of the source are checked.
func TestCloneNeedsTheNetwork(t *testing.T) {
	for version, want := range map[string]string{"7": "200 OK", "8": "403 Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)"} {
		opts := quick()
		opts.Writable = true
		s := startServer(t, parse(t, `
version: "`+version+`"
roles: {R: [VM.Clone, VM.Allocate]}
tokens: {a@pve!tok: {role: R}}
vms: {100: {mac: BC:24:11:00:00:01}}
`), opts)
		if got, _ := send(t, s, "a@pve!tok", "POST", "/nodes/pve1/qemu/100/clone", "newid=500"); got != want {
			t.Errorf("version %s: %s, want %s", version, got, want)
		}
	}
}

func TestClone(t *testing.T) {
	for _, tc := range []struct {
		name, vmid, form string
		node             string
		has, hasNot      []string
	}{
		{
			name: "full", vmid: "900", form: `{"newid":500,"full":1,"name":"worker-1","description":"made\nhere","target":"pve2"}`, node: "pve2",
			has: []string{"#made\n#here\n", "name: worker-1\n", "scsi0: ceph:vm-500-disk-0,discard=on,size=10G\n",
				"ide2: ceph:vm-500-cloudinit,media=cdrom,size=4M\n", "firewall=1\n", "cores: 2\n", "agent: 1\n"},
			hasNot: []string{"template", "unused0", "[snap]", "factory", "BC:24:11:00:09:00", "11111111-", "22222222-", "lock"},
		},
		{
			name: "linked", vmid: "900", form: "newid=500", node: "pve1",
			has: []string{"#from%3A the factory\n", "name: Copy-of-VM-tmpl\n", "scsi0: ceph:base-900-disk-0/vm-500-disk-0,discard=on,size=10G\n"},
		},
		{
			name: "to another storage", vmid: "900", form: "newid=500&full=1&storage=thin&target=pve1", node: "pve1",
			has: []string{"scsi0: thin:vm-500-disk-0,"},
		},
		{name: "a snapshot", vmid: "900", form: "newid=500&snapname=snap", node: "pve1", has: []string{"cores: 1\n"}, hasNot: []string{"snaptime", "scsi0"}},
		{name: "no name", vmid: "101", form: "newid=500", node: "pve1", has: []string{"name: Copy-of-VM-runs\n", "tags: a;prod\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := writeCase{method: "POST", path: "/nodes/pve1/qemu/" + tc.vmid + "/clone", form: tc.form, task: "OK"}.run(t)
			vm := s.fleetNow().VMs[500]
			if vm == nil || vm.Node != tc.node || vm.Status != "stopped" {
				t.Fatalf("the clone is %+v", vm)
			}
			for _, want := range tc.has {
				if !strings.Contains(vm.Config, want) {
					t.Errorf("no %q in\n%s", want, vm.Config)
				}
			}
			for _, no := range tc.hasNot {
				if strings.Contains(vm.Config, no) {
					t.Errorf("%q in\n%s", no, vm.Config)
				}
			}
			if tc.vmid == "900" && (vm.Agent == nil || vm.Agent.Hostname == "template") {
				t.Errorf("agent %+v, want one of its own", vm.Agent)
			}
		})
	}
}

// TestCloneOnFiles: images of a storage of files have their VMID as folder, and a
// second disk another number.
func TestCloneOnFiles(t *testing.T) {
	opts := quick()
	opts.Writable = true
	s := startServer(t, parse(t, `
tokens: {a@pve!tok: {role: Administrator}}
vms:
  100: {options: {scsi0: "local:100/vm-100-disk-0.qcow2,size=1G", scsi1: "local:100/vm-100-disk-1.raw,size=1G", ide0: "local:iso/x.iso,media=cdrom"}}
`), opts)
	if st, data := send(t, s, "a@pve!tok", "POST", "/nodes/pve1/qemu/100/clone", "newid=500"); st != "200 OK" || ended(t, s, data) != "OK" {
		t.Fatal(st)
	}
	got := s.fleetNow().VMs[500].Config
	for _, want := range []string{"ide0: local:iso/x.iso,media=cdrom\n", "scsi0: local:500/vm-500-disk-0.qcow2,size=1G\n", "scsi1: local:500/vm-500-disk-1.raw,size=1G\n", "name: Copy-of-VM-100\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
