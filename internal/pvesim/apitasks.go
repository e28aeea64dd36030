package pvesim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var taskParams = []param{
	nodeParam, vmidParam(false), {name: "start", kind: kindInteger}, {name: "limit", kind: kindInteger},
	{name: "since", kind: kindInteger}, {name: "until", kind: kindInteger}, {name: "userfilter"}, {name: "typefilter"},
	{name: "errors", kind: kindBoolean}, {name: "source", enum: []string{"archive", "active", "all"}}, {name: "statusfilter"},
}

// upid is the identifier of a task.
func (t Task) upid() string {
	return fmt.Sprintf("UPID:%s:%08X:%08X:%08X:%s:%s:%s:", t.Node, t.PID, t.PStart, t.Started, t.Type, t.ID, t.user())
}

func (t Task) user() string { return orDefault(t.User, rootUser) }

// row is a task as the lists show it. A token is split off the user.
func (t Task) row() map[string]any {
	row := t.activeRow()
	if owner, ok := tokenOwner(t.user()); ok {
		row["user"], row["tokenid"] = owner, strings.TrimPrefix(t.user(), owner+"!")
	}
	if t.Ended != 0 {
		row["endtime"], row["status"] = t.Ended, orDefault(t.Status, "OK")
	}
	return row
}

// activeRow is a task as a node's list of active tasks has it: a token is not
// split off there.
func (t Task) activeRow() map[string]any {
	return map[string]any{
		"upid": t.upid(), "node": t.Node, "pid": t.PID, "pstart": t.PStart, "starttime": t.Started,
		"type": t.Type, "id": t.ID, "user": t.user(),
	}
}

// clusterTasks lists the recent tasks of all nodes: all with Sys.Audit on "/",
// else those of the caller. A token is never the user of its own tasks here.
func (c *call) clusterTasks() (any, *apiError) {
	all := c.may("/", "Sys.Audit")
	rows := []any{}
	for _, t := range c.st.fleet.Tasks {
		row := t.row()
		if !all && row["user"] != c.auth {
			continue
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// nodeTasks lists the tasks of a node (pve-manager PVE/API2/Tasks.pm,
// node_tasks). By default those that have ended, 50 of them; others' tasks only
// with Sys.Audit on the node. Running ones come first, then those that have
// ended, the last to end first.
func (c *call) nodeTasks() (any, *apiError) {
	n := c.node()
	audit := c.may("/nodes/"+n.name, "Sys.Audit")
	source := orDefault(c.params["source"], "archive")
	start, limit := c.intParam("start", 0), c.intParam("limit", 50)
	var wanted []map[string]any
	if source != "archive" {
		for _, t := range c.st.fleet.Tasks {
			if row := t.activeRow(); t.Node == n.name && t.Ended == 0 && c.taskWanted(row, audit) {
				row["saved"], row["status"] = "0", "RUNNING"
				wanted = append(wanted, row)
			}
		}
	}
	if source != "active" {
		ended := slices.DeleteFunc(slices.Clone(c.st.fleet.Tasks), func(t Task) bool { return t.Node != n.name || t.Ended == 0 })
		slices.SortStableFunc(ended, func(a, b Task) int { return cmp.Compare(b.Ended, a.Ended) })
		for _, t := range ended {
			if row := t.row(); c.taskWanted(row, audit) {
				wanted = append(wanted, row)
			}
		}
	}
	rows := []any{}
	for i, row := range wanted {
		if int64(i) >= start && int64(len(rows)) < limit {
			rows = append(rows, row)
		}
	}
	total := int64(len(wanted))
	c.total = &total
	return rows, nil
}

// taskWanted applies the filters to a row as it is shown.
func (c *call) taskWanted(row map[string]any, audit bool) bool {
	user, _ := row["user"].(string)
	if v := c.params["userfilter"]; v != "" && !strings.Contains(strings.ToLower(user), strings.ToLower(v)) {
		return false
	}
	if !audit && !c.ownTask(row) {
		return false
	}
	if v := c.params["typefilter"]; v != "" && v != row["type"] {
		return false
	}
	if v := c.params["vmid"]; v != "" && v != row["id"] {
		return false
	}
	started, _ := row["starttime"].(int64)
	if v, ok := c.params["since"]; ok && started < toInt(v) {
		return false
	}
	if v, ok := c.params["until"]; ok && started > toInt(v) {
		return false
	}
	return c.params["errors"] != "1" || row["status"] != "OK"
}

// ownTask says whether a task is the caller's own. A token's tasks belong to it,
// and once they have ended to its user too: of a running one the token is not
// split off.
func (c *call) ownTask(row map[string]any) bool {
	user, _ := row["user"].(string)
	if token, ok := row["tokenid"].(string); ok && c.auth == user+"!"+token {
		return true
	}
	return user == c.auth
}

func (c *call) intParam(name string, def int64) int64 {
	if v, ok := c.params[name]; ok {
		return toInt(v)
	}
	return def
}

// toInt reads a number that was checked before.
func toInt(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return v
}

func (c *call) taskStatus() (any, *apiError) {
	n := c.node()
	for _, t := range c.st.fleet.Tasks {
		if t.Node != n.name || t.upid() != c.vars["upid"] {
			continue
		}
		if !c.ownTask(t.row()) && !c.may("/nodes/"+n.name, "Sys.Audit") {
			return nil, denied("/nodes/" + n.name + ", Sys.Audit")
		}
		row := t.row()
		delete(row, "endtime")
		row["status"] = "running"
		if t.Ended != 0 {
			row["status"], row["exitstatus"] = "stopped", orDefault(t.Status, "OK")
		}
		return row, nil
	}
	return nil, failed("unable to parse worker upid '%s'", c.vars["upid"])
}
