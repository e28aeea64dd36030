package pvesim

import (
	"regexp"
	"slices"
	"strings"
)

// reFastPlug are the options that never need the guest's process to know
// (qemu-server QemuServer.pm, $fast_plug_option).
var reFastPlug = regexp.MustCompile(`^(?:description|hookscript|lock|migrate_downtime|migrate_speed|name|onboot|` +
	`protection|shares|startup|tags|vmstatestorage|cicustom|cipassword|citype|ciuser|ciupgrade|nameserver|searchdomain|` +
	`sshkeys|ipconfig\d+)$`)

// applyPending applies everything, as is done to a guest without a process and at
// its start (QemuServer.pm, vmconfig_apply_pending).
func (d *draft) applyPending(vmid int) {
	for _, e := range slices.Clone(d.deletes) {
		d.applyDelete(vmid, e)
	}
	for _, name := range sortedKeys(d.pending) {
		d.apply(vmid, name)
	}
}

func (d *draft) applyDelete(vmid int, e pendingDelete) {
	if drive, err := parseDrive(e.key, d.main.text(e.key)); isDrive(e.key) && err == nil && !e.force {
		d.detach(vmid, drive)
	}
	delete(d.main, e.key)
	d.keepDelete(e.key)
}

func (d *draft) apply(vmid int, name string) {
	if isDrive(name) {
		was, err := parseDrive(name, d.main.text(name))
		will, werr := parseDrive(name, d.pending.text(name))
		if err == nil && werr == nil && was["file"] != will["file"] {
			d.detach(vmid, was)
		}
	}
	d.main[name] = d.pending[name]
	delete(d.pending, name)
}

// hotplug applies what a running guest takes at once; the rest stays pending until
// its process ends (QemuServer.pm, vmconfig_hotplug_pending). Of memory and CPUs
// nothing is plugged: no default of "hotplug" has them.
func (e *configEdit) hotplug() *apiError {
	features := hotplugFeatures(e.d.main.text("hotplug"))
	for _, del := range slices.Clone(e.d.deletes) {
		if plugsDelete(del.key, features) {
			e.d.applyDelete(e.g.id, del)
		}
	}
	for _, name := range sortedKeys(e.d.pending) {
		plugs, err := e.plugs(name, features)
		if err != nil {
			return badParams(map[string]string{name: "hotplug problem - " + err.message + "\n"})
		}
		if plugs {
			e.d.apply(e.g.id, name)
		}
	}
	return nil
}

func hotplugFeatures(text string) []string {
	switch text {
	case "", "1":
		return []string{"network", "disk", "usb"}
	case "0":
		return nil
	}
	return splitList(text)
}

func plugsDelete(name string, features []string) bool {
	switch {
	case reFastPlug.MatchString(name), name == "cpuunits", name == "cpulimit":
		return true
	case reNet.MatchString(name):
		return slices.Contains(features, "network")
	case isDrive(name):
		return slices.Contains(features, "disk") && (strings.HasPrefix(name, "scsi") || strings.HasPrefix(name, "virtio"))
	case name == "tablet":
		return slices.Contains(features, "usb")
	}
	return false
}

// plugs says whether a pending value can be applied to the process.
func (e *configEdit) plugs(name string, features []string) (bool, *apiError) {
	switch {
	case reFastPlug.MatchString(name), name == "cpuunits", name == "cpulimit":
		return true, nil
	case name == "balloon":
		return truthy(e.d.main["balloon"]) == truthy(e.d.pending["balloon"]), nil
	case name == "tablet":
		return slices.Contains(features, "usb"), nil
	case name == "hotplug":
		value := e.d.pending.text(name) + e.d.main.text(name)
		return !strings.Contains(value, "memory") && !strings.Contains(value, "cpu"), nil
	case reNet.MatchString(name):
		return e.plugsNet(name, features), nil
	case isDrive(name):
		return e.plugsDrive(name, features)
	}
	return false, nil
}

// plugsNet: bridge, VLAN and link of a card change under it, another card must be
// plugged.
func (e *configEdit) plugsNet(name string, features []string) bool {
	was, err1 := netSchema.parse(e.d.main.text(name))
	will, err2 := netSchema.parse(e.d.pending.text(name))
	if err1 != nil || err2 != nil {
		return slices.Contains(features, "network")
	}
	for _, key := range []string{"model", "macaddr", "queues", "mtu"} {
		if was[key] != will[key] {
			return slices.Contains(features, "network")
		}
	}
	return true
}

// plugsDrive: a medium is changed in place; a disk is plugged, but not on IDE and
// SATA.
func (e *configEdit) plugsDrive(name string, features []string) (bool, *apiError) {
	if strings.HasPrefix(name, "efidisk") || strings.HasPrefix(name, "tpmstate") {
		return false, nil
	}
	will, err := parseDrive(name, e.d.pending.text(name))
	if err != nil {
		return false, failed("unable to parse drive options for '%s'", name)
	}
	was, err := parseDrive(name, e.d.main.text(name))
	if err != nil { // no drive yet
		return slices.Contains(features, "disk") && !strings.HasPrefix(name, "ide") && !strings.HasPrefix(name, "sata"), nil
	}
	if orDefault(was["media"], "disk") != orDefault(will["media"], "disk") {
		return false, failed("unable to change media type")
	}
	if was.cdrom() {
		return true, nil
	}
	if was["file"] != will["file"] {
		return slices.Contains(features, "disk"), nil
	}
	for _, key := range []string{"aio", "discard", "iothread", "queues", "product", "cache", "ssd", "ro", "vendor"} {
		if was[key] != will[key] {
			return false, nil
		}
	}
	return true, nil
}
