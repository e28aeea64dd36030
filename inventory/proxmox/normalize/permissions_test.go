package normalize

import (
	"encoding/json"
	"strings"
	"testing"
)

func dump(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestVisibility(t *testing.T) {
	for name, c := range map[string]struct {
		data     string
		complete bool
		reason   string
	}{
		"auditor on /":                 {`{"/":{"VM.Audit":1},"/vms":{"VM.Audit":1},"/pool":{"VM.Audit":1}}`, true, ""},
		"flags as strings":             {`{"/vms":{"VM.Audit":"1"}}`, true, ""},
		"only / in the dump":           {`{"/":{"VM.Audit":1}}`, true, ""},
		"only /, not propagated":       {`{"/":{"VM.Audit":0}}`, false, "/vms: VM.Audit is not held"},
		"NoAccess on /vms":             {`{"/":{"VM.Audit":1},"/nodes":{"VM.Audit":1},"/pool":{"VM.Audit":1}}`, false, "/vms: VM.Audit is not held"},
		"not propagated":               {`{"/vms":{"VM.Audit":0}}`, false, "/vms: VM.Audit is held without propagation"},
		"nothing":                      {`{}`, false, "no privilege at all"},
		"nothing, in Perl's way":       {`[]`, false, "no privilege at all"},
		"paths without privileges":     {`{"/":{},"/vms":[]}`, false, "no privilege at all"},
		"another privilege":            {`{"/":{"Sys.Audit":1},"/vms":{"Sys.Audit":1}}`, false, "/vms: VM.Audit is not held"},
		"one VM only":                  {`{"/vms/100":{"VM.Audit":1}}`, false, "/vms: VM.Audit is not held"},
		"one pool only":                {`{"/pool/k8s-a":{"VM.Audit":1,"Pool.Audit":1},"/vms/100":{"VM.Audit":0}}`, false, "/vms: VM.Audit is not held"},
		"hole at a VM":                 {`{"/vms":{"VM.Audit":1},"/vms/105":{"VM.Console":1}}`, false, "/vms/105: VM.Audit is not held"},
		"hole at a VM, empty":          {`{"/vms":{"VM.Audit":1},"/vms/105":{}}`, false, "/vms/105: VM.Audit is not held"},
		"hole at a pool":               {`{"/vms":{"VM.Audit":1},"/pool/x":{"Pool.Audit":1}}`, false, "/pool/x: VM.Audit is not held"},
		"held at a VM, not propagated": {`{"/vms":{"VM.Audit":1},"/vms/105":{"VM.Audit":0}}`, true, ""},
		"another path has no VM.Audit": {`{"/vms":{"VM.Audit":1},"/storage":{"Datastore.Audit":1},"/pool":{"Pool.Audit":1}}`, true, ""},
	} {
		p, err := ParsePermissions(decode(t, c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		vis := p.Visibility()
		if vis.Complete != c.complete || c.complete != (len(vis.Reasons) == 0) ||
			!strings.Contains(strings.Join(vis.Reasons, "; "), c.reason) {
			t.Errorf("%s: complete %v, reasons %q; want %v, %q", name, vis.Complete, vis.Reasons, c.complete, c.reason)
		}
	}
	for _, data := range []string{`null`, `"x"`, `[1]`, `{"/":1}`, `{"/":{"VM.Audit":{}}}`, `{"/":{"VM.Audit":"perhaps"}}`} {
		if _, err := ParsePermissions(decode(t, data)); err == nil {
			t.Errorf("%s passes for permissions", data)
		}
	}
}

func TestMayAuditVM(t *testing.T) {
	for data, want := range map[string]string{
		`{"/vms/105":{"VM.Audit":1}}`:   "true",
		`{"/vms/105":{"VM.Audit":0}}`:   "true",
		`{"/vms/105":{"VM.Console":1}}`: "false",
		`{"/vms/105":{}}`:               "false",
		`{"/vms/105":[]}`:               "false",
		`{"/vms/106":{"VM.Audit":1}}`:   "null",
		`{}`:                            "null",
		`[]`:                            "null",
		`null`:                          "null",
		`{"/vms/105":1}`:                "null",
	} {
		if got := dump(t, MayAuditVM(decode(t, data), 105)); got != want {
			t.Errorf("MayAuditVM(%s) = %s, want %s", data, got, want)
		}
	}
}

func TestTasksHidden(t *testing.T) {
	for data, want := range map[string]string{
		`{"/nodes":{"Sys.Audit":1}}`:                                 `null`,
		`{"/":{"Sys.Audit":1}}`:                                      `null`,
		`{"/":{"Sys.Audit":1},"/vms/100":{"VM.Audit":1}}`:            `null`,
		`{"/nodes":{"Sys.Audit":1},"/nodes/pve1":{"Sys.Audit":0}}`:   `null`,
		`{"/nodes":{"Sys.Audit":1},"/nodes/pve1":{"Sys.Console":1}}`: `["/nodes/pve1: Sys.Audit is not held"]`,
		`{"/nodes":{"Sys.Audit":0}}`:                                 `["/nodes: Sys.Audit is held without propagation, so that it covers no host"]`,
		`{"/":{"Sys.Audit":1},"/vms":{"VM.Audit":1}}`:                `["/nodes: Sys.Audit is not held"]`,
		`{"/":{"Sys.Audit":1},"/nodes":{"VM.Audit":1}}`:              `["/nodes: Sys.Audit is not held"]`,
		`{}`: `["/: the token has no privilege at all (Sys.Audit is needed on /nodes)"]`,
	} {
		perms, err := ParsePermissions(decode(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, perms.TasksHidden()); got != want {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
		if _, all := perms.OnNodes(PrivSysAudit); all != (want == `null` || strings.HasPrefix(want, `["/nodes/`)) {
			t.Errorf("%s: passed on to hosts: %v", data, all)
		}
	}
}

func TestStoragesHidden(t *testing.T) {
	for data, want := range map[string]string{
		`{"/storage":{"Datastore.Audit":1}}`:                                                    `null`,
		`{"/storage":{"Datastore.AllocateSpace":1}}`:                                            `null`,
		`{"/storage":{"Datastore.AllocateSpace":0,"Datastore.Audit":1}}`:                        `null`,
		`{"/":{"Datastore.Audit":1}}`:                                                           `null`,
		`{"/storage":{"Datastore.Audit":1},"/storage/a":{"Datastore.AllocateSpace":0}}`:         `null`,
		`{"/storage":{"Datastore.Audit":1},"/storage/a":{"Datastore.Allocate":1},"/pool/p":{}}`: `["/storage/a: Datastore.Audit is not held"]`,
		`{"/storage":{"Datastore.Audit":0}}`:                                                    `["/storage: Datastore.Audit is held without propagation, so that it covers no storage"]`,
		`{"/vms":{"VM.Audit":1}}`:                                                               `["/storage: Datastore.Audit is not held"]`,
		`{}`:                                                                                    `["/: the token has no privilege at all (Datastore.Audit is needed on /storage)"]`,
	} {
		perms, err := ParsePermissions(decode(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, perms.StoragesHidden()); got != want {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
	}
}

func TestMayAuditNode(t *testing.T) {
	for data, want := range map[string]string{
		`{"/nodes/pve1":{"Sys.Audit":0}}`: "true", `{"/nodes/pve1":{}}`: "false", `{"/nodes/pve2":{"Sys.Audit":1}}`: "null", `7`: "null",
	} {
		if got := dump(t, MayAuditNode(decode(t, data), "pve1")); got != want {
			t.Errorf("MayAuditNode(%s) = %s, want %s", data, got, want)
		}
	}
}
