package pvesim

import (
	"regexp"
	"slices"
	"strings"
)

// optionRights are the privileges that options need, by area (qemu-server
// API2/Qemu.pm, $check_vm_modify_config_perm). The value lists the options.
var optionRights = map[string][]string{
	"VM.Config.CPU":     strings.Fields("cores cpu runningcpu cpulimit cpuunits numa smp sockets vcpus"),
	"VM.Config.Memory":  strings.Fields("memory balloon shares allow-ksm"),
	"VM.Config.HWType":  strings.Fields("acpi hotplug kvm machine runningmachine scsihw smbios1 tablet vga watchdog audio0 rng0"),
	"VM.PowerMgmt":      {"freeze"},
	"VM.Config.Disk":    {"boot", "bootdisk", "vmstatestorage"},
	"VM.Config.Network": nil, // netN
	"VM.Config.Options": strings.Fields(`agent autostart bios description keyboard localtime migrate_downtime migrate_speed
		name onboot ostype protection reboot startdate startup tdf template`),
}

var (
	cloudInitOptions = strings.Fields("cicustom cipassword citype ciuser ciupgrade nameserver searchdomain sshkeys")
	reNet            = regexp.MustCompile(`^net\d+$`)
	reIPConfig       = regexp.MustCompile(`^ipconfig\d+$`)
	reNumaNode       = regexp.MustCompile(`^numa\d+$`)
	// reOwnCheck are the options whose right depends on their value.
	reOwnCheck = regexp.MustCompile(`^(?:cdrom|tags|(?:unused|serial|usb|hostpci|virtiofs)\d+)$`)
)

// optionRight returns the privileges any of which lets a caller set an option; ok
// is false for those that root@pam alone may set.
func optionRight(name string) (privs []string, ok bool) {
	switch {
	case reNumaNode.MatchString(name):
		return []string{"VM.Config.CPU"}, true
	case reNet.MatchString(name):
		return []string{"VM.Config.Network"}, true
	case reIPConfig.MatchString(name), slices.Contains(cloudInitOptions, name):
		return []string{"VM.Config.Cloudinit", "VM.Config.Network"}, true
	}
	for priv, names := range optionRights {
		if slices.Contains(names, name) {
			return []string{priv}, true
		}
	}
	return nil, false
}

// mayChange checks the caller's right to each option.
func (c *call) mayChange(names []string) *apiError {
	path := "/vms/" + c.vars["vmid"]
	for _, name := range names {
		if isDrive(name) || reOwnCheck.MatchString(name) {
			continue
		}
		if name == "vmstate" { // the saved memory of a suspended guest
			for _, priv := range []string{"VM.Config.Disk", "VM.PowerMgmt"} {
				if err := c.need(path, priv); err != nil {
					return err
				}
			}
			continue
		}
		privs, ok := optionRight(name)
		if !ok {
			return failed("only root can set '%s' config", name)
		}
		if err := c.need(path, privs...); err != nil {
			return err
		}
		if name == "startup" { // it changes how the host behaves
			if err := c.need("/", "Sys.Modify"); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayTag checks a change of tags: registered tags are for those who may change the
// cluster's options (pve-guest-common GuestHelpers.pm, assert_tag_permissions).
// The setting user-tag-access is not simulated: every user may use free tags.
func (c *call) mayTag(before, after string) *apiError {
	if err := c.need("/vms/"+c.vars["vmid"], "VM.Config.Options"); err != nil {
		return err
	}
	registered := splitList(c.st.fleet.Options["registered-tags"])
	if c.may("/", "Sys.Modify") || len(registered) == 0 {
		return nil
	}
	was, is := splitList(before), splitList(after)
	for _, tag := range registered {
		if slices.Contains(was, tag) != slices.Contains(is, tag) {
			return denied("/, Sys.Modify for modifying tag '" + tag + "'")
		}
	}
	return nil
}

// mayDrive checks the caller's right to a drive, by what it is.
func (c *call) mayDrive(d driveProps) *apiError {
	path := "/vms/" + c.vars["vmid"]
	switch {
	case d.cloudInit():
		for _, priv := range []string{"VM.Config.Cloudinit", "VM.Config.CDROM"} {
			if err := c.need(path, priv); err != nil {
				return err
			}
		}
		return nil
	case d.cdrom():
		return c.need(path, "VM.Config.CDROM")
	}
	return c.need(path, "VM.Config.Disk")
}

// mayUseBridges checks the networks of a guest's devices; since version 8 they
// need SDN.Use (GuestHelpers.pm, check_vnet_access).
func (c *call) mayUseBridges(config map[string]string) *apiError {
	if c.st.release.major < 8 {
		return nil
	}
	for _, key := range sortedKeys(config) {
		if !reNet.MatchString(key) {
			continue
		}
		net, err := netSchema.parse(config[key])
		if err != nil || net["bridge"] == "" {
			continue
		}
		path := "/sdn/zones/localnetwork/" + net["bridge"]
		if tag := net["tag"]; tag != "" {
			path += "/" + tag
		}
		if err := c.need(path, "SDN.Use"); err != nil {
			return err
		}
	}
	return nil
}

// mayUseVolume is PVE::Storage check_volume_access.
func (c *call) mayUseVolume(id string) *apiError {
	storage, name, ok := splitVolume(id)
	if !ok {
		return failed("Only root can pass arbitrary filesystem paths.")
	}
	if _, err := c.st.storage(storage); err != nil {
		return err
	}
	path := "/storage/" + storage
	if c.may(path, "Datastore.Allocate") {
		return nil
	}
	owner := volumeOwner(name)
	switch {
	case strings.HasPrefix(name, "iso/"), strings.HasPrefix(name, "vztmpl/"), strings.HasPrefix(name, "import/"):
		return c.need(path, "Datastore.AllocateSpace", "Datastore.Audit")
	case owner != 0 && itoa(owner) == c.vars["vmid"]:
		return nil
	case owner != 0:
		if err := c.need(path, "Datastore.Audit"); err != nil {
			return err
		}
		return c.need("/vms/"+itoa(owner), "VM.Config.Disk")
	}
	return failed("missing privileges to access %s", id)
}
