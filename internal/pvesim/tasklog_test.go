package pvesim

import (
	"fmt"
	"testing"
)

func TestTaskLog(t *testing.T) {
	s := startWritable(t)
	upids := []any{}
	for _, form := range []string{"newid=500", "newid=200"} {
		_, upid := send(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/900/clone", form)
		upids = append(upids, upid)
	}
	lines := func(query string) []any {
		t.Helper()
		st, data := get(t, s, "/nodes/pve1/tasks/"+query)
		list, ok := data.([]any)
		if !ok {
			t.Fatalf("%s: %s: %v", query, st, data)
		}
		return list
	}
	last := func(list []any) string { return fmt.Sprint(list[len(list)-1]) }
	all := lines(fmt.Sprint(upids[0], "/log"))
	if len(all) != 3 || fmt.Sprint(all[0]) != "map[n:1 t:creating a clone of VM 900 with ID 500]" || last(all) != "map[n:3 t:TASK OK]" {
		t.Errorf("got %v", all)
	}
	if part := lines(fmt.Sprint(upids[0], "/log?start=1&limit=1")); len(part) != 1 || fmt.Sprint(part[0].(map[string]any)["n"]) != "2" {
		t.Errorf("a part: %v", part)
	}
	if got := last(lines(fmt.Sprint(upids[1], "/log"))); got != "map[n:2 t:TASK ERROR: close (rename) atomic file '/etc/pve/nodes/pve1/qemu-server/200.conf' failed: File exists]" {
		t.Errorf("one that failed: %s", got)
	}
	if err := s.Update(func(f *Fleet) { f.Tasks = []Task{{Node: "pve1", Type: "vzdump", Started: 1}} }); err != nil {
		t.Fatal(err)
	}
	running := s.fleetNow().Tasks[0].upid()
	if got := last(lines(running + "/log")); got != "map[n:1 t:no content]" {
		t.Errorf("one that runs: %s", got)
	}
	if st, _ := getAs(t, s, "none@pve!tok", "/nodes/pve1/tasks/"+running+"/log"); st != "Forbidden: Permission check failed (/nodes/pve1, Sys.Audit)" {
		t.Errorf("another's: %s", st)
	}
	if st, _ := get(t, s, "/nodes/pve1/tasks/UPID:x/log"); st != "Bad Request: Parameter verification failed." {
		t.Errorf("nonsense: %s", st)
	}
}
