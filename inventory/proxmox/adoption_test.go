package proxmox

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// runClock is the clock of the runs in these tests; tasks are asked for from a day before.
var runClock = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

func tasksPath(node, start int) string {
	path := fmt.Sprintf("/nodes/pve%d/tasks?limit=500&since=%d&source=all", node, runClock.Unix()-24*60*60)
	if start > 0 {
		path += fmt.Sprintf("&start=%d", start)
	}
	return path
}

func nodePermissions(node int) string {
	return fmt.Sprintf("/access/permissions?path=/nodes/pve%d", node)
}

// upid is a task's identifier; started is seconds after the first that a run reads.
func upid(node, started int, kind, id, user string) string {
	return fmt.Sprintf("UPID:pve%d:0000AB%02X:0009B2FD:%08X:%s:%s:%s:", node, started&255, runClock.Unix()-24*60*60+int64(started), kind, id, user)
}

// ended is a row of a task that has: Proxmox takes the token off the user then.
func ended(node, started int, kind, id, user, status string) string {
	owner, token, isToken := strings.Cut(user, "!")
	row := map[string]any{"upid": upid(node, started, kind, id, user), "type": kind, "id": id, "user": owner,
		"starttime": runClock.Unix(), "endtime": runClock.Unix() - 60, "status": status}
	if isToken {
		row["tokenid"] = token
	}
	return toJSON(row)
}

func stillRunning(node, started int, kind, id, user string) string {
	return toJSON(map[string]any{"upid": upid(node, started, kind, id, user), "type": kind, "id": id, "user": user, "saved": "0", "status": "RUNNING"})
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func page(total int, rows ...string) reply {
	return reply{200, "OK", fmt.Sprintf(`{"total":%d,"data":[%s]}`, total, strings.Join(rows, ",")), ""}
}

const mayAll = `{"/":{"VM.Audit":1,"Sys.Audit":1,"Pool.Audit":1},"/vms":{"VM.Audit":1},"/nodes":{"Sys.Audit":1},"/storage":{"Datastore.Audit":1}}`

// newAdoptionFake is a fake that has what adoption asks for, with every host online.
func newAdoptionFake(t *testing.T) *fake {
	t.Helper()
	f := newFake(t)
	f.extra = 5
	f.set(pathPermissions, data(mayAll))
	f.set(pathStatus, data(`[{"type":"cluster","name":"lab","quorate":1},{"type":"node","name":"pve1","online":1},{"type":"node","name":"pve2","online":1}]`))
	f.set(pathResources, data(`[{"id":"qemu/100","vmid":100,"node":"pve1","type":"qemu","status":"running","name":"web01"},
	 {"id":"qemu/201","vmid":201,"node":"pve2","type":"qemu","status":"running","name":"web02"}]`))
	f.set(pathStorages, data(`[{"storage":"nas","type":"nfs","content":"iso,images","shared":1,"nodes":"pve2,pve1","digest":"d","server":"192.0.2.9"},
	 {"storage":"local","type":"dir","content":"none","disable":1}]`))
	for node := 1; node <= 2; node++ {
		f.set(nodePermissions(node), data(fmt.Sprintf(`{"/nodes/pve%d":{"Sys.Audit":1}}`, node)))
	}
	f.set(tasksPath(1, 0), page(3, stillRunning(1, 30, "qmclone", "9000", "capmox@pve!capi"), ended(1, 20, "qmstart", "100", "root@pam", "OK"),
		ended(1, 10, "vzdump", "", "root@pam", "OK")))
	f.set(tasksPath(2, 0), page(1, ended(2, 5, "qmstop", "201", "capmox@pve!capi", "VM quit/powerdown failed")))
	return f
}

func adopting(c *Config) { c.Adoption, c.Now = true, runClock }

func describeTasks(s *inventory.Snapshot) []string {
	out := make([]string, 0, len(s.Tasks))
	for _, t := range s.Tasks {
		end := "running"
		if t.End != nil {
			end = t.End.Format(time.TimeOnly)
		}
		out = append(out, fmt.Sprintf("%s %s %s %d %s %s %s %q", t.Site, t.Node, t.Type, t.VMID, t.User, t.Start.Format(time.TimeOnly), end, t.Status))
	}
	return out
}

var wantTasks = []string{
	`lab pve2 qmstop 201 capmox@pve!capi 00:00:05 23:59:00 "VM quit/powerdown failed"`,
	`lab pve1 qmstart 100 root@pam 00:00:20 23:59:00 "OK"`,
	`lab pve1 qmclone 9000 capmox@pve!capi 00:00:30 running ""`,
}

func TestAdoption(t *testing.T) {
	f := newAdoptionFake(t)
	s := f.collect(adopting)
	if got := describeTasks(s); !slices.Equal(got, wantTasks) {
		t.Errorf("tasks\n%s", strings.Join(got, "\n"))
	}
	want := []inventory.Storage{{Name: "local", Type: "dir", Disabled: true},
		{Name: "nas", Type: "nfs", Content: []string{"images", "iso"}, Shared: true, Nodes: []string{"pve1", "pve2"}}}
	if got := asJSON(t, s.Sites[0].Storages); got != asJSON(t, want) {
		t.Errorf("storages %s", got)
	}
	for scope, asked := range map[string]int{inventory.ScopeTasks: 2, inventory.ScopeStorages: 2} {
		if c := cover(t, s, scope); c.State != inventory.Complete || c.Asked != asked || c.Got != asked || !c.Optional || c.Remedy != "" {
			t.Errorf("%+v", c)
		}
	}
	if s.Requests[0].Count != 4+2+5 {
		t.Errorf("requests %+v: %q", s.Requests, f.asked())
	}
}

// Whoever does not ask for adoption pays nothing for it, and has nothing of it.
func TestWithoutAdoption(t *testing.T) {
	f := newAdoptionFake(t)
	s := f.collect(nil)
	if s.Requests[0].Count != 4+2 || f.askedFor("/tasks")+f.askedFor("/storage")+f.askedFor("path=") != 0 {
		t.Errorf("asked %q", f.asked())
	}
	if s.Tasks != nil || s.Sites[0].Storages != nil {
		t.Errorf("%+v %+v", s.Tasks, s.Sites[0].Storages)
	}
	for _, scope := range []string{inventory.ScopeTasks, inventory.ScopeStorages} {
		if c := s.CoverageOf("site/lab", scope); c != nil {
			t.Errorf("%+v", c)
		}
	}
}

// Lists that come in pages are read to their end, and each task is taken once, as the later of two rows has it.
func TestTaskPages(t *testing.T) {
	f := newAdoptionFake(t)
	f.extra = 8
	clone := ended(1, 30, "qmclone", "9000", "capmox@pve!capi", "OK")
	f.set(tasksPath(1, 0), page(3, stillRunning(1, 30, "qmclone", "9000", "capmox@pve!capi"), ended(1, 20, "qmstart", "100", "root@pam", "OK")))
	// While the first page was on its way a task began, so that the second repeats a row.
	f.set(tasksPath(1, 2), page(4, clone, ended(1, 15, "qmconfig", "100", "root@pam", "OK")))
	// Without a total a page that is not full is the last.
	f.set(tasksPath(2, 0), data("["+ended(2, 5, "qmstop", "201", "root@pam", "OK")+"]"))
	s := f.collect(adopting)
	got := describeTasks(s)
	if len(got) != 4 || got[3] != `lab pve1 qmclone 9000 capmox@pve!capi 00:00:30 23:59:00 "OK"` {
		t.Errorf("tasks\n%s", strings.Join(got, "\n"))
	}
	want(t, s, inventory.ScopeTasks, inventory.Complete)
}

// A host cannot make a run read for ever.
func TestTaskPagesAreBounded(t *testing.T) {
	f := newAdoptionFake(t)
	f.extra = 5 + maxTaskPages
	for n := range maxTaskPages + 2 {
		f.set(tasksPath(1, n), page(1<<20, ended(1, n, "qmconfig", "100", "root@pam", "OK")))
	}
	s := f.collect(adopting)
	want(t, s, inventory.ScopeTasks, inventory.Partial, "pve1: more than 20 tasks since 2026-01-01T00:00:00Z")
	if len(s.Tasks) != maxTaskPages+1 || f.askedFor("/nodes/pve1/tasks") != maxTaskPages {
		t.Errorf("%d tasks of %d pages", len(s.Tasks), f.askedFor("/nodes/pve1/tasks"))
	}
	f.set(tasksPath(1, 2), page(1<<20))
	want(t, f.forget().collect(adopting), inventory.ScopeTasks, inventory.Partial, "pve1: the list ended after 2 of 1048576 tasks")
}

// Proxmox leaves out the tasks of others without a word; what the token may see decides what the list is worth.
func TestTasksOfOthers(t *testing.T) {
	grant := func(path string) string {
		return "pveum acl modify " + path + " --users 'audit@pve' --roles PVEAuditor"
	}
	const own = "without Sys.Audit on the host (/nodes/NAME) Proxmox shows the token's own tasks only"
	no := []int{2}
	for name, c := range map[string]struct {
		dump reply
		// answer is what the hosts without the privilege say about it; the others say yes.
		answer string
		hosts  []int
		reason string
		remedy string
	}{
		"everywhere":                           {dump: data(mayAll)},
		"nowhere":                              {data(`{"/vms":{"VM.Audit":1}}`), `{}`, []int{1, 2}, "pve1, pve2: " + own, grant("/nodes")},
		"not on one":                           {data(`{"/nodes":{"Sys.Audit":1},"/nodes/pve2":{"Sys.Console":1}}`), `{"Sys.Console":1}`, no, "pve2: " + own, grant("/nodes/pve2")},
		"only on one":                          {data(`{"/nodes/pve1":{"Sys.Audit":0},"/vms":{"VM.Audit":1}}`), `[]`, no, "pve2: " + own, grant("/nodes")},
		"NoAccess on one":                      {data(mayAll), `{}`, no, "pve2: " + own, grant("/nodes/pve2")},
		"the dump is broken":                   {reply{500, "x", "", ""}, `{}`, no, "pve2: " + own, grant("/nodes")},
		"no word about it":                     {data(mayAll), `7`, no, "pve2: " + unsure + "the answer about the permissions there does not tell", ""},
		"passed on from above by another role": {dump: data(`{"/":{"Sys.Audit":1},"/nodes":{"Sys.Audit":0}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newAdoptionFake(t)
			f.set(pathPermissions, c.dump)
			for _, host := range c.hosts {
				f.set(nodePermissions(host), data(fmt.Sprintf(`{"/nodes/pve%d":%s}`, host, c.answer)))
			}
			s := f.collect(adopting)
			cov := cover(t, s, inventory.ScopeTasks)
			state := inventory.Partial
			if c.reason == "" {
				state = inventory.Complete
			}
			if cov.State != state || cov.Reason != c.reason || cov.Asked != 2 || cov.Got != 2 || !cov.Optional {
				t.Errorf("%+v", cov)
			}
			if (c.remedy == "") != (cov.Remedy == "") || !strings.HasPrefix(cov.Remedy, c.remedy) {
				t.Errorf("remedy %q", cov.Remedy)
			}
			if len(s.Tasks) != 3 {
				t.Errorf("what was seen is lost: %+v", s.Tasks)
			}
		})
	}
}

// A list of storages is whole only if the token may see all of them.
func TestStoragesOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		dump   reply
		reason string
		remedy bool
	}{
		"audit":         {dump: data(mayAll)},
		"allocate":      {dump: data(`{"/storage":{"Datastore.AllocateSpace":1}}`)},
		"none":          {data(`{"/vms":{"VM.Audit":1}}`), "/storage: Datastore.Audit is not held", true},
		"not passed on": {data(`{"/storage":{"Datastore.Audit":0}}`), "without propagation, so that it covers no storage", true},
		"a hole":        {data(`{"/storage":{"Datastore.Audit":1},"/storage/nas":{"Datastore.Allocate":1}}`), "/storage/nas: Datastore.Audit is not held", true},
		"no dump":       {reply{500, "x", "", ""}, "its permissions could not be read", false},
	} {
		f := newAdoptionFake(t)
		f.set(pathPermissions, c.dump)
		cov := cover(t, f.collect(adopting), inventory.ScopeStorages)
		if (cov.State == inventory.Complete) != (c.reason == "") || !strings.Contains(cov.Reason, c.reason) || cov.Got != 2 || !cov.Optional {
			t.Errorf("%s: %+v", name, cov)
		}
		if strings.HasPrefix(cov.Remedy, "pveum acl modify /storage --users") != c.remedy {
			t.Errorf("%s: remedy %q", name, cov.Remedy)
		}
	}
}

// Which hosts there are decides too: one that is offline or not known makes the list partial.
func TestTasksOfAllHosts(t *testing.T) {
	f := newAdoptionFake(t)
	f.set(pathStatus, data(`[{"type":"node","name":"pve1","online":1},{"type":"node","name":"pve2","online":1},{"type":"node","name":"pve3","online":0}]`))
	s := f.collect(adopting)
	want(t, s, inventory.ScopeTasks, inventory.Partial, "pve3: offline")
	if c := cover(t, s, inventory.ScopeTasks); c.Asked != 3 || c.Got != 2 || !strings.Contains(c.Remedy, "pvecm delnode pve3") || f.askedFor("/nodes/pve3") != 0 {
		t.Errorf("%+v", c)
	}
	f = newAdoptionFake(t)
	f.set(pathStatus, refused("Permission check failed (/, Sys.Audit)"))
	f.set(pathNodes, reply{500, "x", "", ""})
	s = f.collect(adopting)
	want(t, s, inventory.ScopeTasks, inventory.Partial, "not all hosts of the site are known")
	if !slices.Equal(describeTasks(s)[1:], []string{strings.Replace(wantTasks[1], "lab", "127.0.0.1", 1), strings.Replace(wantTasks[2], "lab", "127.0.0.1", 1)}) {
		t.Errorf("the hosts that guests name were not asked: %+v", s.Tasks)
	}
	f.set(pathResources, data(`[]`))
	want(t, f.forget().collect(adopting), inventory.ScopeTasks, inventory.Failed, "no host of the site is known")
}

// In which order rows, pages and hosts come does not show.
func TestAdoptionOrderNeverMatters(t *testing.T) {
	rows := []string{stillRunning(1, 300, "qmclone", "9000", "a@pve!t")}
	for n := range 40 {
		rows = append(rows, ended(1, n, "qmconfig", fmt.Sprint(100+n%7), "a@pve!t", "OK"))
	}
	rows = append(rows, ended(1, 300, "qmclone", "9000", "a@pve!t", "OK"), rows[5], rows[7]) // ended meanwhile; repeated
	var stores []string
	for n := range 9 {
		stores = append(stores, fmt.Sprintf(`{"storage":"s%d","type":"dir","content":"iso"}`, n))
	}
	first := ""
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rnd.Shuffle(len(stores), func(i, j int) { stores[i], stores[j] = stores[j], stores[i] })
		f := newAdoptionFake(t)
		f.extra = 60
		f.set(pathStorages, data("["+strings.Join(stores, ",")+"]"))
		for start := 0; start < len(rows); {
			next := min(len(rows), start+1+rnd.IntN(15))
			f.set(tasksPath(1, start), page(len(rows), rows[start:next]...))
			start = next
		}
		s := f.collect(adopting)
		s.Sites[0].URL, s.Requests = "", nil
		if got := asJSON(t, s); first == "" {
			first = got
		} else if got != first {
			t.Fatalf("seed %d\n%s\n%s", seed, got, first)
		}
		if len(s.Tasks) != 42 {
			t.Fatalf("%d tasks", len(s.Tasks))
		}
	}
}
