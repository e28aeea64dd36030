package pvesim

import (
	"regexp"
	"strings"
)

var reNewSize = regexp.MustCompile(`^\+?\d+(?:\.\d+)?[KMGT]?$`)

var resizeParams = []param{
	nodeParam, vmidParam(true), {name: "skiplock", kind: kindBoolean}, {name: "digest"},
	{name: "disk", required: true, invalid: func(v string) string {
		if !isDrive(v) {
			return "value '" + v + "' does not have a value in the enumeration"
		}
		return ""
	}},
	{name: "size", required: true, invalid: func(v string) string {
		if !reNewSize.MatchString(v) {
			return "value does not match the regex pattern"
		}
		return ""
	}},
}

// resize is PUT …/resize. Everything but the caller's right is checked in the task
// (qemu-server API2/Qemu.pm, resize_vm). Up to version 7 it was no task.
func (c *call) resize() (any, *apiError) {
	if err := c.onlyRoot("skiplock"); err != nil {
		return nil, err
	}
	if c.st.release.major < 8 {
		g, err := c.guest(false)
		if err != nil {
			return nil, err
		}
		return nil, c.doResize(g)
	}
	return c.fork(c.node(), "resize", c.vars["vmid"], func(*taskLog) error {
		g, err := c.guest(false)
		if err != nil {
			return err
		}
		return asError(c.doResize(g))
	}), nil
}

func (c *call) doResize(g *guest) *apiError {
	disk := c.params["disk"]
	if err := c.checkDigest(g); err != nil {
		return err
	}
	if err := g.checkLock(); err != nil {
		return err
	}
	text := g.conf.main.text(disk)
	if text == "" {
		return failed("disk '%s' does not exist", disk)
	}
	drive, err := parseDrive(disk, text)
	if err != nil {
		return failed("unable to parse drive options for '%s'", disk)
	}
	if drive.cdrom() {
		return failed("you can't resize a cdrom")
	}
	storage, _, ok := splitVolume(drive["file"])
	if !ok {
		return failed("unable to parse volume ID '%s'", drive["file"])
	}
	if _, err := c.st.storage(storage); err != nil {
		return err
	}
	if err := c.need("/storage/"+storage, "Datastore.AllocateSpace"); err != nil {
		return err
	}
	now, err := parseSize(drive["size"])
	if err != nil {
		return failed("Could not determine current size of volume '%s'", drive["file"])
	}
	asked, more := strings.CutPrefix(c.params["size"], "+")
	size, err := parseSize(asked)
	if err != nil {
		return failed("%v", err)
	}
	if more {
		size += now
	}
	switch {
	case size < now:
		return failed("shrinking disks is not supported")
	case size == now:
		return nil
	}
	drive["size"] = formatSize(size)
	d := g.draft()
	d.main[disk] = drive.String()
	c.store(g, d)
	return nil
}
