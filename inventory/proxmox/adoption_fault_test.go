package proxmox

import (
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Whatever goes wrong with what adoption asks for: it is noted, everything else is there, and no verdict of who is who
// suffers.
func TestEveryFaultOfAdoption(t *testing.T) {
	for path, scope := range map[string]string{
		pathStorages:       inventory.ScopeStorages,
		tasksPath(2, 0):    inventory.ScopeTasks,
		tasksPath(1, 2):    inventory.ScopeTasks,
		nodePermissions(2): inventory.ScopeTasks,
	} {
		for name, fault := range faults {
			t.Run(path+" "+name, func(t *testing.T) {
				f := newAdoptionFake(t)
				f.extra = 6
				if path == tasksPath(1, 2) {
					f.set(tasksPath(1, 0), page(9, ended(1, 1, "qmstart", "100", "root@pam", "OK"), ended(1, 2, "qmstop", "100", "root@pam", "OK")))
				}
				f.set(path, fault)
				s := f.collect(adopting)
				c := cover(t, s, scope)
				if c.State == inventory.Complete || c.State == inventory.Absent || c.Reason == "" || !c.Optional {
					t.Errorf("%+v", c)
				}
				if n := len(s.Incomplete()); n != 0 {
					t.Errorf("incomplete: %+v", s.Incomplete())
				}
				for _, whole := range []string{inventory.ScopeGuests, inventory.ConfigScope("pve1"), inventory.ConfigScope("pve2")} {
					want(t, s, whole, inventory.Complete)
				}
				if scope != inventory.ScopeTasks {
					want(t, s, inventory.ScopeTasks, inventory.Complete)
					return
				}
				want(t, s, inventory.ScopeStorages, inventory.Complete)
				if path != tasksPath(1, 2) && name == "401" {
					return // the other host may be one that was not asked any more
				}
				host := "pve2: "
				if path == tasksPath(1, 2) {
					host = "pve1: "
				}
				want(t, s, scope, inventory.Partial, host)
				if len(s.Tasks) < 2 {
					t.Errorf("what was read is lost: %+v", s.Tasks)
				}
			})
		}
	}
}

// What the remedy of a fault is depends on the fault, and a list that broke off says how far it came.
func TestFaultsOfTasksSayWhatToDo(t *testing.T) {
	f := newAdoptionFake(t)
	f.extra = 6
	f.set(tasksPath(1, 0), page(9, ended(1, 1, "qmstart", "100", "root@pam", "OK")))
	f.set(tasksPath(1, 1), reply{596, "Connection timed out", "", ""})
	f.set(tasksPath(2, 0), refused("Permission check failed (/nodes/pve2, Sys.Audit)"))
	s := f.collect(adopting)
	c := cover(t, s, inventory.ScopeTasks)
	if c.Reason != "pve1: broken off after 1 tasks: 596 Connection timed out; pve2: 403 Permission check failed (/nodes/pve2, Sys.Audit)" ||
		c.State != inventory.Partial || c.Got != 0 || c.Failed != 2 {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{"on node pve1: systemctl status pveproxy", "pveum acl modify / --users 'audit@pve' --roles PVEAuditor"} {
		if !strings.Contains(c.Remedy, text) {
			t.Errorf("remedy %q lacks %q", c.Remedy, text)
		}
	}
	f.set(tasksPath(1, 0), refused("Permission check failed (/nodes/pve1, Sys.Audit)"))
	want(t, f.forget().collect(adopting), inventory.ScopeTasks, inventory.Refused, "pve1: 403", "pve2: 403")
	f.set(tasksPath(1, 0), reply{595, "No route to host", "", ""})
	want(t, f.forget().collect(adopting), inventory.ScopeTasks, inventory.Failed, "pve1: 595 No route to host")
	f = newAdoptionFake(t)
	f.set(pathStorages, refused("Permission check failed"))
	want(t, f.collect(adopting), inventory.ScopeStorages, inventory.Refused, "GET /storage: 403")
}

// A host that takes the question and never answers costs one timeout, and its own list alone.
func TestTasksThatNeverCome(t *testing.T) {
	f := newAdoptionFake(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	f.setFunc(tasksPath(2, 0), func(int) reply { <-release; return page(0) })
	s := f.collect(func(c *Config) {
		adopting(c)
		c.Timeout = 300 * time.Millisecond
	})
	want(t, s, inventory.ScopeTasks, inventory.Partial, "pve2: no answer within")
	if len(s.Tasks) != 2 || f.askedFor("/nodes/pve2/tasks") != 1 {
		t.Errorf("%+v", s.Tasks)
	}
}

// A site that gives no answer, or refuses the token, is not asked on.
func TestAdoptionOfASiteThatDoesNotAnswer(t *testing.T) {
	f := newAdoptionFake(t)
	f.set(pathVersion, reply{401, "No ticket", "", ""})
	s := f.collect(adopting)
	for _, scope := range []string{inventory.ScopeTasks, inventory.ScopeStorages} {
		want(t, s, scope, inventory.Refused, "not asked, after GET /version: 401")
		if c := cover(t, s, scope); !c.Optional || c.Remedy == "" {
			t.Errorf("%+v", c)
		}
	}
	if n := f.askedFor("/"); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// Once the token is refused, hosts that have not been asked are not asked any more: each refusal takes three seconds.
func TestTokenThatExpiresBeforeTheTasks(t *testing.T) {
	f := newAdoptionFake(t)
	for node := 1; node <= 2; node++ {
		f.set(tasksPath(node, 0), reply{401, "Authentication failed!", "", ""})
	}
	s := f.collect(adopting)
	want(t, s, inventory.ScopeTasks, inventory.Refused, "401")
	if c := cover(t, s, inventory.ScopeTasks); !strings.Contains(c.Remedy, "pveum user token list") || f.askedFor("path=") != 0 {
		t.Errorf("%+v, asked %q", c, f.asked())
	}
}

func TestDoctorOfAdoption(t *testing.T) {
	for name, c := range map[string]struct {
		dump           string
		tasks, storage inventory.CheckStatus
	}{
		"all":              {mayAll, inventory.CheckOK, inventory.CheckOK},
		"none":             {`{"/vms":{"VM.Audit":1}}`, inventory.CheckWarning, inventory.CheckWarning},
		"hole on a host":   {`{"/nodes":{"Sys.Audit":1},"/nodes/pve2":{"Sys.Console":1},"/storage":{"Datastore.AllocateSpace":1}}`, inventory.CheckWarning, inventory.CheckOK},
		"not passed on":    {`{"/nodes":{"Sys.Audit":0},"/storage":{"Datastore.Audit":0}}`, inventory.CheckWarning, inventory.CheckWarning},
		"from above alone": {`{"/":{"Sys.Audit":1,"Datastore.Audit":1}}`, inventory.CheckOK, inventory.CheckOK},
	} {
		f := newAdoptionFake(t)
		f.set(pathPermissions, data(c.dump))
		checks := doctorOf(t, f, adopting)
		for what, status := range map[string]inventory.CheckStatus{"Sys.Audit on /nodes": c.tasks, "Datastore.Audit on /storage": c.storage} {
			got := check(t, checks, "permission "+what)
			_, path, _ := strings.Cut(what, " on ")
			if got.Status != status || (status != inventory.CheckOK) != strings.HasPrefix(got.Remedy, "pveum acl modify "+path+" --users") {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}
