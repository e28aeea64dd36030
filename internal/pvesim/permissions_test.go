package pvesim

import (
	"testing"
	"time"
)

func compileForTest(t *testing.T, f *Fleet) *fleetState {
	t.Helper()
	st, err := compile(f.clone(), time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC), nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func recordedFleet(t *testing.T, version string) *Fleet {
	t.Helper()
	f, err := LoadFleet("testdata/fleet.yaml", "testdata/overlay.yaml", "testdata/overlay-"+version+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPermissions walks the subjects of the recorded fleet's user.cfg.
func TestPermissions(t *testing.T) {
	p := compileForTest(t, recordedFleet(t, "pve8")).perms
	const (
		none = iota
		here // held on this path alone
		down // held and propagating
	)
	for _, tc := range []struct {
		why, id, path, priv string
		want                int
	}{
		{"a token without privilege separation has its user's rights", "root@pam!full", "/vms/100", "VM.Allocate", down},
		{"a separated token without an entry has none, even root's", "root@pam!sep", "/", "VM.Audit", none},
		{"a separated token's own role", "audit@pve!ro", "/vms/100", "VM.Audit", down},
		{"nothing beyond that role, though its user has more", "audit@pve!ro", "/", "Sys.Audit", none},
		{"no entry", "audit@pve!noacl", "/vms", "VM.Audit", none},
		{"a separated token never has more than its user", "audit@pve!big", "/vms/100", "VM.Allocate", none},
		{"but what both have", "audit@pve!big", "/vms/100", "VM.Audit", down},
		{"NoAccess on a guest", "noaccess@pve!tk", "/vms/203", "VM.Audit", none},
		{"and only there", "noaccess@pve!tk", "/vms/202", "VM.Audit", down},
		{"NoAccess on a pool hides its members", "poolna@pve!tk", "/vms/200", "VM.Audit", none},
		{"while /vms still shows the right", "poolna@pve!tk", "/vms", "VM.Audit", down},
		{"a role without propagation holds on its path", "noprop@pve!tk", "/vms", "VM.Audit", here},
		{"and not below", "noprop@pve!tk", "/vms/100", "VM.Audit", none},
		{"a user's entry goes before the group's", "grp@pve!tk", "/vms/100", "VM.Audit", none},
		{"the group's role elsewhere", "grp@pve!tk", "/vms/101", "VM.Audit", down},
		{"a role on a pool reaches its guests, not further", "subp@pve!tk", "/vms/100", "VM.Audit", here},
		{"and the nested pool", "subp@pve!tk", "/pool/team-a/sub", "Pool.Audit", down},
		{"and the guests of that", "subp@pve!tk", "/vms/201", "VM.Audit", here},
		{"but no other guest", "subp@pve!tk", "/vms/200", "VM.Audit", none},
		{"one guest", "vmonly@pve!tk", "/vms/100", "VM.Audit", down},
		{"no other", "vmonly@pve!tk", "/vms/101", "VM.Audit", none},
		{"a guest that does not exist inherits", "audit@pve!ro", "/vms/999", "VM.Audit", down},
		{"a path without its slash is another path", "audit@pve!ro", "vms", "VM.Audit", none},
		{"a token that does not exist", "audit@pve!nope", "/", "VM.Audit", none},
		{"something that is no user", "rubbish", "/", "VM.Audit", none},
		{"root has everything", "root@pam", "/nonsense", "Permissions.Modify", down},
	} {
		got := none
		if propagate, ok := p.on(tc.id, tc.path)[tc.priv]; ok {
			got = here
			if propagate {
				got = down
			}
		}
		if got != tc.want {
			t.Errorf("%s: %s on %s as %s: got %d, want %d", tc.why, tc.priv, tc.path, tc.id, got, tc.want)
		}
	}
}

// TestDumpLeavesGapsOut: a hole is not listed as lacking, it is not listed.
func TestDumpLeavesGapsOut(t *testing.T) {
	p := compileForTest(t, recordedFleet(t, "pve9")).perms
	dump := p.dump("noaccess@pve!tk")
	if _, ok := dump["/vms/203"]; ok {
		t.Error("the dump lists the guest that the user may not see")
	}
	if len(dump["/vms"]) == 0 || len(dump["/vms/100"]) == 0 {
		t.Errorf("the dump lacks what the user may see: %v", dump)
	}
	if len(p.dump("root@pam!sep")) != 0 {
		t.Error("a separated token without an entry has an empty dump")
	}
}

// TestMostSpecificReplaces: a deeper entry takes the place of what came before,
// it does not add to it.
func TestMostSpecificReplaces(t *testing.T) {
	p := compileForTest(t, &Fleet{
		Tokens: map[string]*Token{"a@pve!token": {Role: "PVEAuditor"}},
		ACL:    []ACL{{Path: "/vms/100", To: "a@pve!token", Role: "PVETemplateUser"}, {Path: "/vms/100", To: "a@pve", Role: "PVEVMAdmin"}},
	}).perms
	got := p.on("a@pve!token", "/vms/100")
	if len(got) != 2 || !p.has("a@pve!token", "/vms/100", "VM.Clone") || p.has("a@pve!token", "/vms/100", "Sys.Audit") {
		t.Errorf("on /vms/100 the token holds %v, want VM.Audit and VM.Clone of its own entry alone", got)
	}
	if !p.has("a@pve!token", "/vms/101", "Sys.Audit") {
		t.Error("elsewhere the role from / holds")
	}
}

func TestBuiltinRoles(t *testing.T) {
	for _, tc := range []struct {
		version, role, priv string
		want                bool
	}{
		{"7", "PVEAuditor", "VM.Audit", true},
		{"7", "PVEAuditor", "Mapping.Audit", false},
		{"7", "PVEAdmin", "Permissions.Modify", true},
		{"8", "PVEAdmin", "Permissions.Modify", false},
		{"8", "PVEAuditor", "Mapping.Audit", true},
		{"8", "PVEAuditor", "VM.Monitor", false},
		{"8", "PVEVMAdmin", "VM.Monitor", true},
		{"9", "PVEVMAdmin", "VM.Monitor", false},
		{"9", "Administrator", "VM.Monitor", false},
		{"9", "PVEAuditor", "VM.GuestAgent.Audit", true},
		{"9", "PVEAuditor", "VM.GuestAgent.Unrestricted", false},
		{"9", "PVEVMUser", "VM.GuestAgent.FileRead", true},
	} {
		r, err := parseRelease(tc.version, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := builtinRoles(r)[tc.role][tc.priv]; got != tc.want {
			t.Errorf("version %s: %s in %s: got %v, want %v", tc.version, tc.priv, tc.role, got, tc.want)
		}
	}
}
