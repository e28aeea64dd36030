package e2e

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestOrphans is the main job on real input: the full report, and every class of machine in it.
func TestOrphans(t *testing.T) {
	w := newWorld(t)
	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 1)
	sameAsGolden(t, "orphans.json", o.stdout)

	again := run(t, w, "orphans", "-o", "json", "--now", now)
	if string(again.stdout) != string(o.stdout) {
		t.Error("two runs against the same servers differ")
	}
}

// TestEveryClass: what each machine of the fleet is there for, as the fleet's comments say.
func TestEveryClass(t *testing.T) {
	w := newWorld(t)
	o := run(t, w, "inventory", "-o", "json", "--now", now)
	o.want(t, 0)
	var inventory struct {
		Summary struct{ Incomplete bool }
		Items   []struct {
			Class           string
			Subject         subject
			VMs             []subject
			ProxmoxMachines []subject
			Machines        []subject
			Nodes           []subject
		}
	}
	if err := json.Unmarshal(o.stdout, &inventory); err != nil {
		t.Fatal(err)
	}
	classes := map[string]string{}
	for _, item := range inventory.Items {
		for _, s := range slices.Concat([]subject{item.Subject}, item.VMs, item.ProxmoxMachines, item.Machines, item.Nodes) {
			if other, ok := classes[s.ID]; ok && other != item.Class {
				t.Errorf("%s is %s and %s", s.ID, other, item.Class)
			}
			classes[s.ID] = item.Class
		}
	}
	for id, want := range map[string]string{
		"vm/dc1/101":                          "managed",
		"vm/dc1/102":                          "managed",
		"vm/dc1/110":                          "managed",
		"vm/dc1/111":                          "mismatched",
		"vm/dc1/112":                          "mismatched",
		"vm/dc1/113":                          "non-node",
		"machine/prod/prod-md-0-eeeee":        "ghost-machine",
		"machine/prod/prod-md-0-fffff":        "ghost-machine",
		"vm/dc1/116":                          "converging",
		"machine/prod/prod-md-0-hhhhh":        "conflict",
		"vm/dc1/117":                          "managed",
		"vm/dc1/118":                          "conflict",
		"vm/dc1/119":                          "conflict",
		"proxmoxmachine/prod/prod-md-0-kkkkk": "detached-infra",
		"machine/prod/prod-md-0-lllll":        "non-node",
		"vm/dc1/140":                          "orphan-vm",
		"vm/dc1/100":                          "adoptable",
		"vm/dc1/200":                          "adoptable",
		"vm/dc1/201":                          "adoptable",
		"vm/dc1/202":                          "adoptable",
		"vm/dc1/203":                          "adoptable",
		"vm/edge/101":                         "adoptable",
		"vm/dc1/204":                          "orphan-vm",
		"vm/dc1/205":                          "orphan-vm",
		"vm/dc1/206":                          "orphan-vm",
		"node/lab/lab-w-7":                    "ghost-node",
		"node/lab/lab-metal-1":                "foreign-node",
		"vm/dc1/209":                          "converging",
		"vm/dc1/500":                          "unrelated",
		"vm/dc1/501":                          "unrelated",
		"vm/dc1/510":                          "unrelated",
		"vm/edge/500":                         "unrelated",
		"vm/dc1/9000":                         "template",
	} {
		if got := classes[id]; got != want {
			t.Errorf("%s is %q, want %q", id, got, want)
		}
	}
	if inventory.Summary.Incomplete {
		t.Error("the inventory calls itself incomplete")
	}
}
