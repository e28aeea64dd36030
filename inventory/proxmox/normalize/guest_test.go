package normalize

import (
	"reflect"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func boolp(b bool) *bool { return &b }

func TestGuestRows(t *testing.T) {
	const data = `[
	 {"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running","name":"web01","template":0,"uptime":43,
	  "tags":"prod;web","pool":"team-a","hastate":"started","lock":"backup","maxmem":2147483648},
	 {"id":"qemu/101","vmid":"101","node":"pve1","type":"qemu","status":"stopped","name":"VM 101","template":"1","uptime":"0"},
	 {"id":"qemu/300","vmid":300,"node":"pve3","type":"qemu","status":"unknown","tags":"k8s;offline","lock":"migrate"},
	 {"id":"lxc/110","node":"pve1","status":"running","name":"ct110"},
	 {"id":"qemu/108","vmid":108,"node":"pve1","type":"qemu","name":12345,"tags":2024,"template":""},
	 {"id":"storage/pve1/local","node":"pve1","type":"storage"},
	 {"id":"qemu/109","vmid":109,"node":"pve1","type":"qemu","status":"paused","name":"VM 108","template":[],"ha":null}
	]`
	vms, bad, err := Guests(decode(t, data))
	if err != nil || bad != nil {
		t.Fatalf("err %v, bad %q", err, bad)
	}
	want := []inventory.VM{
		{VMID: 100, Type: "qemu", Node: "pve1", Status: "running", Name: "web01", Template: boolp(false), UptimeSeconds: 43,
			Tags: []string{"prod", "web"}, Pool: "team-a", HAState: "started", Lock: "backup"},
		{VMID: 101, Type: "qemu", Node: "pve1", Status: "stopped", Template: boolp(true)},
		{VMID: 300, Type: "qemu", Node: "pve3", Status: "unknown", Tags: []string{"k8s", "offline"}, Lock: "migrate"},
		{VMID: 110, Type: "lxc", Node: "pve1", Status: "running", Name: "ct110"},
		{VMID: 108, Type: "qemu", Node: "pve1", Status: "unknown", Name: "12345", Tags: []string{"2024"}, Template: boolp(false)},
		{VMID: 109, Type: "qemu", Node: "pve1", Status: "paused", Name: "VM 108"},
	}
	if !reflect.DeepEqual(vms, want) {
		t.Errorf("got\n%+v\nwant\n%+v", vms, want)
	}
}

// One bad row costs itself and nothing else, and its index is named.
func TestBadGuestRowsAreNamedAndTheOthersKept(t *testing.T) {
	good := `{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu"}`
	for name, c := range map[string]struct{ row, reason string }{
		"not an object":         {`"qemu/101"`, "a string, not an object"},
		"null":                  {`null`, "null, not an object"},
		"no VMID":               {`{"node":"pve1","type":"qemu"}`, "VMID is missing"},
		"VMID of a wrong type":  {`{"vmid":[],"node":"pve1","type":"qemu"}`, "VMID is missing"},
		"VMID out of range":     {`{"vmid":50,"node":"pve1","type":"qemu"}`, "VMID is missing"},
		"fraction":              {`{"vmid":100.5,"node":"pve1","type":"qemu"}`, "VMID is missing"},
		"id and VMID disagree":  {`{"id":"qemu/102","vmid":101,"node":"pve1","type":"qemu"}`, "VMID is 101"},
		"no node":               {`{"vmid":101,"type":"qemu"}`, "no name of a node"},
		"node that is a path":   {`{"vmid":101,"type":"qemu","node":"../../access"}`, "no name of a node"},
		"node of a wrong type":  {`{"vmid":101,"type":"qemu","node":{}}`, "no name of a node"},
		"no type at all":        {`{"vmid":101,"node":"pve1"}`, "no kind of guest"},
		"type unheard of":       {`{"vmid":101,"node":"pve1","type":"bhyve"}`, "no kind of guest"},
		"the same VMID again":   {`{"id":"qemu/100","vmid":100,"node":"pve2","type":"qemu"}`, "listed twice (on pve1 and on pve2)"},
		"VMID beyond int range": {`{"vmid":1e18,"node":"pve1","type":"qemu"}`, "VMID is missing"},
	} {
		vms, bad, err := Guests(decode(t, "["+good+","+c.row+"]"))
		if err != nil || len(vms) != 1 || len(bad) != 1 {
			t.Errorf("%s: %d guests, bad %q, err %v", name, len(vms), bad, err)
			continue
		}
		if !strings.HasPrefix(bad[0], "row 1: ") || !strings.Contains(bad[0], c.reason) {
			t.Errorf("%s: %q does not say %q of row 1", name, bad[0], c.reason)
		}
	}
	for _, whole := range []string{`null`, `{}`, `"x"`, `1`} {
		if _, _, err := Guests(decode(t, whole)); err == nil {
			t.Errorf("%s passes for a guest list", whole)
		}
	}
}
