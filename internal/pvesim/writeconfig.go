package pvesim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// configChange is a request to change options, taken apart.
type configChange struct {
	set     map[string]string
	deletes []string
	revert  []string
	force   bool
}

// setConfig is PUT …/config: it is done when it answers.
func (c *call) setConfig() (any, *apiError) {
	_, err := c.changeConfig(func(g *guest, ch *configChange) (any, *apiError) { return nil, c.applyChange(g, ch, &taskLog{}) })
	return nil, err
}

// setConfigAsync is POST …/config: a task does the work.
func (c *call) setConfigAsync() (any, *apiError) {
	return c.changeConfig(func(g *guest, ch *configChange) (any, *apiError) {
		var fault *apiError
		upid := c.fork(g.node, "qmconfig", itoa(g.id), func(log *taskLog) error {
			fault = c.applyChange(g, ch, log)
			return asError(fault)
		})
		if c.params["background_delay"] == "" {
			return upid, nil
		}
		// The task has ended within the delay, which then takes the place of its
		// UPID. That a failed one is left in the list of tasks is lost here.
		if fault != nil {
			return nil, failed("failed to update VM %d: %s", g.id, taskStatusText(fault))
		}
		return nil, nil
	})
}

// changeConfig makes the checks that come before either kind of change
// (qemu-server API2/Qemu.pm, $update_vm_api).
func (c *call) changeConfig(do func(g *guest, ch *configChange) (any, *apiError)) (any, *apiError) {
	if err := c.onlyRoot("skiplock"); err != nil {
		return nil, err
	}
	ch, err := c.configChange()
	if err != nil {
		return nil, err
	}
	if err := c.mayChange(ch.deletes); err != nil {
		return nil, err
	}
	if err := c.mayChange(sortedKeys(ch.set)); err != nil {
		return nil, err
	}
	if err := c.mayUseNewVolumes(ch.set); err != nil {
		return nil, err
	}
	if err := c.mayUseBridges(ch.set); err != nil {
		return nil, err
	}
	g, err := c.guest(false)
	if err != nil {
		return nil, err
	}
	if err := c.checkDigest(g); err != nil {
		return nil, err
	}
	var passes []string
	if slices.Contains(ch.deletes, "vmstate") {
		passes = []string{"suspended"} // the lock goes with the saved state
	}
	if err := g.checkLock(passes...); err != nil {
		return nil, err
	}
	if err := ch.checkBalloon(g); err != nil {
		return nil, err
	}
	return do(g, ch)
}

// configChange sorts the parameters into what to set, delete and revert.
func (c *call) configChange() (*configChange, *apiError) {
	ch := &configChange{set: map[string]string{}, force: c.params["force"] == "1"}
	table := qemuOptions(c.st.release)
	known := func(name string) bool { _, ok := table[name]; return ok || name == "description" }
	for name, v := range c.params {
		if known(name) {
			if name == "cdrom" {
				name = "ide2"
			}
			ch.set[name] = v
		}
	}
	conflict := func(name, how string) *apiError {
		return badParams(map[string]string{"delete": fmt.Sprintf("you can't use '-%s' and -%s %s' at the same time", name, how, name)})
	}
	for _, name := range splitList(c.params["revert"]) {
		if !known(name) {
			return nil, badParams(map[string]string{"revert": "unknown option '" + name + "'"})
		}
		if _, ok := ch.set[name]; ok {
			return nil, conflict(name, "revert")
		}
		ch.revert = append(ch.revert, name)
	}
	for _, name := range splitList(c.params["delete"]) {
		if name == "cdrom" {
			name = "ide2"
		}
		if _, ok := ch.set[name]; ok {
			return nil, conflict(name, "delete")
		}
		if slices.Contains(ch.revert, name) {
			return nil, conflict(name, "revert")
		}
		if !known(name) {
			return nil, badParams(map[string]string{"delete": "unknown option '" + name + "'"})
		}
		ch.deletes = append(ch.deletes, name)
	}
	if len(ch.set)+len(ch.deletes)+len(ch.revert) == 0 {
		return nil, failed("no options specified")
	}
	for name, v := range ch.set {
		if !reNet.MatchString(name) {
			continue
		}
		net, err := netSchema.parse(v)
		if err != nil {
			return nil, badParams(map[string]string{name: "invalid format - " + err.Error() + "\n"})
		}
		if net["macaddr"] == "" {
			net["macaddr"] = c.st.newMAC()
		}
		ch.set[name] = printNet(net)
	}
	return ch, nil
}

// mayUseNewVolumes checks the storages of the drives to be set.
func (c *call) mayUseNewVolumes(set map[string]string) *apiError {
	for _, key := range sortedKeys(set) {
		if !isDrive(key) && !strings.HasPrefix(key, "unused") {
			continue
		}
		d, err := parseDrive(key, set[key])
		if err != nil {
			return badParams(map[string]string{key: "failed to parse value '" + set[key] + "'"})
		}
		file := d["file"]
		switch m := reNewDisk.FindStringSubmatch(file); {
		case file == "none", strings.HasSuffix(file, ":cloudinit"):
		case file == "cdrom" && d.cdrom():
			if err := c.need("/", "Sys.Console"); err != nil {
				return err
			}
		case m != nil && !d.cdrom():
			if err := c.need("/storage/"+m[1], "Datastore.AllocateSpace"); err != nil {
				return err
			}
			st, err := c.st.storage(m[1])
			if err != nil {
				return err
			}
			if !st.holds("images") {
				return badParams(map[string]string{"storage": "storage '" + m[1] + "' does not support vm images"})
			}
		default:
			if err := c.mayUseVolume(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBalloon compares the sizes that the guest will have.
func (ch *configChange) checkBalloon(g *guest) *apiError {
	memory, setsMemory := ch.set["memory"]
	balloon, setsBalloon := ch.set["balloon"]
	if !setsMemory && !setsBalloon {
		return nil
	}
	will := maps.Clone(g.conf.main)
	maps.Copy(will, g.conf.pending)
	most := will.number("memory", 512)
	if text := will.text("memory"); text != "" && !setsMemory {
		memory = text
	}
	if parts, err := memorySchema.parse(memory); memory != "" && err == nil {
		most = toInt(parts["current"])
	}
	if !setsBalloon {
		balloon = fmt.Sprint(will.number("balloon", 0))
	}
	if toInt(balloon) > most {
		return failed("balloon value too large (must be smaller than assigned memory)")
	}
	return nil
}
