package pvesim

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func qemuParser(t testing.TB, version string) guestParser {
	t.Helper()
	r, err := parseRelease(version, "")
	if err != nil {
		t.Fatal(err)
	}
	return guestParser{options: qemuOptions(r)}
}

// TestInvalidLinesVanish: Proxmox VE leaves out what does not validate, and says
// so only in its log.
func TestInvalidLinesVanish(t *testing.T) {
	for _, tc := range []struct {
		line string
		want any // nil: gone
	}{
		{"name: web01", "web01"},
		{"name: 12345", "12345"},
		{"name: DB01.example.internal", "DB01.example.internal"},
		{"name: under_score", nil},
		{"name: -dash", nil},
		{"memory: 4096", "4096"},
		{"memory: current=4096", "current=4096"},
		{"memory: abc", nil},
		{"cores: 2", int64(2)},
		{"cores: two", nil},
		{"cores: -1", nil},
		{"cpulimit: 2", "2"},
		{"cpulimit: 1.5", "1.5"},
		{"cpulimit: x", nil},
		{"onboot: yes", int64(1)},
		{"onboot: off", int64(0)},
		{"onboot: perhaps", nil},
		{"agent: 0", "0"},
		{"tags: a;b", "a;b"},
		{"tags: Zeta,alpha beta;Alpha", "Zeta,alpha beta;Alpha"},
		{"tags: b@d", nil},
		{"net0: bogus=1", nil},
		{"net32: virtio", nil},
		{"smbios1: uuid=not-a-uuid", nil},
		{"smbios1: manufacturer=Foo,product=Bar", "manufacturer=Foo,product=Bar"},
		{"lock: backup", "backup"},
		{"lock: nonsense", nil},
		{"foo: bar", nil},
		{"no colon", nil},
		{"vmgenid: 1", "1"},
		{"hotplug: disk,network,usb", "disk,network,usb"},
		{"args: -uuid 9999", "-uuid 9999"},
		{"boot: ", " "},
		{`ciuser: "quoted"`, "quoted"},
		{"delete: tags", nil},
	} {
		c := qemuParser(t, "8").parse(tc.line + "\n")
		key, _, _ := strings.Cut(tc.line, ":")
		if got := c.main[key]; !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q: got %#v, want %#v", tc.line, got, tc.want)
		}
	}
}

func TestMemoryTypeByVersion(t *testing.T) {
	for version, want := range map[string]any{"7": int64(4096), "8.0.9": int64(4096), "8.1.3": "4096", "8": "4096", "9": "4096"} {
		if got := qemuParser(t, version).parse("memory: 4096\n").main["memory"]; got != want {
			t.Errorf("version %s: memory is %#v, want %#v", version, got, want)
		}
	}
}

func TestDescriptions(t *testing.T) {
	text := "#K%C3%B6ln 50%25\n#owner%3A team-a%0A\n#plain: colon, ü\nname: a\ndescription: second%3A way  \n\n"
	qemu := qemuParser(t, "9").parse(text)
	if got, want := qemu.main["description"], "Köln 50%\nowner: team-a\n\nplain: colon, ü\nsecond: way"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	lxc := guestParser{options: lxcOptions(), lxc: true}.parse("#Container %C3%84\nhostname: ct\n")
	if got, want := lxc.main["description"], "Container Ä\n"; got != want {
		t.Errorf("a container's note: got %q, want %q", got, want)
	}
}

func TestContainerKeepsInvalidValues(t *testing.T) {
	c := guestParser{options: lxcOptions(), lxc: true}.parse("memory: much\ncores: 2\nlxc.apparmor.profile: unconfined\n[pve:pending]\nmemory: 1024\n")
	if c.main["memory"] != "much" || c.main["cores"] != int64(2) {
		t.Errorf("got %v", c.main)
	}
	if c.view(false)["memory"] != int64(1024) || c.view(true)["memory"] != "much" {
		t.Error("pending changes apply by default, and current=1 leaves them out")
	}
}

func TestSections(t *testing.T) {
	c := qemuParser(t, "9").parse(strings.Join([]string{
		"name: live", "cores: 2", "tags: a", "cipassword: hunter2",
		"[PENDING]", "cores: 4", "delete: tags,!net0", "cipassword: other",
		"[special:cloudinit]", "name: ignored",
		"[snap-1]", "#text", "name: old", "delete: cores",
		"[not a section]", "name: skipped",
	}, "\n"))
	if v := c.view(true); v["name"] != "live" || v["cores"] != int64(2) || v["tags"] != "a" || v["cipassword"] != maskedPassword {
		t.Errorf("current: %v", v)
	}
	v := c.view(false)
	if _, ok := v["tags"]; ok || v["cores"] != int64(4) {
		t.Errorf("with pending changes: %v", v)
	}
	s, ok := c.snapshotView("snap-1")
	if !ok || s["name"] != "old" || s["description"] != "text" || s["digest"] != c.digest {
		t.Errorf("snapshot: %v", s)
	}
	if _, ok := c.snapshotView("none"); ok {
		t.Error("a snapshot that does not exist was found")
	}
	var forced, masked bool
	for _, row := range c.pendingView() {
		forced = forced || row["key"] == "net0" && row["delete"] == 2
		masked = masked || row["key"] == "cipassword" && row["value"] == maskedPassword && row["pending"] == maskedPassword+" "
	}
	if !forced || !masked {
		t.Errorf("pending: %v", c.pendingView())
	}
	if b, err := json.Marshal(c.pendingView()); err != nil || strings.Contains(string(b), "hunter2") {
		t.Errorf("the password shows: %s %v", b, err)
	}
}

// TestPmxcfsProperties: the cluster file system reads tags and lock unchecked, up
// to the first section.
func TestPmxcfsProperties(t *testing.T) {
	c := qemuParser(t, "9").parse("tags: b@d\nlock: odd\n[snap]\ntags: other\n")
	if c.raw["tags"] != "b@d" || c.raw["lock"] != "odd" || c.main["tags"] != nil {
		t.Errorf("raw %v, parsed %v", c.raw, c.main)
	}
}

func FuzzGuestConfig(f *testing.F) {
	fleet, err := LoadFleet("testdata/fleet.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, vm := range fleet.VMs {
		f.Add(vm.Config)
	}
	f.Add("[PENDING]\ndelete: a\n[x]\n#%\n")
	qemu, lxc := qemuParser(f, "9"), guestParser{options: lxcOptions(), lxc: true}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, p := range []guestParser{qemu, lxc} {
			c := p.parse(raw)
			if len(c.digest) != 40 {
				t.Fatalf("digest %q", c.digest)
			}
			for _, v := range []any{c.view(true), c.view(false), c.pendingView()} {
				if _, err := json.Marshal(v); err != nil {
					t.Fatal(err)
				}
			}
			if again := p.parse(raw); !reflect.DeepEqual(c, again) {
				t.Fatal("two readings differ")
			}
		}
	})
}

// FuzzNoteEncoding: what is written into a file is read back.
func FuzzNoteEncoding(f *testing.F) {
	f.Add("Köln: 50%\nzeile2")
	f.Add("a\r\x00%41 ")
	f.Fuzz(func(t *testing.T, note string) {
		if !utf8.ValidString(note) || strings.TrimRight(note, " \t\r\n\f\v") != note || note == "" {
			return
		}
		text, err := fileText(note, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := qemuParser(t, "9").parse(text).main["description"]
		if got != note {
			t.Errorf("wrote %q as %q, read %q", note, text, got)
		}
	})
}
