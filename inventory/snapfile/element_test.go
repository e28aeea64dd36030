package snapfile

import (
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

// Every field of a Snapshot is read by this package's own list: one that is missing there would be lost silently.
func TestFieldsAreTheSnapshots(t *testing.T) {
	var want []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[inventory.Snapshot]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want = append(want, name)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
		t.Errorf("%q are read, and there are %q", got, want)
	}
}

// endless is a list that goes on with the same element and fails the test if more of it is read than a buffer.
type endless struct {
	t    *testing.T
	text string
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	if e.n += n; e.n > 64<<10 {
		e.t.Fatal("it was read on after the first element that is none")
	}
	return n, nil
}

// The first element that lacks what it is known by ends the reading, with its place, before the rest is read.
func TestElements(t *testing.T) {
	whole := map[string]map[string]any{
		"sites":           {"name": "home"},
		"vms":             {"site": "home", "vmid": 101, "type": "qemu"},
		"clusters":        {"key": "prod"},
		"machines":        {"cluster": "prod", "name": "m"},
		"proxmoxMachines": {"name": "m"},
		"nodes":           {"cluster": "prod", "name": "n"},
		"groups":          {"kind": "MachineSet", "name": "g"},
		"providers":       {"name": "p"},
		"tasks":           {"site": "home", "upid": "UPID:pve1:1:2:3:qmstart:101:root@pam:", "type": "qmstart"},
		"events":          {"reason": "FailedCreate"},
		"storedSecrets":   {"namespace": "prod", "name": "prod-ca"},
		"probes":          {"site": "home", "vmid": 102, "existence": "free"},
		"coverage":        {"source": "site/home", "scope": "guests", "state": "complete"},
		"requests":        {"source": "site/home"},
		"parts":           {"file": "a.json"},
		"objects":         {"apiVersion": "v1", "kind": "X", "name": "x"},
	}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const head = `{"formatVersion": "proxaudit/snapshot/v1", "collectedAt": "2026-05-04T12:00:00Z", `
	lists := 0
	for name := range fields {
		if name == "formatVersion" || name == "collectedAt" || name == "toolVersion" || name == "management" {
			continue
		}
		lists++
		good := whole[name]
		if _, err := Read(strings.NewReader(head + `"` + name + `": [` + text(good) + `]}`)); err != nil {
			t.Errorf("%s: an element with all that it needs: %v", name, err)
		}
		for _, odd := range append(slices.Sorted(maps.Keys(good)), "") {
			lacking, words := maps.Clone(good), []string{"no Snapshot (" + name + "[1], from byte ", "scan again"}
			if odd == "" {
				clear(lacking)
				for f := range good {
					words = append(words, "no "+f)
				}
			} else {
				delete(lacking, odd)
				words = append(words, "it has no "+odd+", and ")
			}
			in := io.MultiReader(strings.NewReader(head+`"`+name+`": [`+text(good)), &endless{t: t, text: "," + text(lacking)})
			s, err := Read(in)
			if s != nil {
				t.Errorf("%s without %s: a Snapshot came with the error", name, odd)
			}
			refused(t, err, words...)
		}
	}
	if lists != len(whole) {
		t.Errorf("%d lists were tried, %d are known", lists, len(whole))
	}
	for in, words := range map[string][]string{
		`"vms": [null]`: {"vms[0]", "no site and no vmid and no type"},
		`"vms": [{"site": "home", "vmid": 99, "type": "qemu"}]`:                 {"vms[0]", "VMID 99 is none"},
		`"vms": [{"site": "home", "vmid": -1, "type": "qemu"}]`:                 {"vms[0]", "VMID -1 is none"},
		`"proxmoxMachines": [{"name": "m", "vmid": 0}]`:                         {"proxmoxMachines[0]", "VMID 0 is none"},
		`"proxmoxMachines": [{"name": "m", "vmid": 4294967397}]`:                {"proxmoxMachines[0]", "VMID 4294967397 is none"},
		`"probes": [{"site": "home", "vmid": 1000000000, "existence": "free"}]`: {"probes[0]", "VMID 1000000000 is none"},
		`"nodes": [{"cluster": "prod", "name": "n"}, 7]`:                        {"nodes[1]", "number"},
	} {
		_, err := Read(strings.NewReader(head + in + "}"))
		refused(t, err, words...)
	}
}

// The order of the fields says nothing: tools that sort keys may have been over the file.
func TestOrderOfFields(t *testing.T) {
	var all map[string]any
	if err := json.Unmarshal(encoded(t, home()), &all); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Index(string(sorted), "formatVersion") < strings.Index(string(sorted), "clusters") {
		t.Fatal("the keys are not sorted")
	}
	got, err := Read(strings.NewReader(string(sorted)))
	if err != nil || !reflect.DeepEqual(got, home()) {
		t.Errorf("%+v, %v", got, err)
	}
}
