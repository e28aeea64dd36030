package pvesim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// option is the schema of one line of a guest's configuration file.
type option struct {
	kind    kind
	schema  propSchema // of a property string
	pattern *regexp.Regexp
	enum    []string
	check   func(string) bool
}

var (
	reUUIDOrFlag = regexp.MustCompile(`^(?:[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])$`)
	reBootDisk   = regexp.MustCompile(`^(?:ide|sata|scsi|virtio)\d+$`)
	reSerial     = regexp.MustCompile(`^(?:/dev/.+|socket)$`)
	reParallel   = regexp.MustCompile(`^(?:/dev/parport\d+|/dev/usb/lp\d+)$`)
)

// The option tables are the same for every fleet and big enough to be worth
// keeping.
var (
	optionsWithMemoryText   = sync.OnceValue(func() map[string]option { return buildQemuOptions(option{schema: memorySchema}) })
	optionsWithMemoryNumber = sync.OnceValue(func() map[string]option { return buildQemuOptions(option{kind: kindInteger}) })
	lxcOptions              = sync.OnceValue(buildLXCOptions)
)

// qemuOptions returns the option table of QEMU guests for a release.
func qemuOptions(r release) map[string]option {
	if r.memoryIsString() {
		return optionsWithMemoryText()
	}
	return optionsWithMemoryNumber()
}

// buildQemuOptions makes the option table of QEMU guests
// (qemu-server src/PVE/QemuServer.pm, $confdesc). An option without any
// constraint here is taken with any value; those are the ones whose syntax no
// inventory depends on.
func buildQemuOptions(memory option) map[string]option {
	t := map[string]option{
		"hotplug": {check: isHotplug},
		"lock": {enum: strings.Fields(
			"backup clone create migrate rollback snapshot snapshot-delete suspending suspended")},
		"name":   {check: isDNSName},
		"scsihw": {enum: strings.Fields("lsi lsi53c810 virtio-scsi-pci virtio-scsi-single megasas pvscsi")},
		"ostype": {enum: strings.Fields(
			"other wxp w2k w2k3 w2k8 wvista win7 win8 win10 win11 l24 l26 solaris")},
		"bios":       {enum: []string{"seabios", "ovmf"}},
		"hugepages":  {enum: []string{"any", "2", "1024"}},
		"citype":     {enum: []string{"configdrive2", "nocloud", "opennebula"}},
		"boot":       {schema: bootSchema},
		"bootdisk":   {pattern: reBootDisk},
		"agent":      {schema: agentSchema},
		"startup":    {schema: startupSchema},
		"smbios1":    {schema: smbiosSchema},
		"meta":       {schema: metaSchema},
		"cicustom":   {schema: cicustomSchema},
		"vmgenid":    {pattern: reUUIDOrFlag},
		"vmstate":    {check: isVolumeID},
		"hookscript": {check: isVolumeID},
		"tags":       {check: isTagList},
		"nameserver": {check: isAddressList},
		"cdrom":      {schema: driveSchemas["ide"]},
	}
	t["memory"] = memory
	for _, k := range strings.Fields(`onboot autostart reboot numa keephugepages acpi kvm tdf localtime freeze
		template tablet protection ciupgrade allow-ksm`) {
		t[k] = option{kind: kindBoolean}
	}
	for _, k := range strings.Fields(`cpuunits balloon shares smp sockets cores vcpus migrate_speed snaptime`) {
		t[k] = option{kind: kindInteger}
	}
	for _, k := range strings.Fields(`cpulimit migrate_downtime`) {
		t[k] = option{kind: kindNumber}
	}
	for _, k := range strings.Fields(`amd-sev intel-tdx keyboard vga watchdog startdate args cpu parent vmstatestorage
		runningmachine runningcpu running-nets-host-mtu machine arch ivshmem audio0 spice_enhancements rng0 affinity
		ciuser cipassword searchdomain sshkeys`) {
		t[k] = option{}
	}
	numbered(t, "net", 32, option{schema: netSchema})
	numbered(t, "ipconfig", 32, option{schema: ipconfigSchema})
	numbered(t, "serial", 4, option{pattern: reSerial})
	numbered(t, "parallel", 3, option{pattern: reParallel})
	numbered(t, "numa", 8, option{})
	numbered(t, "hostpci", 16, option{})
	numbered(t, "usb", 14, option{})
	numbered(t, "virtiofs", 10, option{})
	for bus, n := range driveCount {
		numbered(t, bus, n, option{schema: driveSchemas[bus]})
	}
	return t
}

// buildLXCOptions makes the option table of containers (pve-container
// src/PVE/LXC/Config.pm).
func buildLXCOptions() map[string]option {
	t := map[string]option{
		"lock": {enum: strings.Fields(
			"backup create destroyed disk fstrim migrate mounted rollback snapshot snapshot-delete")},
		"arch":     {enum: strings.Fields("amd64 i386 arm64 armhf riscv32 riscv64")},
		"startup":  {schema: startupSchema},
		"hostname": {check: isDNSName},
		"tags":     {check: isTagList},
		"cmode":    {enum: []string{"shell", "console", "tty"}},
	}
	for _, k := range strings.Fields("onboot template console protection unprivileged debug") {
		t[k] = option{kind: kindBoolean}
	}
	for _, k := range strings.Fields("tty cores cpuunits memory swap snaptime") {
		t[k] = option{kind: kindInteger}
	}
	t["cpulimit"] = option{kind: kindNumber}
	for _, k := range strings.Fields(`ostype searchdomain nameserver timezone rootfs parent entrypoint features env hookscript`) {
		t[k] = option{}
	}
	numbered(t, "net", 32, option{})
	numbered(t, "mp", 256, option{})
	numbered(t, "dev", 256, option{})
	numbered(t, "unused", 256, option{})
	return t
}

var (
	reConfInteger = regexp.MustCompile(`^\d+$`)
	reConfNumber  = regexp.MustCompile(`^\d+(?:\.\d+)?$`)
)

// value checks the text of a line and turns it into what the API hands out:
// integers and flags become numbers, "number" options and all else stay text
// (QemuServer.pm check_type).
func (o option) value(text string) (any, error) {
	switch o.kind {
	case kindBoolean:
		switch {
		case reTrue.MatchString(text):
			return int64(1), nil
		case reFalse.MatchString(text):
			return int64(0), nil
		}
		return nil, fmt.Errorf("type check ('boolean') failed - got '%s'", text)
	case kindInteger:
		v, err := strconv.ParseInt(text, 10, 64)
		if !reConfInteger.MatchString(text) || err != nil {
			return nil, fmt.Errorf("type check ('integer') failed - got '%s'", text)
		}
		return v, nil
	case kindNumber:
		if !reConfNumber.MatchString(text) {
			return nil, fmt.Errorf("type check ('number') failed - got '%s'", text)
		}
		return text, nil
	case kindString:
	}
	if o.schema != nil {
		if _, err := o.schema.parse(text); err != nil {
			return nil, err
		}
		return text, nil
	}
	if err := (prop{pattern: o.pattern, enum: o.enum, check: o.check}).valid(text); err != nil {
		return nil, err
	}
	if o.check == nil && len(text) > 1 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		text = text[1 : len(text)-1]
	}
	return text, nil
}
