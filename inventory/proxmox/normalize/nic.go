package normalize

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

var (
	nicSlot      = regexp.MustCompile(`^net[0-9]+$`)
	ipConfigSlot = regexp.MustCompile(`^ipconfig[0-9]+$`)
	macForm      = regexp.MustCompile(`^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$`)
)

// nic reads a network device. Three spellings of model and address are legal, in any order: "virtio=MAC",
// "virtio,macaddr=MAC" and "model=virtio,macaddr=MAC" (qemu-server PVE/QemuServer/Network.pm).
func nic(slot, value string) inventory.NIC {
	n := inventory.NIC{Slot: slot}
	for _, p := range Properties(value) {
		switch p.Key {
		case "":
			n.Model = p.Value
		case "model":
			n.Model = p.Value
		case "macaddr":
			n.MAC = mac(p.Value)
		case "bridge":
			n.Bridge = p.Value
		case "tag":
			n.VLAN = small(p.Value)
		case "mtu":
			n.MTU = small(p.Value)
		case "queues":
			n.Queues = small(p.Value)
		case "firewall":
			n.Firewall, _ = Bool(p.Value)
		case "link_down":
			n.LinkDown, _ = Bool(p.Value)
		default:
			// The models are an open list (each QEMU may add one): what carries an address is one.
			if m := mac(p.Value); m != "" {
				n.Model, n.MAC = p.Key, m
			}
		}
	}
	return n
}

func mac(s string) string {
	if !macForm.MatchString(s) {
		return ""
	}
	return strings.ToLower(s)
}

// small reads a VLAN, an MTU or a number of queues; 0 for what is none.
func small(s string) int {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

// ipConfig reads a cloud-init address setting like "ip=192.0.2.10/24,gw=192.0.2.1,ip6=auto".
func ipConfig(slot, value string) inventory.IPConfig {
	c := inventory.IPConfig{Slot: slot}
	for _, p := range Properties(value) {
		switch p.Key {
		case "ip":
			c.IPv4 = p.Value
		case "ip6":
			c.IPv6 = p.Value
		case "gw":
			c.Gateway4 = p.Value
		case "gw6":
			c.Gateway6 = p.Value
		}
	}
	return c
}
