package proxmox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/inventory"
)

// adoptionFleet has 1,205 tasks of the last day on pve01, three on pve02, and one on each that is too old. The last of
// three hosts is off.
func adoptionFleet(change func(*pvesim.Fleet)) *pvesim.Fleet {
	now := runClock.Unix()
	return bigFleet(3, 30, func(f *pvesim.Fleet) {
		f.Storages = map[string]*pvesim.Storage{
			"local": {Content: []string{"iso", "snippets"}}, "ceph": {Type: "rbd", Shared: true, Content: []string{"images"}},
			"old": {Type: "lvmthin", Disabled: true, Nodes: []string{"pve02", "pve01"}},
		}
		for n := range 1205 {
			f.Tasks = append(f.Tasks, pvesim.Task{Node: "pve01", Type: "qmconfig", ID: fmt.Sprint(1000 + n%30), User: auditor,
				Started: now - int64(n), Ended: now - int64(n) + 3, PID: n + 1})
		}
		f.Tasks = append(f.Tasks,
			pvesim.Task{Node: "pve02", Type: "qmclone", ID: "1001", User: auditor, Started: now - 50, PID: 1},
			pvesim.Task{Node: "pve02", Type: "qmstart", ID: "1004", User: "root@pam", Started: now - 70, Ended: now - 69, Status: "start failed", PID: 2},
			pvesim.Task{Node: "pve02", Type: "aptupdate", User: "root@pam", Started: now - 80, Ended: now - 70, PID: 3},
			pvesim.Task{Node: "pve01", Type: "qmstop", ID: "1000", User: "root@pam", Started: now - 24*60*60 - 1, Ended: now, PID: 9001},
			pvesim.Task{Node: "pve02", Type: "qmstop", ID: "1001", User: "root@pam", Started: now - 24*60*60 - 1, PID: 9002})
		if change != nil {
			change(f)
		}
	})
}

func TestSimulatedAdoption(t *testing.T) {
	s := simulate(t, adoptionFleet(nil))
	without := simCollector(t, s, auditor, nil)
	if snapshot := without.Collect(t.Context()); without.Requests().Count != 20+4 || s.CountPath("/storage") != 0 || len(snapshot.Tasks) != 0 {
		t.Errorf("without: %+v", without.Requests())
	}
	s.ResetRequests()
	c := simCollector(t, s, auditor, adopting)
	snapshot := c.Collect(t.Context())
	// One for the storages, two for each of the two hosts, and two further pages of the first.
	if r := c.Requests(); r.Count != 20+4+1+4+2 || r.Retries != 0 || s.CountPath("/nodes/pve03/") != 0 {
		t.Errorf("requests %+v", r)
	}
	want(t, snapshot, inventory.ScopeTasks, inventory.Partial, "pve03: offline")
	want(t, snapshot, inventory.ScopeStorages, inventory.Complete)
	if len(snapshot.Tasks) != 1205+2 {
		t.Fatalf("%d tasks", len(snapshot.Tasks))
	}
	byType := map[string]inventory.Task{}
	for _, task := range snapshot.Tasks {
		if task.Site != "big" || task.VMID < 1000 || task.Start.Before(runClock.Add(-24*time.Hour)) {
			t.Fatalf("%+v", task)
		}
		byType[task.Type] = task
	}
	if clone := byType["qmclone"]; clone.User != auditor || clone.End != nil || clone.Status != "" || clone.VMID != 1001 || clone.Node != "pve02" {
		t.Errorf("%+v", clone)
	}
	if config := byType["qmconfig"]; config.User != auditor || config.End == nil || config.Status != "OK" {
		t.Errorf("%+v", config)
	}
	if start := byType["qmstart"]; start.User != "root@pam" || start.Status != "start failed" || !start.End.Equal(runClock.Add(-69*time.Second)) {
		t.Errorf("%+v", start)
	}
	stores := []inventory.Storage{{Name: "ceph", Type: "rbd", Shared: true, Content: []string{"images"}},
		{Name: "local", Type: "dir", Content: []string{"iso", "snippets"}},
		{Name: "old", Type: "lvmthin", Disabled: true, Content: []string{"images", "rootdir"}, Nodes: []string{"pve01", "pve02"}}}
	if got := asJSON(t, snapshot.Sites[0].Storages); got != asJSON(t, stores) {
		t.Errorf("storages %s", got)
	}
	readOnly(t, s, 20)
}

// What a token may see decides what its lists are worth, also where the dump of its permissions has no word about it.
func TestSimulatedAdoptionOfTokens(t *testing.T) {
	const vmOnly = "vm@pve!tok"
	no := false
	for name, c := range map[string]struct {
		token  string
		acl    []pvesim.ACL
		reason string
		tasks  int
	}{
		"sees all": {token: auditor, tasks: 1207},
		"NoAccess on a host": {token: auditor, acl: []pvesim.ACL{{Path: "/nodes/pve02", To: auditor, Role: "NoAccess"}},
			reason: "pve02: without Sys.Audit", tasks: 1206},
		"another role on a host": {token: auditor, acl: []pvesim.ACL{{Path: "/nodes/pve01", To: auditor, Role: "PVEVMUser"}},
			reason: "pve01: without Sys.Audit", tasks: 1207},
		"a role that is not passed on, below one that is": {token: auditor, acl: []pvesim.ACL{{Path: "/nodes", To: auditor, Role: "PVEAuditor", Propagate: &no}},
			tasks: 1207},
		"VM.Audit alone": {token: vmOnly, reason: "pve01, pve02: without Sys.Audit", tasks: 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := simulate(t, adoptionFleet(func(f *pvesim.Fleet) {
				f.Roles = map[string][]string{"OnlyVMs": {"VM.Audit"}}
				f.Tokens = map[string]*pvesim.Token{auditor: {Role: "PVEAuditor"}, vmOnly: {Role: "OnlyVMs"}}
				f.ACL = c.acl
			}))
			snapshot := simCollector(t, s, c.token, adopting).Collect(t.Context())
			cov := cover(t, snapshot, inventory.ScopeTasks)
			if cov.State != inventory.Partial || !strings.Contains(cov.Reason, c.reason) || !strings.Contains(cov.Reason, "pve03: offline") {
				t.Errorf("%+v", cov)
			}
			if strings.Contains(cov.Reason, "Sys.Audit") != (c.reason != "") || len(snapshot.Tasks) != c.tasks {
				t.Errorf("%d tasks, %+v", len(snapshot.Tasks), cov)
			}
			stores := cover(t, snapshot, inventory.ScopeStorages)
			if hidden := c.token == vmOnly; (stores.State == inventory.Complete) == hidden || (len(snapshot.Sites[0].Storages) == 0) != hidden {
				t.Errorf("%+v %+v", stores, snapshot.Sites[0].Storages)
			}
		})
	}
}

func TestSimulatedFaultsOfAdoption(t *testing.T) {
	second := pvesim.Match{Path: "/nodes/pve01/tasks"}
	for name, c := range map[string]struct {
		match  pvesim.Match
		fault  pvesim.Fault
		reason string
		tasks  int
	}{
		"page 2 fails":     {second, pvesim.Fault{Status: 500, Reason: "got timeout", Skip: 1}, "pve01: broken off after 500 tasks: 500 got timeout", 502},
		"page 3 is cut":    {second, pvesim.Fault{MalformedJSON: true, Skip: 2}, "pve01: broken off after 1000 tasks: ", 1002},
		"596 once":         {second, pvesim.Fault{Status: 596, Reason: "Connection timed out", Skip: 1, Times: 1}, "", 1207},
		"596 twice":        {second, pvesim.Fault{Status: 596, Reason: "Connection timed out"}, "pve01: 596 Connection timed out", 2},
		"reset":            {second, pvesim.Fault{Reset: true}, "pve01: ", 2},
		"permission fails": {pvesim.Match{Path: "/access/permissions"}, pvesim.Fault{Status: 500, Reason: "x", Skip: 1}, unsure + "500 x", 1207},
	} {
		t.Run(name, func(t *testing.T) {
			s := simulate(t, adoptionFleet(nil))
			s.Fail(c.match, c.fault)
			snapshot := simCollector(t, s, auditor, adopting).Collect(t.Context())
			want(t, snapshot, inventory.ScopeTasks, inventory.Partial, c.reason, "pve03: offline")
			want(t, snapshot, inventory.ScopeStorages, inventory.Complete)
			want(t, snapshot, inventory.ConfigScope("pve01"), inventory.Complete)
			if len(snapshot.Tasks) != c.tasks {
				t.Errorf("%d tasks", len(snapshot.Tasks))
			}
		})
	}
}
