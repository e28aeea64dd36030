package pvesim

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// The named formats of PVE::JSONSchema that decide whether a line of a
// configuration file is taken.
var (
	reDNSName  = regexp.MustCompile(`^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$`)
	reTag      = regexp.MustCompile(`(?i)^[a-z0-9_][a-z0-9_\-+.]*$`)
	reVolumeID = regexp.MustCompile(`(?i)^[a-z][a-z0-9\-_.]*[a-z0-9]:.+$`)
	reMAC      = regexp.MustCompile(`(?i)^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$`)
	reBridge   = regexp.MustCompile(`^[-_.\w]+$`)
	reSnapshot = regexp.MustCompile(`(?i)^[a-z][a-z0-9_-]+$`)
	reDiskSize = regexp.MustCompile(`^\d+(?:\.\d+)?[KMGT]?$`)
	reListSep  = regexp.MustCompile(`[,;\s\x00]+`)
)

func isDNSName(s string) bool  { return reDNSName.MatchString(s) }
func isVolumeID(s string) bool { return reVolumeID.MatchString(s) }

// isDiskSource says whether a drive may name s as its file.
func isDiskSource(s string) bool {
	return s == "none" || s == "cdrom" || strings.HasPrefix(s, "/") || isVolumeID(s)
}

// splitList cuts a list at commas, semicolons and blanks (PVE::Tools split_list).
func splitList(s string) []string {
	return slices.DeleteFunc(reListSep.Split(s, -1), func(p string) bool { return p == "" })
}

func isTagList(s string) bool {
	return !slices.ContainsFunc(splitList(s), func(t string) bool { return !reTag.MatchString(t) })
}

// isAddressList says whether every entry of a list is an IP address.
func isAddressList(s string) bool {
	return !slices.ContainsFunc(splitList(s), func(a string) bool {
		_, err := netip.ParseAddr(a)
		return err != nil && !isDNSName(a)
	})
}

// isHotplug checks the value of "hotplug": a flag, or a list of features.
func isHotplug(s string) bool {
	if s == "0" || s == "1" {
		return true
	}
	features := []string{"network", "disk", "cpu", "memory", "usb", "cloudinit"}
	return !slices.ContainsFunc(splitList(s), func(f string) bool { return !slices.Contains(features, f) })
}

// isIPConfig4 checks the "ip" of ipconfigN: dhcp, or an address with its prefix.
func isIPConfig4(s string) bool {
	p, err := netip.ParsePrefix(s)
	return s == "dhcp" || err == nil && p.Addr().Is4()
}

// isIPConfig6 checks the "ip6" of ipconfigN: auto, dhcp, or an address with its
// prefix.
func isIPConfig6(s string) bool {
	p, err := netip.ParsePrefix(s)
	return s == "dhcp" || s == "auto" || err == nil && p.Addr().Is6()
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6()
}

var reBootDevice = regexp.MustCompile(`^(?:(?:ide|scsi|sata|virtio|net|usb|hostpci)\d+)$`)

// isBootOrder checks the list of "boot: order=".
func isBootOrder(s string) bool {
	return !slices.ContainsFunc(splitList(s), func(d string) bool { return !reBootDevice.MatchString(d) })
}
