package e2e

import (
	"strings"
	"testing"
	"time"
)

// accusing are the classes that say that something is gone, left over or wrong: what a source that does not answer must
// never lead to.
var accusing = []string{"orphan-vm", "ghost-machine", "ghost-node", "non-node", "detached-infra", "foreign-node", "conflict", "mismatched"}

// TestWorkloadServerDown: the Nodes of lab cannot be read, so no VM of lab is an orphan for want of a Node.
func TestWorkloadServerDown(t *testing.T) {
	w := newWorld(t)
	before := parse(t, run(t, w, "orphans", "--all", "-o", "json", "--now", now))
	server := w.bench.Server(lab)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context is over by now.
		if err := server.Start(w.ctx); err != nil {
			t.Errorf("bring lab back: %v", err)
		}
	})
	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 3)
	sameAsGolden(t, "orphans-lab-down.json", o.stdout)
	r := parse(t, o)
	noNewAccusation(t, before, r)
	for _, id := range []string{"vm/dc1/201", "vm/dc1/203", "vm/dc1/204"} {
		if got := r.of(id); got != "unknown" {
			t.Errorf("%s is %q although nobody could ask lab for its Nodes", id, got)
		}
	}
	missing(t, r, "cluster/lab")
}

// TestProxmoxNodeOffline: pve2 is off. Its guests exist and are unverifiable; the rest of the report stands.
func TestProxmoxNodeOffline(t *testing.T) {
	w := newWorld(t)
	before := parse(t, run(t, w, "orphans", "--all", "-o", "json", "--now", now))
	w.site("dc1").offline(t, "pve2", 10*time.Minute)
	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 3)
	sameAsGolden(t, "orphans-pve2-offline.json", o.stdout)
	r := parse(t, o)
	noNewAccusation(t, before, r)
	if got := r.of("vm/dc1/204"); got != "unknown" {
		t.Errorf("vm/dc1/204 is %q although its host is off", got)
	}
	// VM 119 is a copy that carries the UUID of VM 118, and 118 cannot be read: a copy must not pass for the original.
	if got := r.of("machine/prod/prod-md-0-jjjjj"); got != "unknown" {
		t.Errorf("machine/prod/prod-md-0-jjjjj is %q although the VM with its VMID cannot be read", got)
	}
	if got := r.of("vm/dc1/140"); got != "orphan-vm" {
		t.Errorf("vm/dc1/140 is %q: it lies on another host", got)
	}
	missing(t, r, "site/dc1")
}

// TestHiddenVM: the token may not see a VM that a Node points at. Proxmox lists the others without a word.
func TestHiddenVM(t *testing.T) {
	w := newWorld(t)
	before := parse(t, run(t, w, "orphans", "--all", "-o", "json", "--now", now))
	w.site("dc1").hide(t, 201)
	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 3)
	r := parse(t, o)
	noNewAccusation(t, before, r)
	if got := r.of("node/lab/lab-w-1"); got != "unknown" {
		t.Errorf("node/lab/lab-w-1 is %q although its VM exists, hidden", got)
	}
}

// TestManagementForbidden: a user whom the management cluster tells nothing. Nothing is undeclared for that reason.
func TestManagementForbidden(t *testing.T) {
	w := newWorld(t)
	before := parse(t, run(t, w, "orphans", "--all", "-o", "json", "--now", now))
	w.writeKubeconfig(t, management, "nobody")
	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 3)
	r := parse(t, o)
	noNewAccusation(t, before, r)
	missing(t, r, "management")
	if !strings.Contains(string(o.stdout), `"refused"`) {
		t.Errorf("no coverage entry says that the management cluster refused")
	}
}

// noNewAccusation: with a source less, a verdict may become unknown, and never a worse one.
func noNewAccusation(t *testing.T, before, after report) {
	t.Helper()
	for _, f := range after.Findings {
		for _, class := range accusing {
			if f.Class == class && before.of(f.Subject.ID) != class {
				t.Errorf("%s is %s with a source less, and was %q with all of them", f.Subject.ID, class, before.of(f.Subject.ID))
			}
		}
	}
}

// missing: the report says itself that it is incomplete, and names the source.
func missing(t *testing.T, r report, source string) {
	t.Helper()
	if !r.Summary.Incomplete {
		t.Error("the report calls itself complete")
	}
	for _, c := range r.Coverage {
		if c.Source == source && c.State != "complete" && c.State != "absent" && c.Reason != "" {
			return
		}
	}
	t.Errorf("no coverage entry says what is missing of %s: %+v", source, r.Coverage)
}
