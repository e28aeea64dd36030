package importer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestImportRecordedFleet: testdata/fleet.yaml is what the importer makes of
// testdata/fleet. The recordings are replayed against it.
func TestImportRecordedFleet(t *testing.T) {
	f, err := Import("../testdata/fleet")
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	golden := "../testdata/fleet.yaml"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the importer writes; run the test with -update", golden)
	}
	back, err := pvesim.LoadFleet(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, back) {
		t.Error("the import and the file differ once read")
	}
	if len(f.VMs) != 22 || len(f.Containers) != 2 || len(f.Tokens) != 16 || len(f.ACL) != 13 || len(f.Pools) != 3 {
		t.Errorf("%d VMs, %d containers, %d tokens, %d ACL entries, %d pools", len(f.VMs), len(f.Containers), len(f.Tokens), len(f.ACL), len(f.Pools))
	}
	for id, file := range map[int]string{100: "pve1", 207: "pve2", 300: "pve3"} {
		raw, err := os.ReadFile(filepath.Join("..", "testdata", "fleet", "nodes", file, "qemu-server", fmt.Sprint(id)+".conf"))
		if err != nil {
			t.Fatal(err)
		}
		if back.VMs[id].Config != string(raw) {
			t.Errorf("the file of VM %d changed on the way", id)
		}
	}
}

func TestReadUsers(t *testing.T) {
	const text = `# comment
user:a@pve:0:1700000000:First:Last:a@example.com:left%3A gone::
user:b@pve:1:0:
token:a@pve!t:0:1:too short
token:a@pve!tok:1800000000:1:c%20d
token:rubbish:0:1:
group:ops:a@pve,b@pve:on call:
role:R:VM.Audit,Pool.Audit:
pool:team/sub:K%C3%B6ln:100,101:ceph:
acl:0:/vms:a@pve,@ops,a@pve!tok:R,PVEAuditor:
domain:ldap:whatever
`
	f := &pvesim.Fleet{}
	if err := readUsers(text, f); err != nil {
		t.Fatal(err)
	}
	if u := f.Users["a@pve"]; u.Enabled == nil || *u.Enabled || u.Expire != 1700000000 || u.Comment != "left: gone" || u.Email != "a@example.com" {
		t.Errorf("user: %+v", u)
	}
	if f.Users["b@pve"].Enabled != nil || len(f.Tokens) != 1 {
		t.Errorf("users %v, tokens %v", f.Users, f.Tokens)
	}
	if k := f.Tokens["a@pve!tok"]; k.Expire != 1800000000 || !*k.PrivSep || k.Comment != "c d" || k.Secret != "" {
		t.Errorf("token: %+v", k)
	}
	if p := f.Pools["team/sub"]; p.Comment != "Köln" || !reflect.DeepEqual(p.VMs, []int{100, 101}) || !reflect.DeepEqual(p.Storages, []string{"ceph"}) {
		t.Errorf("pool: %+v", p)
	}
	if len(f.ACL) != 6 || *f.ACL[0].Propagate || f.ACL[2].To != "@ops" {
		t.Errorf("acl: %+v", f.ACL)
	}
	for _, bad := range []string{"user:a@pve:1:soon:", "token:a@pve!tok:soon:1:", "pool:p::x:"} {
		if err := readUsers("\n"+bad, &pvesim.Fleet{}); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadStoragesAndMore(t *testing.T) {
	f := &pvesim.Fleet{}
	readStorages("# c\n\tlost 1\ndir: local\n\tpath /var/lib/vz\n\tcontent iso,backup\n\nnfs: nas\n\tserver 192.0.2.1\n\tnodes pve1,pve2\n\tdisable 1\n", f)
	if s := f.Storages["local"]; s.Path != "/var/lib/vz" || s.Shared || s.Disabled || len(s.Content) != 2 {
		t.Errorf("local: %+v", s)
	}
	if s := f.Storages["nas"]; !s.Shared || len(s.Nodes) != 2 || s.Type != "nfs" || !s.Disabled {
		t.Errorf("nas: %+v", s)
	}
	readDatacenter("#note: x\nkeyboard: de\nconsole:html5\n", f)
	if !reflect.DeepEqual(f.Options, map[string]string{"keyboard": "de", "console": "html5"}) {
		t.Errorf("options: %v", f.Options)
	}
	readHA("vm: 101\n\tstate started\n\tgroup g\n\tcomment a%3Ab\n", f)
	if h := f.HA["vm:101"]; h.State != "started" || h.Group != "g" || h.Comment != "a:b" || len(f.HADigest) != 40 {
		t.Errorf("ha: %+v", h)
	}
	if decode("50%") != "50%" {
		t.Error("a broken escape is lost")
	}
}

func TestImportMistakes(t *testing.T) {
	if _, err := Import(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that does not exist was imported")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "nodes", "pve1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if f, err := Import(dir); err != nil || len(f.Nodes) != 1 {
		t.Errorf("a folder without users: %v, %v", f, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "user.cfg"), []byte("user:a:1:x:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(dir); err == nil || !strings.Contains(err.Error(), "user.cfg: line 1") {
		t.Errorf("a mistake in user.cfg: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "user.cfg")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "storage.cfg"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(dir); err == nil {
		t.Error("a file that cannot be read was passed over")
	}
}

func FuzzUserConfig(f *testing.F) {
	data, err := os.ReadFile("../testdata/fleet/user.cfg")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add("acl:1:/:@:\npool::::\ntoken:!ab")
	f.Fuzz(func(t *testing.T, text string) {
		fleet := &pvesim.Fleet{}
		if err := readUsers(text, fleet); err != nil {
			return
		}
		readStorages(text, fleet)
		readHA(text, fleet)
		for id := range fleet.Tokens {
			if _, name, ok := strings.Cut(id, "!"); !ok || len(name) < 2 {
				t.Errorf("took the token %q", id)
			}
		}
	})
}
