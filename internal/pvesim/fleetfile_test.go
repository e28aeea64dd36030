package pvesim

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *Fleet {
	t.Helper()
	f, err := ParseFleet("fleet.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMistakesAreNamedWithTheirLine: the message leads to the line of the file.
func TestMistakesAreNamedWithTheirLine(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "version: 9\nclutser: lab\n", `line 2: unknown key "clutser"`},
		{"unknown key deep inside", "vms:\n  100:\n    label: a\n", `line 3: unknown key "label" (in a VM)`},
		{"a key twice", "vms:\n  100: {}\n  100: {}\n", "line 3"},
		{"wrong type", "vms:\n  100: {cores: many}\n", "line 2"},
		{"version", "version: \"5.4\"\n", "line 1: version: version \"5.4\": only series 7, 8 and 9"},
		{"version text", "version: new\n", "line 1"},
		{"node that does not exist", "nodes:\n  pve1:\nvms:\n  100:\n    name: a\n    node: pve9\n", "line 6: vms.100.node: no node pve9"},
		{"node name", "nodes:\n  \"a b\":\n", "line 2: nodes.a b: not a host name"},
		{"node size", "nodes:\n  pve1: {memory: lots}\n", "line 2"},
		{"node disk", "nodes:\n  pve1: {disk: lots}\n", "line 2"},
		{"node below zero", "nodes:\n  pve1: {cpus: -1}\n", "line 2"},
		{"node ID twice", "nodes:\n  pve1: {id: 2}\n  pve2: {id: 2}\n", "line 3: nodes.pve2.id"},
		{"vmid", "vms:\n  99: {}\n", "line 2: vms.99: a VMID lies between"},
		{"guest twice", "vms:\n  100: {}\ncontainers:\n  100: {}\n", "line 4: containers.100: a VM and a container"},
		{"status", "vms:\n  100: {status: dead}\n", "line 2: vms.100.status: unknown status dead"},
		{"container status", "containers:\n  100: {status: paused}\n", "line 2"},
		{"uptime", "vms:\n  100: {uptime: -3s}\n", "line 2"},
		{"created", "vms:\n  100: {created: yesterday}\n", "line 2"},
		{"two ways", "vms:\n  100:\n    config: \"name: a\"\n    cores: 2\n", "give config or cores, not both"},
		{"two ways of a container", "containers:\n  100:\n    config: \"hostname: a\"\n    cores: 2\n", "not both"},
		{"option with a line break", "vms:\n  100:\n    options: {args: \"a\\nb: c\"}\n", "must be a single line"},
		{"pool ID", "pools:\n  \"a b\": {}\n", "line 2: pools.a b: not a pool ID"},
		{"nested pool in 7", "version: \"7\"\npools:\n  a/b: {}\n", "line 3: pools.a/b: pools can be nested from version 8 on"},
		{"two pools", "vms: {100: }\npools:\n  a: {vms: [100]}\n  b: {vms: [100]}\n", "line 4: pools.b.vms: guest 100 is already in pool a"},
		{"storage", "storages:\n  a: {nodes: [pve9]}\n", "line 2"},
		{"storage size", "storages:\n  a: {size: big}\n", "line 2"},
		{"storage use", "storages:\n  a: {used: big}\n", "line 2"},
		{"user", "users:\n  a: {}\n", "line 2: users.a: not a user ID"},
		{"user's group", "users:\n  a@pve: {groups: [ops]}\n", "line 2"},
		{"role", "roles:\n  PVEAuditor: [VM.Audit]\n", "line 2: roles.PVEAuditor: a built-in role"},
		{"role name", "roles:\n  \"a b\": [VM.Audit]\n", "line 2"},
		{"privilege of another version", "version: \"9\"\nroles:\n  R: [VM.Monitor]\n", "line 3: roles.R: Proxmox VE 9.2 has no privilege VM.Monitor"},
		{"group", "groups:\n  \"a b\": {}\n", "line 2"},
		{"group's user", "groups:\n  ops: {users: [a@pve]}\n", "line 2"},
		{"token", "tokens:\n  a@pve: {}\n", "line 2: tokens.a@pve: not a token ID"},
		{"token name of one character", "tokens:\n  a@pve!t: {}\n", "line 2"},
		{"token secret", "tokens:\n  a@pve!tok: {secret: \"a b\"}\n", "line 2"},
		{"token role", "tokens:\n  a@pve!tok: {role: King}\n", "line 2: tokens.a@pve!tok.role: no role King"},
		{"acl path", "acl:\n  - {path: vms, to: root@pam, role: PVEAuditor}\n", "line 2: acl.0.path"},
		{"acl role", "acl:\n  - {path: /, to: root@pam, role: King}\n", "line 2: acl.0.role"},
		{"acl user", "acl:\n  - {path: /, to: a@pve, role: PVEAuditor}\n", "line 2: acl.0.to: no user a@pve"},
		{"acl token", "acl:\n  - {path: /, to: a@pve!tok, role: PVEAuditor}\n", "line 2: acl.0.to: no token"},
		{"acl group", "acl:\n  - {path: /, to: \"@ops\", role: PVEAuditor}\n", "line 2: acl.0.to: no group ops"},
		{"ha", "ha:\n  vm:100: {}\n", "line 2: ha.vm:100: no such guest 100"},
		{"ha name", "ha:\n  \"100\": {}\n", "line 2"},
		{"task node", "tasks:\n  - {node: pve9, type: qmstart, started: 1}\n", "line 2: tasks.0.node"},
		{"task type", "tasks:\n  - {node: pve1, type: \"\", started: 1}\n", "line 2"},
		{"agent result", "vms:\n  100:\n    agent:\n      results: {\"Get Info\": 1}\n", "line 4"},
		{"agent error", "vms:\n  100:\n    agent:\n      errors: {\"Get Info\": {class: a, desc: b}}\n", "line 4"},
		{"agent result that is no JSON", "vms:\n  100:\n    agent:\n      results: {info: {1: 2}}\n", "line 4"},
		{"agent address", "vms:\n  100:\n    agent:\n      interfaces: [{name: eth0, ips: [here]}]\n", "line 4"},
		{"not a mapping", "- a\n", "line 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseFleet("fleet.yaml", []byte(tc.text))
			if err == nil {
				t.Fatal("taken without an error")
			}
			if !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "fleet.yaml: ") {
				t.Errorf("got %q, want it to contain %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "pvesim.") {
				t.Errorf("the message names Go types: %q", err)
			}
		})
	}
}

// TestDefaults: a fleet with just guests works.
func TestDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "vms: {100: , 101: {name: a}}\n"} {
		st := compileForTest(t, parse(t, text))
		if st.release.full != "9.2.11" || st.cluster != "" || len(st.nodes) != 1 || st.nodes[0].name != "pve1" || len(st.storages) != 1 {
			t.Errorf("%q: release %v, cluster %q, nodes %v", text, st.release, st.cluster, st.nodes)
		}
		if !st.perms.has(DefaultTokenID, "/vms/100", "VM.Audit") || len(st.tokens[DefaultTokenID].secret) != 36 {
			t.Errorf("%q: the token by default sees nothing", text)
		}
	}
	st := compileForTest(t, parse(t, "nodes: {pve10: , pve2: }\n"))
	if st.cluster != "lab" || st.nodes[0].name != "pve2" || st.nodes[1].id != 2 {
		t.Errorf("two nodes: cluster %q, first %s", st.cluster, st.nodes[0].name)
	}
}

func TestStructuredGuest(t *testing.T) {
	f := parse(t, `
vms:
  100:
    name: web01
    cores: 2
    sockets: 1
    memory: 2048
    tags: [prod, web]
    description: "Köln: 50%\nzeile2"
    uuid: 11111111-aaaa-4bbb-8ccc-000000000100
    mac: BC:24:11:AA:BB:01
    ip: 192.0.2.10/24
    disk: 32
    created: "2024-04-05T19:34:38Z"
    template: true
    protection: true
    onboot: true
    lock: backup
    options: {ostype: l26}
    agent: {}
containers:
  200: {name: ct, cores: 1, tags: [a], template: true, options: {onboot: "1"}}
`)
	st := compileForTest(t, f)
	want := "#K%C3%B6ln%3A 50%25\n#zeile2\nagent: 1\nboot: order=scsi0\ncores: 2\nipconfig0: ip=192.0.2.10/24\nlock: backup\n" +
		"memory: 2048\nmeta: creation-qemu=9.0.2,ctime=1712345678\nname: web01\nnet0: virtio=BC:24:11:AA:BB:01,bridge=vmbr0\n" +
		"onboot: 1\nostype: l26\nprotection: 1\nscsi0: local-lvm:vm-100-disk-0,size=32G\nsmbios1: uuid=11111111-aaaa-4bbb-8ccc-000000000100\n" +
		"sockets: 1\ntags: prod;web\ntemplate: 1\n"
	if got := st.byID[100].raw; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := len(st.byID[100].conf.main); got != 18 {
		t.Errorf("%d of 18 options survive their validation: %v", got, st.byID[100].conf.main)
	}
	if m := st.byID[200].conf.main; m["hostname"] != "ct" || m["memory"] != int64(512) || m["template"] != int64(1) || m["onboot"] != int64(1) {
		t.Errorf("container: %v", m)
	}
}

func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	base := write("base.yaml", "nodes: {pve1: {cpus: 4}}\nvms:\n  100: {name: a, tags: [x]}\n  101: {name: b}\n")
	over := write("over.yaml", "nodes: {pve1: {ip: 192.0.2.1}, pve2: {}}\nvms:\n  100: {status: running, tags: [y]}\n")
	f, err := LoadFleet(base, over)
	if err != nil {
		t.Fatal(err)
	}
	if v := f.VMs[100]; v.Name != "a" || v.Status != "running" || !reflect.DeepEqual(v.Tags, []string{"y"}) || f.VMs[101].Name != "b" {
		t.Errorf("VM 100 is %+v", v)
	}
	if n := f.Nodes["pve1"]; n.CPUs != 4 || n.IP != "192.0.2.1" || f.Nodes["pve2"] == nil {
		t.Errorf("node pve1 is %+v", n)
	}
	if _, err := LoadFleet(base, write("bad.yaml", "vms:\n  100: {status: odd}\n")); err == nil || !strings.Contains(err.Error(), "bad.yaml: line 2") {
		t.Errorf("the mistake of an overlay is blamed on %v", err)
	}
	if _, err := LoadFleet(filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a file that does not exist was read")
	}
	if _, err := LoadFleet(); err == nil {
		t.Error("no file is no fleet")
	}
}

func TestWriteAndReadBack(t *testing.T) {
	f := recordedFleet(t, "pve9")
	data, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseFleet("written", data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, back) {
		t.Error("a fleet that is written and read is another")
	}
}

func TestCloneSharesNothing(t *testing.T) {
	f := recordedFleet(t, "pve9")
	c := f.clone()
	if !reflect.DeepEqual(f, c) {
		t.Fatal("the copy differs")
	}
	c.VMs[107].Agent.Interfaces[0].IPs[0] = "192.0.2.99/24"
	c.Pools["team-a"].VMs[0] = 999
	c.VMs[100].Status = "stopped"
	if f.VMs[107].Agent.Interfaces[0].IPs[0] == "192.0.2.99/24" || f.Pools["team-a"].VMs[0] == 999 || f.VMs[100].Status == "stopped" {
		t.Error("a change of the copy changed the original")
	}
	if (*Fleet)(nil).clone() == nil {
		t.Error("no fleet is an empty one")
	}
}

// FuzzFleet: no text makes the reader of fleets fail otherwise than with an
// error, and what it takes can be written and read again.
func FuzzFleet(f *testing.F) {
	for _, name := range []string{"fleet.yaml", "overlay.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("vms: {100: {agent: {results: {info: [1, {a: b}]}}}}"))
	f.Add([]byte("a: &x [*x]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fleet, err := ParseFleet("fuzz", data)
		if err != nil {
			return
		}
		out, err := fleet.Write()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseFleet("again", out); err != nil {
			t.Fatalf("written but not read: %v\n%s", err, out)
		}
	})
}
