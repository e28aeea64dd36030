package normalize

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// upidForm is UPID:NODE:PID:PSTART:STARTTIME:TYPE:ID:USER: with hexadecimal numbers (pve-common PVE/UPID.pm, before
// PVE/Tools.pm, upid_decode). The ID may be empty.
var upidForm = regexp.MustCompile(`^UPID:([a-zA-Z0-9](?:[a-zA-Z0-9\-]*[a-zA-Z0-9])?):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:([0-9A-Fa-f]{8}):([^:\s]+):([^:\s]*):([^:\s]+):$`)

// Tasks reads the rows of nodes/NODE/tasks?source=all and keeps the tasks of guests: those whose ID is a VMID. A backup of
// several guests, an upgrade or a login to a host have none. A qmclone has the VMID of its source: that of the new guest is
// in the task's log alone. A row that cannot be read is described in bad, with its index; rows counts all of them. The
// tasks are in the order in which they came.
func Tasks(data any) (tasks []inventory.Task, rows int, bad []string, err error) {
	list, ok := data.([]any)
	if !ok {
		return nil, 0, nil, fmt.Errorf("the task list is %s, not a list", kind(data))
	}
	for i, row := range list {
		t, err := task(row)
		if err != nil {
			bad = append(bad, fmt.Sprintf("row %d: %v", i, err))
		} else if t.VMID != 0 {
			tasks = append(tasks, t)
		}
	}
	return tasks, len(list), bad, nil
}

// task reads one row. What the UPID says is taken from there: in it the user is whole, while a row has the token split off
// the user once the task is in the archive, and not while it runs (pve-manager PVE/API2/Tasks.pm, node_tasks).
func task(row any) (inventory.Task, error) {
	m, ok := row.(map[string]any)
	if !ok {
		return inventory.Task{}, fmt.Errorf("it is %s, not an object", kind(row))
	}
	upid, _ := m["upid"].(string)
	parts := upidForm.FindStringSubmatch(upid)
	if parts == nil {
		return inventory.Task{}, fmt.Errorf("%q is no UPID", upid)
	}
	t := inventory.Task{UPID: upid, Node: parts[1], Type: parts[3], User: parts[5]}
	if user := rowUser(m); user != "" && user != t.User {
		return inventory.Task{}, fmt.Errorf("it is of %q, and its UPID of %q", user, t.User)
	}
	start, err := strconv.ParseInt(parts[2], 16, 64)
	if err != nil {
		return inventory.Task{}, fmt.Errorf("%q is no UPID: %w", upid, err)
	}
	t.Start = time.Unix(start, 0).UTC()
	if id, err := strconv.Atoi(parts[4]); err == nil && inventory.ValidVMID(id) && strconv.Itoa(id) == parts[4] {
		t.VMID = id
	}
	if v, present := m["endtime"]; present && v != nil {
		end, ok := Integer(v)
		if !ok || end < 0 || end > maxEnd {
			return inventory.Task{}, fmt.Errorf("its endtime is %s that is no time", kind(v))
		}
		at := time.Unix(end, 0).UTC()
		t.End = &at
	}
	// A list with source=all calls a task without a status RUNNING. One that has ended without one did so unseen, as when its
	// host lost power.
	switch t.Status, _ = Text(m["status"]); {
	case t.End == nil && t.Status == running:
		t.Status = ""
	case t.End != nil && (t.Status == "" || t.Status == running):
		t.Status = "unknown"
	}
	return t, nil
}

const running = "RUNNING"

// maxEnd is the last second that a UPID's eight hexadecimal digits can name.
const maxEnd = 1<<32 - 1

// rowUser puts together again what Proxmox takes apart: user@realm and the name of its token.
func rowUser(m map[string]any) string {
	user, _ := Text(m["user"])
	if token, _ := Text(m["tokenid"]); user != "" && token != "" {
		return user + "!" + token
	}
	return user
}

// Total reads how many rows a list has in all, which stands beside its data; -1 if it does not say.
func Total(v any) int {
	n, ok := Integer(v)
	if !ok || n < 0 || n > 1<<31-1 {
		return -1
	}
	return int(n)
}
