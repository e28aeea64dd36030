package normalize

import (
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

const upidClone = "UPID:pve1:000045CF:0009CB7C:6B0FCBAE:qmclone:113:root@pam!full:"

func TestTask(t *testing.T) {
	start := time.Unix(0x6B0FCBAE, 0).UTC()
	end := start.Add(time.Minute)
	clone := inventory.Task{Node: "pve1", UPID: upidClone, Type: "qmclone", VMID: 113, User: "root@pam!full", Start: start}
	with := func(end *time.Time, status string) inventory.Task {
		c := clone
		c.End, c.Status = end, status
		return c
	}
	row := func(rest string) string { return `[{"upid":"` + upidClone + `"` + rest + `}]` }
	for name, c := range map[string]struct {
		rows string
		want inventory.Task
	}{
		"archived: token split off": {row(`,"user":"root@pam","tokenid":"full","id":"113","starttime":1796197294,"endtime":1796197354,"status":"OK"`), with(&end, "OK")},
		"active: token still on":    {row(`,"user":"root@pam!full","status":"RUNNING","saved":"0"`), with(nil, "")},
		"error":                     {row(`,"endtime":"1796197354","status":"clone failed: no space"`), with(&end, "clone failed: no space")},
		"ended unseen":              {row(`,"endtime":1796197354`), with(&end, "unknown")},
		"ended, and not noted yet":  {row(`,"status":"OK"`), with(nil, "OK")},
		"nulls":                     {row(`,"endtime":null,"status":null,"tokenid":null,"user":null`), clone},
	} {
		got, rows, bad, err := Tasks(decode(t, c.rows))
		if err != nil || bad != nil || rows != 1 || len(got) != 1 || dump(t, got[0]) != dump(t, c.want) {
			t.Errorf("%s: %+v, %d rows, %q, %v", name, got, rows, bad, err)
		}
	}
}

// Only tasks of guests are kept, and of which guest is known from a number alone.
func TestTasksOfGuests(t *testing.T) {
	for id, vmid := range map[string]int{"113": 113, "999999999": 999999999, "": 0, "99": 0, "0113": 0, "1e3": 0, "-113": 0, "+113": 0,
		"113@local": 0, "sdb": 0, "99999999999": 0} {
		got, rows, bad, err := Tasks(decode(t, `[{"upid":"`+strings.Replace(upidClone, "113", id, 1)+`"}]`))
		if err != nil || bad != nil || rows != 1 || (len(got) == 1) != (vmid != 0) || vmid != 0 && got[0].VMID != vmid {
			t.Errorf("%q: %+v, %d, %q, %v", id, got, rows, bad, err)
		}
	}
}

func TestTasksThatAreNone(t *testing.T) {
	for rows, problem := range map[string]string{
		`[7]`:          "row 0: it is a number, not an object",
		`[{}]`:         `row 0: "" is no UPID`,
		`[{"upid":7}]`: `row 0: "" is no UPID`,
		`[{"upid":"` + upidClone + `","user":"root@pam"}]`:                   `row 0: it is of "root@pam", and its UPID of "root@pam!full"`,
		`[{"upid":"` + upidClone + `","user":"eve@pve","tokenid":"full"}]`:   `row 0: it is of "eve@pve!full"`,
		`[{"upid":"` + upidClone + `","endtime":"soon"}]`:                    "row 0: its endtime is a string that is no time",
		`[{"upid":"` + upidClone + `","endtime":-1}]`:                        "row 0: its endtime is a number that is no time",
		`[{"upid":"` + upidClone + `","endtime":1e15}]`:                      "row 0: its endtime is a number that is no time",
		`[{"upid":"UPID:../x:000045CF:0009CB7C:6B0FCBAE:qmclone:113:a@b:"}]`: "is no UPID",
		`[{"upid":"UPID:pve1:000045CF:0009CB7C:6B0FCBAE:qmclone:113:a@b"}]`:  "is no UPID",
		`[{"upid":"UPID:pve1:000045CF:0009CB7C:xyzw6B0F:qmclone:113:a@b:"}]`: "is no UPID",
		`[{"upid":"` + upidClone + `\n"}]`:                                   "is no UPID",
	} {
		got, n, bad, err := Tasks(decode(t, rows))
		if err != nil || len(got) != 0 || n != 1 || len(bad) != 1 || !strings.Contains(bad[0], problem) {
			t.Errorf("%s: %+v, %d, %q, %v", rows, got, n, bad, err)
		}
	}
	for _, data := range []string{`{}`, `null`, `"x"`, `7`} {
		if _, _, _, err := Tasks(decode(t, data)); err == nil {
			t.Errorf("%s is taken for a list", data)
		}
	}
}

func TestTotal(t *testing.T) {
	for data, want := range map[string]int{`0`: 0, `1205`: 1205, `"7"`: 7, `null`: -1, `-1`: -1, `1.5`: -1, `[]`: -1, `1e15`: -1} {
		if got := Total(decode(t, data)); got != want {
			t.Errorf("Total(%s) = %d, want %d", data, got, want)
		}
	}
}

func FuzzTasks(f *testing.F) {
	f.Add([]byte(`[{"upid":"` + upidClone + `","user":"root@pam","tokenid":"full","endtime":1796197354,"status":"OK"}]`))
	f.Add([]byte(`[{"upid":"UPID:pve1:00004532:0009B2FD0:FFFFFFFF:vzdump::root@pam:","status":"RUNNING"},7,null]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		data, ok := fuzzed(body)
		if !ok {
			return
		}
		tasks, rows, bad, err := Tasks(data)
		if err != nil {
			return
		}
		if len(tasks)+len(bad) > rows {
			t.Errorf("%d tasks and %d bad rows of %d", len(tasks), len(bad), rows)
		}
		for _, task := range tasks {
			if !inventory.ValidVMID(task.VMID) || task.Node == "" || task.Type == "" || task.User == "" || task.Start.Year() < 1970 ||
				task.Start.Year() > 2106 || !strings.HasPrefix(task.UPID, "UPID:"+task.Node+":") || task.End != nil && task.Status == "" {
				t.Errorf("%+v", task)
			}
			dump(t, task) // a time that JSON has no form for would end a run
		}
	})
}
