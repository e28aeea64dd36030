package pvesim

import "net/http"

// maySpeakToAgent is what running a command in the guest needs: VM.Monitor up to
// version 8, a privilege of its own since.
func maySpeakToAgent(c *call) *apiError {
	if c.st.release.major >= 9 {
		return c.need("/vms/{vmid}", "VM.GuestAgent.Unrestricted")
	}
	return c.need("/vms/{vmid}", "VM.Monitor")
}

// execPID is the process that every command in a guest gets.
const execPID = 4711

// agentExec is POST …/agent/exec: the command is taken by a guest agent that
// answers, and nothing is run.
func (c *call) agentExec() (any, *apiError) {
	if _, err := c.answeringAgent(); err != nil {
		return nil, err
	}
	return map[string]any{"pid": execPID}, nil
}

// agentExecStatus is GET …/agent/exec-status: the command ended well. The agent's
// Results may say otherwise under "exec-status"; without, it is what "cloud-init
// status" prints once it is through.
func (c *call) agentExecStatus() (any, *apiError) {
	g, err := c.answeringAgent()
	if err != nil {
		return nil, err
	}
	if r, ok := g.vm.Agent.Results["exec-status"]; ok {
		return r, nil
	}
	if c.params["pid"] != itoa(execPID) {
		return nil, failed("Agent error: Invalid parameter 'pid'")
	}
	return map[string]any{"exited": 1, "exitcode": 0, "out-data": "status: done\n"}, nil
}

func (c *call) answeringAgent() (*guest, *apiError) {
	g, err := c.guest(false)
	switch {
	case err != nil:
		return nil, err
	case g.conf.main["agent"] == nil:
		return nil, failed("No QEMU guest agent configured")
	case !g.running():
		return nil, failed("VM %d is not running", g.id)
	case g.vm.Agent == nil || g.vm.Agent.Dead || !g.agentEnabled() || g.status != "running":
		return nil, &apiError{status: http.StatusInternalServerError, message: "QEMU guest agent is not running"}
	}
	return g, nil
}
