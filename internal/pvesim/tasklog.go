package pvesim

// taskLogLines is GET …/tasks/{upid}/log: what the task printed, with the last
// line that says how it ended.
func (c *call) taskLogLines() (any, *apiError) {
	n := c.node()
	for _, t := range c.st.fleet.Tasks {
		if t.Node != n.name || t.upid() != c.vars["upid"] {
			continue
		}
		if !c.ownTask(t.row()) && !c.may("/nodes/"+n.name, "Sys.Audit") {
			return nil, denied("/nodes/" + n.name + ", Sys.Audit")
		}
		lines := append([]string{}, t.Log...)
		switch status := orDefault(t.Status, "OK"); {
		case t.Ended == 0:
		case status == "OK":
			lines = append(lines, "TASK OK")
		default:
			lines = append(lines, "TASK ERROR: "+status)
		}
		return c.logRows(lines), nil
	}
	return nil, badParams(map[string]string{"upid": "unable to parse worker upid"})
}

// logRows cuts the part out that was asked for (PVE::Tools dump_logfile).
func (c *call) logRows(lines []string) []any {
	start, limit := c.intParam("start", 0), c.intParam("limit", 50)
	total := int64(len(lines))
	rows := []any{}
	for i := max(start, 0); i < total && (limit == 0 || int64(len(rows)) < limit); i++ {
		rows = append(rows, map[string]any{"n": i + 1, "t": lines[i]})
	}
	if total == 0 {
		rows, total = append(rows, map[string]any{"n": 1, "t": "no content"}), 1
	}
	c.total = &total
	return rows
}
