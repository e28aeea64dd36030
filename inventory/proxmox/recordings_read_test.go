package proxmox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// readAs are the kinds of answers that the collector reads, and what has to come out of each.
var readAs = []struct {
	prefix string
	read   func(t *testing.T, r *recording, data any, e *transport.Error)
}{
	{"/version", readVersion},
	{"/access/permissions", readPermissions},
	{"/cluster/status", readStatus},
	{"/cluster/resources?type=vm", readGuests},
	{"/cluster/nextid?vmid=", readNextID},
	{"/nodes", readNodes},
}

func readVersion(t *testing.T, r *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	if version, major, err := normalize.Version(data); err != nil || !strings.Contains(r.Body, `"`+version+`"`) || major < 8 {
		t.Errorf("%q, %d, %v", version, major, err)
	}
}

func readPermissions(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	perms, err := normalize.ParsePermissions(data)
	if err != nil {
		t.Fatal(err)
	}
	back := map[string]any{}
	for path, privs := range perms {
		flags := map[string]any{}
		for priv, propagate := range privs {
			flags[priv] = map[bool]float64{true: 1}[propagate]
		}
		back[path] = flags
	}
	if got, want := asJSON(t, back), asJSON(t, data); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func readStatus(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	st, err := normalize.ClusterStatus(data)
	if err != nil || st.Bad != nil || st.ClusterName != "lab" || len(st.Nodes) != 3 || !*st.Quorate {
		t.Errorf("%+v, %v", st, err)
	}
}

func readNodes(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		t.Fatal(e)
	}
	st, err := normalize.Nodes(data)
	if err != nil || st.Bad != nil || len(st.Nodes) != 3 {
		t.Errorf("%+v, %v", st, err)
	}
}

// notKept are the keys of guest rows that the Snapshot has no place for: measurements, and what the configuration
// says better.
var notKept = []string{"cpu", "mem", "memhost", "netin", "netout", "disk", "diskread", "diskwrite", "maxcpu", "maxmem", "maxdisk"}

func readGuests(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	vms, bad, err := normalize.Guests(data)
	rows, _ := data.([]any)
	if err != nil || bad != nil || len(vms) != len(rows) {
		t.Fatalf("%d of %d rows, bad %q, %v", len(vms), len(rows), bad, err)
	}
	for i, row := range rows {
		m, vm := row.(map[string]any), &vms[i]
		back := map[string]any{"id": fmt.Sprintf("%s/%d", vm.Type, vm.VMID), "vmid": float64(vm.VMID), "type": vm.Type, "node": vm.Node, "status": vm.Status}
		put := func(key, value string) {
			if value != "" {
				back[key] = value
			}
		}
		put("name", vm.Name)
		put("pool", vm.Pool)
		put("lock", vm.Lock)
		put("hastate", vm.HAState)
		if vm.Template != nil {
			back["template"] = map[bool]float64{true: 1}[*vm.Template]
		}
		if _, listed := m["uptime"]; listed {
			back["uptime"] = float64(vm.UptimeSeconds)
		}
		want := maps.Clone(m)
		for key := range m {
			if slices.Contains(notKept, key) || strings.HasPrefix(key, "pressure") {
				delete(want, key)
			}
		}
		if m["name"] == fmt.Sprintf("VM %d", vm.VMID) {
			delete(want, "name")
		}
		if tags, ok := m["tags"].(string); ok {
			delete(want, "tags")
			if !slices.Equal(vm.Tags, normalize.Tags(tags)) || len(vm.Tags) == 0 {
				t.Errorf("tags %q of %q", vm.Tags, tags)
			}
		}
		if got, want := asJSON(t, back), asJSON(t, want); got != want {
			t.Errorf("row %d\ngot  %s\nwant %s", i, got, want)
		}
	}
}

func readNextID(t *testing.T, r *recording, data any, e *transport.Error) {
	var vmid int
	if _, err := fmt.Sscanf(r.path(), "/cluster/nextid?vmid=%d", &vmid); err != nil {
		vmid = -1 // nextid_abc
	}
	want := inventory.ExistenceUnknown
	if e == nil {
		want = inventory.Free
	} else if strings.Contains(r.Body, "already exists") {
		want = inventory.Exists
	}
	if got, reason := normalize.NextID(data, e, vmid); got != want {
		t.Errorf("%s (%s), want %s", got, reason, want)
	}
}

// notKeptConfig are the keys of configurations that the Snapshot has no place for, and the secrets that it must not
// hold.
var notKeptConfig = []string{"boot", "numa", "vmgenid", "hotplug", "startup", "serial0", "cpuunits", "migrate_downtime", "vmstate", "cipassword"}

func readConfig(t *testing.T, r *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	var vmid int
	var node string
	if _, err := fmt.Sscanf(strings.ReplaceAll(r.path(), "/", " "), " nodes %s qemu %d", &node, &vmid); err != nil {
		t.Fatal(err)
	}
	c, err := normalize.ParseConfig(data, vmid)
	if err != nil || c.Problems != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	text := asJSON(t, c)
	for key, value := range data.(map[string]any) {
		v := fmt.Sprint(value)
		if i := strings.LastIndexByte(v, '='); i >= 0 && key == "memory" {
			v = v[i+1:]
		}
		switch {
		case slices.Contains(notKeptConfig, key):
			if key == "cipassword" && strings.Contains(text, v) {
				t.Error("the masked password is kept")
			}
		case key == "sshkeys":
			if !c.VM.HasSSHKeys || strings.Contains(text, "AAAAC3Nza") {
				t.Error("sshkeys")
			}
		case key == "args":
			if !c.VM.HasArgs {
				t.Error("args")
			}
		case key == "template", key == "onboot", key == "protection":
			got := map[string]bool{"template": c.Template, "onboot": c.VM.OnBoot, "protection": c.VM.Protection}[key]
			if got != (v == "1") {
				t.Errorf("%s is %v", key, got)
			}
		case key == "agent":
			if c.VM.AgentEnabled != strings.Contains(v, "1") {
				t.Errorf("agent %q became %v", v, c.VM.AgentEnabled)
			}
		case key == "tags":
			if !slices.Equal(c.Tags, normalize.Tags(v)) {
				t.Errorf("tags %q", c.Tags)
			}
		case key == "smbios1":
			readSMBIOS(t, c, v)
		case key == "meta":
			if c.VM.CreatedAt == nil || !strings.Contains(v, fmt.Sprint(c.VM.CreatedAt.Unix())) {
				t.Errorf("meta %q became %v", v, c.VM.CreatedAt)
			}
		case strings.HasPrefix(key, "net"), strings.HasPrefix(key, "scsi") && key != "scsihw", strings.HasPrefix(key, "ide"), strings.HasPrefix(key, "virtio"),
			strings.HasPrefix(key, "ipconfig"), strings.HasPrefix(key, "unused"), strings.HasPrefix(key, "efidisk"):
			if !strings.Contains(text, `"slot":"`+key+`"`) {
				t.Errorf("%s is lost", key)
			}
		default:
			if quoted := asJSON(t, v); !strings.Contains(text, quoted) && !strings.Contains(text, ":"+v+",") {
				t.Errorf("%s = %q is lost in %s", key, v, text)
			}
		}
	}
}

func readSMBIOS(t *testing.T, c *normalize.Config, smbios1 string) {
	t.Helper()
	_, after, has := strings.Cut(smbios1, "uuid=")
	raw, _, _ := strings.Cut(after, ",")
	if c.VM.HasArgs {
		raw, has = "99999999-aaaa-4bbb-8ccc-000000000206", true
	}
	if has != (c.VM.UUID != "") || c.VM.UUID != strings.ToLower(raw) || c.VM.RawUUID != raw {
		t.Errorf("smbios1 %q became %q from %q", smbios1, c.VM.UUID, c.VM.UUIDSource)
	}
}

func readAgent(t *testing.T, _ *recording, data any, e *transport.Error) {
	if e != nil {
		return
	}
	a := normalize.Agent(data)
	if a.Error != "" || len(a.Interfaces) != 2 || a.Interfaces[1].MAC != "bc:24:11:aa:bb:07" || len(a.Interfaces[1].Addresses) != 2 {
		t.Errorf("%+v", a)
	}
}
