package pvesim

import "slices"

var (
	powerParams    = []param{nodeParam, vmidParam(true), {name: "skiplock", kind: kindBoolean}}
	startParams    = append(slices.Clone(powerParams), param{name: "timeout", kind: kindInteger})
	stopParams     = append(slices.Clone(startParams), param{name: "overrule-shutdown", kind: kindBoolean, since: 8}, param{name: "keepActive", kind: kindBoolean})
	shutdownParams = append(slices.Clone(startParams), param{name: "forceStop", kind: kindBoolean}, param{name: "keepActive", kind: kindBoolean})
	resumeParams   = append(slices.Clone(powerParams), param{name: "nocheck", kind: kindBoolean})
)

// managed returns the high-availability resource of a guest that the manager
// looks after; nil when none does (pve-ha-manager Config.pm, vm_is_ha_managed).
func (c *call) managed(g *guest) *HAResource {
	h, ok := c.next.HA[g.serviceID()]
	switch {
	case !ok:
		return nil
	case h == nil:
		h = &HAResource{}
		c.next.HA[g.serviceID()] = h
	}
	if h.State == "ignored" {
		return nil
	}
	return h
}

// power runs a task that may be one for the high-availability manager. Such a task
// only hands the request over, so it ends well whatever comes of it. The manager,
// which takes some time in Proxmox VE, acts at once here; it does nothing to a
// guest that is in the state already, or that it cannot bring there.
func (c *call) power(g *guest, kind, haKind, haState string, work func(log *taskLog) *apiError) string {
	if h := c.managed(g); h != nil && haKind != "" {
		return c.fork(g.node, haKind, itoa(g.id), func(log *taskLog) error {
			log.printf("Requesting HA %s for VM %d", haKind[2:], g.id)
			h.State = haState
			_ = work(&taskLog{})
			return nil
		})
	}
	return c.fork(g.node, kind, itoa(g.id), func(log *taskLog) error { return asError(work(log)) })
}

// powerGuest makes the checks that all power actions begin with.
func (c *call) powerGuest() (*guest, *apiError) {
	if err := c.onlyRoot("skiplock", "keepActive", "nocheck"); err != nil {
		return nil, err
	}
	return c.guest(false)
}

// start is POST …/status/start: that the guest is a template, locked or running
// already fails in the task (qemu-server QemuServer.pm, vm_start).
func (c *call) start() (any, *apiError) {
	g, err := c.powerGuest()
	if err != nil {
		return nil, err
	}
	return c.power(g, "qmstart", "hastart", "started", func(*taskLog) *apiError { return c.doStart(g) }), nil
}

func (c *call) doStart(g *guest) *apiError {
	if truthy(g.conf.main["template"]) {
		return failed("you can't start a vm if it's a template")
	}
	if err := g.checkLock("suspended"); err != nil {
		return err
	}
	if g.running() {
		return failed("VM %d already running", g.id)
	}
	d := g.draft()
	if d.main.text("lock") == "suspended" { // its memory was on disk, and is read back
		d.forgetState()
	} else {
		d.applyPending(g.id)
	}
	vm := c.store(g, d)
	vm.Status, vm.Booted = "running", c.now
	return nil
}

// stop is POST …/status/stop. A guest that does not run is no error.
func (c *call) stop() (any, *apiError) {
	g, err := c.powerGuest()
	if err != nil {
		return nil, err
	}
	return c.power(g, "qmstop", "hastop", "stopped", func(*taskLog) *apiError { return c.doStop(g) }), nil
}

func (c *call) doStop(g *guest) *apiError {
	if !g.running() {
		return nil
	}
	if err := g.checkLock(); err != nil {
		return err
	}
	vm := c.store(g, g.draft())
	vm.Status, vm.Uptime = "stopped", 0
	return nil
}

// shutdown is POST …/status/shutdown; every guest obeys, at once.
func (c *call) shutdown() (any, *apiError) {
	g, err := c.powerGuest()
	if err != nil {
		return nil, err
	}
	if slices.Contains([]string{"paused", "prelaunch", "suspended"}, g.status) && c.params["forceStop"] != "1" {
		return nil, failed("VM is paused - cannot shutdown")
	}
	return c.power(g, "qmshutdown", "hastop", "stopped", func(*taskLog) *apiError { return c.doStop(g) }), nil
}

// reset is POST …/status/reset: the same process goes on.
func (c *call) reset() (any, *apiError) {
	g, err := c.powerGuest()
	if err != nil {
		return nil, err
	}
	if !g.running() {
		return nil, failed("VM %d not running", g.id)
	}
	return c.power(g, "qmreset", "", "", func(*taskLog) *apiError { return g.checkLock() }), nil
}

// resume is POST …/status/resume, of a guest that is paused or was suspended to
// disk.
func (c *call) resume() (any, *apiError) {
	g, err := c.powerGuest()
	if err != nil {
		return nil, err
	}
	onDisk := g.conf.main.text("lock") == "suspended"
	if !onDisk && !g.running() {
		return nil, failed("VM %d not running", g.id)
	}
	return c.power(g, "qmresume", "", "", func(*taskLog) *apiError {
		switch {
		case onDisk:
			return c.doStart(g)
		case truthy(g.conf.main["template"]):
			return failed("VM %d is a template and cannot be resumed!", g.id)
		case g.status == "running":
			return nil
		}
		if err := g.checkLock("backup"); err != nil {
			return err
		}
		c.store(g, g.draft()).Status = "running"
		return nil
	}), nil
}
