package pvesim

import (
	"fmt"
	"slices"
	"strings"
)

// configEdit is a change of one guest's configuration in work.
type configEdit struct {
	c     *call
	g     *guest
	d     *draft
	namer *volumeNamer
	log   *taskLog
	order []string // the devices that the guest boots from
}

// applyChange carries a change out: first everything becomes pending, then what can
// be applied to the guest as it is now is applied (qemu-server API2/Qemu.pm,
// $update_vm_api, $updatefn).
func (c *call) applyChange(g *guest, ch *configChange, log *taskLog) *apiError {
	e := &configEdit{c: c, g: g, d: g.draft(), namer: c.st.newNamer(g.id), log: log, order: g.bootDevices()}
	log.printf("update VM %d: %s", g.id, c.loggedParams())
	for _, name := range ch.revert {
		delete(e.d.pending, name)
		e.d.keepDelete(name)
	}
	for _, name := range ch.deletes {
		if err := e.remove(name, ch.force); err != nil {
			return err
		}
	}
	// Drives go first, so that a new boot order can name them.
	names := sortedKeys(ch.set)
	slices.SortStableFunc(names, func(a, b string) int { return flag(isDrive(b)) - flag(isDrive(a)) })
	for _, name := range names {
		if err := e.set(name, ch.set[name], ch); err != nil {
			return err
		}
		e.d.keepDelete(name)
	}
	e.d.cleanPending()
	if g.running() {
		if err := e.hotplug(); err != nil {
			return err
		}
	} else {
		e.d.applyPending(g.id)
	}
	c.store(g, e.d)
	return nil
}

// loggedParams is the change as the task's log shows it.
func (c *call) loggedParams() string {
	var parts []string
	for _, name := range sortedKeys(c.params) {
		v := c.params[name]
		switch name {
		case "digest", "background_delay":
			continue
		case "cipassword":
			v = "<hidden>"
		}
		parts = append(parts, "-"+name+" "+v)
	}
	return strings.Join(parts, " ")
}

// bootDevices are the devices of the boot order, CD-ROMs and networks included.
func (g *guest) bootDevices() []string {
	parts, err := bootSchema.parse(g.conf.main.text("boot"))
	if err != nil || parts["order"] == "" {
		return nil
	}
	return splitList(parts["order"])
}

func (e *configEdit) setBootOrder() { e.d.pending["boot"] = "order=" + strings.Join(e.order, ";") }

// remove puts one option on the list of those to be deleted.
func (e *configEdit) remove(name string, force bool) *apiError {
	value, ok := e.d.main[name]
	if !ok {
		value, ok = e.d.pending[name]
	}
	if !ok {
		e.log.printf("cannot delete '%s' - not set in current configuration!", name)
		return nil
	}
	delete(e.d.pending, name)
	if i := slices.Index(e.order, name); i >= 0 {
		e.order = slices.Delete(e.order, i, i+1)
		e.setBootOrder()
	}
	text := fmt.Sprint(value)
	switch {
	case strings.HasPrefix(name, "unused"):
		if err := e.g.checkProtection("can't remove unused disk '" + text + "'"); err != nil {
			return err
		}
		if err := e.c.need("/vms/"+itoa(e.g.id), "VM.Config.Disk"); err != nil {
			return err
		}
		delete(e.d.main, name)
		return nil
	case name == "vmstate":
		if err := e.g.checkProtection("can't remove vmstate '" + text + "'"); err != nil {
			return err
		}
		e.d.forgetState()
		return nil
	case isDrive(name):
		if err := e.g.checkProtection("can't remove drive '" + name + "'"); err != nil {
			return err
		}
		drive, err := parseDrive(name, text)
		if err != nil {
			return failed("unable to parse drive options for '%s'", name)
		}
		if err := e.c.mayDrive(drive); err != nil {
			return err
		}
	case name == "tags":
		if err := e.c.mayTag(text, ""); err != nil {
			return err
		}
		delete(e.d.main, name)
		return nil
	default:
		if err := e.ownCheck(name, text); err != nil {
			return err
		}
	}
	e.d.addDelete(name, force)
	return nil
}

// set makes one option pending.
func (e *configEdit) set(name, value string, ch *configChange) *apiError {
	switch {
	case isDrive(name):
		return e.setDrive(name, value)
	case name == "description":
		// Written as comments and read again, it has lost the blanks at its end.
		e.d.pending[name] = strings.TrimRight(value, " \t\r\n\f\v")
	case name == "tags":
		if err := e.c.mayTag(e.d.main.text("tags"), value); err != nil {
			return err
		}
		e.d.pending[name] = e.c.st.uniqueTags(value)
	case name == "cipassword":
		// Proxmox VE stores a hash of it at once. Here no password is kept at all.
		e.d.main[name] = maskedPassword
	case name == "boot":
		return e.setBoot(value, ch)
	default:
		if err := e.ownCheck(name, value); err != nil {
			return err
		}
		v, err := qemuOptions(e.c.st.release)[name].value(value)
		if err != nil {
			return badParams(map[string]string{name: "invalid format - " + err.Error() + "\n"})
		}
		e.d.pending[name] = v
	}
	return nil
}

// ownCheck is the right to devices of the host, which depends on their value.
func (e *configEdit) ownCheck(name, value string) *apiError {
	hardware := func() *apiError { return e.c.need("/vms/"+itoa(e.g.id), "VM.Config.HWType") }
	root := failed("only root can set '%s' config for real devices", name)
	switch {
	case strings.HasPrefix(name, "serial"):
		if value != "socket" {
			return root
		}
		return hardware()
	case strings.HasPrefix(name, "usb"):
		if !strings.Contains(value, "mapping=") && !strings.Contains(strings.ToLower(value), "spice") {
			return root
		}
		return hardware()
	case strings.HasPrefix(name, "hostpci"), strings.HasPrefix(name, "virtiofs"):
		if strings.HasPrefix(name, "hostpci") && !strings.Contains(value, "mapping=") {
			return root
		}
		return hardware()
	}
	return nil
}

// setBoot takes a boot order whose devices all exist.
func (e *configEdit) setBoot(value string, ch *configChange) *apiError {
	parts, err := bootSchema.parse(value)
	if err != nil {
		return badParams(map[string]string{"boot": "invalid format - " + err.Error() + "\n"})
	}
	if parts["order"] == "" {
		e.d.pending["boot"] = value
		return nil
	}
	order := splitList(parts["order"])
	for _, dev := range order {
		_, now := e.d.main[dev]
		_, soon := e.d.pending[dev]
		_, asked := ch.set[dev]
		if !now && !soon && !asked || slices.Contains(ch.deletes, dev) {
			return failed("invalid bootorder: device '%s' does not exist'", dev)
		}
	}
	e.order = order
	e.setBootOrder()
	if _, ok := e.d.main["bootdisk"]; ok {
		e.d.addDelete("bootdisk", false)
	}
	return nil
}

// checkProtection is PVE::AbstractConfig check_protection.
func (g *guest) checkProtection(what string) *apiError {
	if truthy(g.conf.main["protection"]) {
		return failed("%s - protection mode enabled", what)
	}
	return nil
}

// uniqueTags folds and sorts tags as the cluster's tag style says
// (GuestHelpers.pm, get_unique_tags).
func (s *fleetState) uniqueTags(text string) string {
	style := s.fleet.Options["tag-style"]
	tags := splitList(text)
	if !strings.Contains(style, "case-sensitive=1") {
		for i, t := range tags {
			tags[i] = strings.ToLower(t)
		}
	}
	if !strings.Contains(style, "ordering=config") {
		slices.Sort(tags)
	}
	var res []string
	for _, t := range tags {
		if !slices.Contains(res, t) {
			res = append(res, t)
		}
	}
	return strings.Join(res, ";")
}
