package pvesim

import "net/http"

var snapshotParam = param{name: "snapshot", invalid: func(v string) string {
	if !reSnapshot.MatchString(v) {
		return "invalid format - invalid configuration ID '" + v + "'\n"
	}
	return ""
}}

// guest loads the guest that the path names. Its file must lie on the node of
// the path: a guest of another node does not exist there.
func (c *call) guest(lxc bool) (*guest, *apiError) {
	node := c.node().name
	g := c.st.byID[c.vmid()]
	if g == nil || g.lxc != lxc || g.node.name != node {
		dir := "qemu-server"
		if lxc {
			dir = "lxc"
		}
		return nil, failed("Configuration file 'nodes/%s/%s/%s.conf' does not exist", node, dir, c.vars["vmid"])
	}
	return g, nil
}

// qemuList is GET /nodes/{node}/qemu, in random order.
func (c *call) qemuList() (any, *apiError) {
	rows := []any{}
	for _, g := range c.st.guests {
		if g.lxc || g.node != c.node() || g.vm.Hidden || !c.may("/vms/"+itoa(g.id), "VM.Audit") {
			continue
		}
		rows = append(rows, g.qemuRow(c.st.release, c.now, c.params["full"] == "1"))
	}
	return c.srv.shuffled(rows), nil
}

func (c *call) lxcList() (any, *apiError) {
	rows := []any{}
	for _, g := range c.st.guests {
		if g.lxc && g.node == c.node() && c.may("/vms/"+itoa(g.id), "VM.Audit") {
			rows = append(rows, g.lxcRow(c.now))
		}
	}
	return c.srv.shuffled(rows), nil
}

func (c *call) qemuConfig() (any, *apiError) { return c.config(false) }
func (c *call) lxcConfig() (any, *apiError)  { return c.config(true) }

func (c *call) config(lxc bool) (any, *apiError) {
	snapshot, current := c.params["snapshot"], c.params["current"] == "1"
	if snapshot != "" && current {
		msg := "cannot use 'snapshot' parameter with 'current'"
		return nil, badParams(map[string]string{"snapshot": msg, "current": msg})
	}
	g, err := c.guest(lxc)
	if err != nil {
		return nil, err
	}
	if snapshot == "" {
		return g.conf.view(current), nil
	}
	view, ok := g.conf.snapshotView(snapshot)
	if !ok {
		return nil, failed("snapshot '%s' does not exist", snapshot)
	}
	return view, nil
}

func (c *call) qemuPending() (any, *apiError) {
	g, err := c.guest(false)
	if err != nil {
		return nil, err
	}
	var rows []any
	for _, item := range g.conf.pendingView() {
		rows = append(rows, item)
	}
	return c.srv.shuffled(rows), nil
}

func (c *call) qemuStatus() (any, *apiError) {
	g, err := c.guest(false)
	if err != nil {
		return nil, err
	}
	row := g.qemuRow(c.st.release, c.now, true)
	row["ha"] = c.st.ha(g)
	if g.agentEnabled() {
		row["agent"] = 1
	}
	return row, nil
}

func (c *call) lxcStatus() (any, *apiError) {
	g, err := c.guest(true)
	if err != nil {
		return nil, err
	}
	row := g.lxcRow(c.now)
	row["ha"] = c.st.ha(g)
	return row, nil
}

// agentCommands are the commands of the guest agent that are GET requests.
var agentCommands = []string{
	"get-time", "info", "network-get-interfaces", "get-vcpus", "get-fsinfo", "get-memory-blocks",
	"get-memory-block-info", "get-host-name", "get-osinfo", "get-users", "get-timezone",
}

func mayAskAgent(c *call) *apiError {
	return c.need("/vms/{vmid}", c.st.release.agentPrivileges()...)
}

// agent asks the guest agent. That the option is turned off ("agent: 0") is not
// looked at, only whether it is there; an agent that does not answer costs the
// three seconds of the ping and a worker all that time.
func (c *call) agent(command string) (any, *apiError) {
	g, err := c.guest(false)
	if err != nil {
		return nil, err
	}
	if _, ok := g.conf.main["agent"]; !ok {
		return nil, failed("No QEMU guest agent configured")
	}
	if !g.running() {
		return nil, failed("VM %d is not running", g.id)
	}
	if g.vm.Agent == nil || g.vm.Agent.Dead || !g.agentEnabled() || g.status != "running" {
		c.srv.sleep(c.srv.opts.agentTimeout())
		return nil, &apiError{status: http.StatusInternalServerError, message: "QEMU guest agent is not running"}
	}
	return map[string]any{"result": g.vm.Agent.result(command)}, nil
}
