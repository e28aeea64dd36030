package pvesim

import (
	"maps"
	"regexp"
	"strconv"
)

// Property strings of a QEMU guest (qemu-server: QemuServer.pm, Drive.pm,
// Network.pm, Agent.pm, Memory.pm). Those of options that no inventory reads
// (cpu, vga, hostpci, usb, …) are not checked; see the option table.

var reBase64ish = regexp.MustCompile(`^[A-Za-z0-9+/]+={0,2}$`)

var smbiosSchema = func() propSchema {
	s := propSchema{
		"uuid":   {pattern: regexp.MustCompile(`^[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}$`)},
		"base64": {kind: kindBoolean},
	}
	for _, k := range []string{"version", "serial", "manufacturer", "product", "sku", "family"} {
		s[k] = prop{pattern: reBase64ish}
	}
	return s
}()

// nicModels are the network card models; each is also a key whose value is the
// MAC address.
var nicModels = []string{
	"e1000", "e1000-82540em", "e1000-82544gc", "e1000-82545em", "e1000e", "i82551", "i82557b",
	"i82559er", "ne2k_isa", "ne2k_pci", "pcnet", "rtl8139", "virtio", "vmxnet3",
}

var netSchema = func() propSchema {
	s := propSchema{
		"model":       {required: true, isDefault: true, enum: nicModels},
		"macaddr":     {pattern: reMAC},
		"bridge":      {pattern: reBridge},
		"queues":      {kind: kindInteger, max: 64},
		"rate":        {kind: kindNumber},
		"tag":         {kind: kindInteger, min: 1, max: 4094},
		"trunks":      {pattern: regexp.MustCompile(`^\d+(?:-\d+)?(?:;\d+(?:-\d+)?)*$`)},
		"firewall":    {kind: kindBoolean},
		"link_down":   {kind: kindBoolean},
		"mtu":         {kind: kindInteger, min: 1, max: 65520},
		"host-tunnel": {kind: kindBoolean},
	}
	for _, m := range nicModels {
		s[m] = prop{keyAlias: "model", alias: "macaddr"}
	}
	return s
}()

var ipconfigSchema = propSchema{
	"ip":  {check: isIPConfig4},
	"gw":  {check: isIPv4},
	"ip6": {check: isIPConfig6},
	"gw6": {check: isIPv6},
}

var agentSchema = propSchema{
	"enabled":             {kind: kindBoolean, required: true, isDefault: true},
	"fstrim_cloned_disks": {kind: kindBoolean},
	"freeze-fs":           {kind: kindBoolean},
	"freeze-fs-on-backup": {alias: "freeze-fs"},
	"guest-fsfreeze":      {alias: "freeze-fs"},
	"type":                {enum: []string{"virtio", "isa"}},
}

var memorySchema = propSchema{"current": {kind: kindInteger, required: true, isDefault: true, min: 16}}

var bootSchema = propSchema{
	"legacy": {isDefault: true, pattern: regexp.MustCompile(`^[acdn]{1,4}$`)},
	"order":  {check: isBootOrder},
}

var startupSchema = propSchema{
	"order": {kind: kindInteger, isDefault: true},
	"up":    {kind: kindInteger},
	"down":  {kind: kindInteger},
}

var metaSchema = propSchema{
	"ctime":         {kind: kindInteger},
	"creation-qemu": {pattern: regexp.MustCompile(`^\d+(?:\.\d+)+$`)},
}

var cicustomSchema = propSchema{
	"meta": {check: isVolumeID}, "network": {check: isVolumeID},
	"user": {check: isVolumeID}, "vendor": {check: isVolumeID},
}

var (
	imageFormats = []string{"raw", "qcow", "qed", "qcow2", "vmdk", "cloop"}
	reWWN        = regexp.MustCompile(`^(?:0x)[0-9a-fA-F]{16}`)
)

// driveBase are the options that every kind of disk knows.
var driveBase = func() propSchema {
	s := propSchema{
		"file": {required: true, isDefault: true, check: isDiskSource}, "volume": {alias: "file"},
		"media": {enum: []string{"cdrom", "disk"}}, "cyls": {kind: kindInteger}, "heads": {kind: kindInteger},
		"secs": {kind: kindInteger}, "trans": {enum: []string{"none", "lba", "auto"}},
		"snapshot": {kind: kindBoolean}, "cache": {enum: []string{"none", "writethrough", "writeback", "unsafe", "directsync"}},
		"format": {enum: imageFormats}, "size": {pattern: reDiskSize}, "backup": {kind: kindBoolean},
		"replicate": {kind: kindBoolean}, "rerror": {enum: []string{"ignore", "report", "stop"}},
		"werror": {enum: []string{"enospc", "ignore", "report", "stop"}}, "aio": {enum: []string{"native", "threads", "io_uring"}},
		"discard": {enum: []string{"ignore", "on"}}, "detect_zeroes": {kind: kindBoolean},
		"serial": {}, "shared": {kind: kindBoolean},
	}
	for _, dir := range []string{"", "_rd", "_wr"} {
		for _, max := range []string{"", "_max"} {
			s["bps"+dir+max] = prop{kind: kindInteger}
			s["mbps"+dir+max] = prop{kind: kindNumber}
			s["iops"+dir+max] = prop{kind: kindInteger}
		}
		s["bps"+dir+"_max_length"] = prop{kind: kindInteger, min: 1}
		s["iops"+dir+"_max_length"] = prop{kind: kindInteger, min: 1}
		if dir != "" {
			s["bps"+dir+"_length"] = prop{alias: "bps" + dir + "_max_length"}
			s["iops"+dir+"_length"] = prop{alias: "iops" + dir + "_max_length"}
		}
	}
	return s
}()

// drive is driveBase with the options of one bus.
func drive(extra propSchema) propSchema {
	s := maps.Clone(driveBase)
	maps.Copy(s, extra)
	return s
}

var driveSchemas = map[string]propSchema{
	"ide":  drive(propSchema{"model": {}, "ssd": {kind: kindBoolean}, "wwn": {pattern: reWWN}}),
	"sata": drive(propSchema{"ssd": {kind: kindBoolean}, "wwn": {pattern: reWWN}}),
	"scsi": drive(propSchema{
		"iothread": {kind: kindBoolean}, "product": {}, "queues": {kind: kindInteger, min: 2}, "ro": {kind: kindBoolean},
		"scsiblock": {kind: kindBoolean}, "ssd": {kind: kindBoolean}, "vendor": {}, "wwn": {pattern: reWWN},
	}),
	"virtio": drive(propSchema{"iothread": {kind: kindBoolean}, "ro": {kind: kindBoolean}}),
	"efidisk": {
		"file": {required: true, isDefault: true, check: isDiskSource}, "volume": {alias: "file"},
		"format": {enum: imageFormats}, "size": {pattern: reDiskSize}, "efitype": {enum: []string{"2m", "4m"}},
		"pre-enrolled-keys": {kind: kindBoolean}, "ms-cert": {},
	},
	"tpmstate": {
		"file": {required: true, isDefault: true, check: isDiskSource}, "volume": {alias: "file"},
		"format": {enum: imageFormats}, "size": {pattern: reDiskSize}, "version": {enum: []string{"v1.2", "v2.0"}},
	},
	"unused": {"file": {required: true, isDefault: true, check: isVolumeID}, "volume": {alias: "file"}},
}

// driveCount is how many disks of a kind a guest may have.
var driveCount = map[string]int{"ide": 4, "sata": 6, "scsi": 31, "virtio": 16, "efidisk": 1, "tpmstate": 1, "unused": 256}

// numbered spreads one option over its numbered names.
func numbered(to map[string]option, name string, n int, o option) {
	for i := range n {
		to[name+strconv.Itoa(i)] = o
	}
}
