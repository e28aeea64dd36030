package pvesim

import (
	"fmt"
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
	row := map[string]any{
		"upid": t.upid(), "node": t.Node, "pid": t.PID, "pstart": t.PStart, "starttime": t.Started,
		"type": t.Type, "id": t.ID, "user": t.user(),
	}
	if owner, ok := tokenOwner(t.user()); ok {
		row["user"], row["tokenid"] = owner, strings.TrimPrefix(t.user(), owner+"!")
	}
	if t.Ended != 0 {
		row["endtime"], row["status"] = t.Ended, orDefault(t.Status, "OK")
	}
	return row
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

// nodeTasks lists the tasks of a node. By default those that have ended, 50 of
// them; others' tasks only with Sys.Audit on the node.
func (c *call) nodeTasks() (any, *apiError) {
	n := c.node()
	audit := c.may("/nodes/"+n.name, "Sys.Audit")
	source := orDefault(c.params["source"], "archive")
	start, limit := c.intParam("start", 0), c.intParam("limit", 50)
	rows := []any{}
	matched := int64(0)
	for _, t := range c.st.fleet.Tasks {
		if t.Node != n.name || !c.taskWanted(t, audit, source) {
			continue
		}
		matched++
		if matched <= start || int64(len(rows)) >= limit {
			continue
		}
		row := t.row()
		if t.Ended == 0 {
			row["status"] = "RUNNING"
		}
		rows = append(rows, row)
	}
	c.total = &matched
	return rows, nil
}

func (c *call) taskWanted(t Task, audit bool, source string) bool {
	if !audit && !c.ownTask(t) {
		return false
	}
	if source == "archive" && t.Ended == 0 || source == "active" && t.Ended != 0 {
		return false
	}
	if v := c.params["vmid"]; v != "" && v != t.ID {
		return false
	}
	if v := c.params["typefilter"]; v != "" && v != t.Type {
		return false
	}
	if v := c.params["userfilter"]; v != "" && !strings.Contains(strings.ToLower(t.user()), strings.ToLower(v)) {
		return false
	}
	if c.params["errors"] == "1" && orDefault(t.Status, "OK") == "OK" {
		return false
	}
	if v, ok := c.params["since"]; ok && t.Started < toInt(v) {
		return false
	}
	v, ok := c.params["until"]
	return !ok || t.Started <= toInt(v)
}

// ownTask says whether the task is the caller's own. A token's tasks belong to
// it, and to its user too.
func (c *call) ownTask(t Task) bool {
	owner, _ := tokenOwner(t.user())
	return t.user() == c.auth || owner == c.auth
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
		if !c.ownTask(t) && !c.may("/nodes/"+n.name, "Sys.Audit") {
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
