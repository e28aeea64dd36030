package identity

import (
	"net/netip"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// candidate is true for guests that can be a Machine or Node: QEMU guests that are not known to be templates.
func candidate(vm *inventory.VM) bool { return vm.Type == inventory.GuestQEMU && !vm.IsTemplate() }

func foldName(s string) string { return strings.ToLower(strings.TrimSuffix(s, ".")) }

// sameFolded is true for one name with and without its domain. Two domains are two machines.
func sameFolded(a, b string) bool {
	if a == b {
		return true
	}
	if strings.Contains(a, ".") && strings.Contains(b, ".") {
		return false
	}
	return shortName(a) == shortName(b)
}

// shortName is the part before the first dot.
func shortName(folded string) string {
	short, _, _ := strings.Cut(folded, ".")
	return short
}

func vmMACs(vm *inventory.VM) []string {
	if vm.Config == nil {
		return nil
	}
	var out []string
	for _, n := range vm.Config.NICs {
		if n.MAC != "" {
			out = append(out, strings.ToLower(n.MAC))
		}
	}
	return dedupe(out)
}

// vmIPs returns the addresses that the configuration or the guest agent gives for a VM and that can identify it. Left
// out: loopback, link-local, and addresses of interfaces that the agent shows without one of the configuration's MACs
// (bridges and tunnels of a CNI carry addresses that repeat on every node), and single-host prefixes from the agent:
// a virtual IP of a control plane moves between machines.
func vmIPs(vm *inventory.VM) []netip.Addr {
	seen := map[netip.Addr]bool{}
	var out []netip.Addr
	add := func(s string, hostPrefixIsVirtual bool) {
		a, bits := parseAddress(s)
		if !a.IsValid() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || seen[a] {
			return
		}
		if hostPrefixIsVirtual && bits == a.BitLen() {
			return
		}
		seen[a] = true
		out = append(out, a)
	}
	if vm.Config != nil {
		for _, c := range vm.Config.IPConfigs {
			add(c.IPv4, false)
			add(c.IPv6, false)
		}
	}
	if vm.Agent != nil {
		macs := map[string]bool{}
		for _, m := range vmMACs(vm) {
			macs[m] = true
		}
		for _, ifc := range vm.Agent.Interfaces {
			if !macs[strings.ToLower(ifc.MAC)] {
				continue
			}
			for _, a := range ifc.Addresses {
				add(a, true)
			}
		}
	}
	return out
}

// parseAddress reads a CIDR or a bare address; a bare one has -1 as its prefix length.
func parseAddress(s string) (netip.Addr, int) {
	if strings.IndexByte(s, '/') >= 0 {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return netip.Addr{}, -1
		}
		return p.Addr().Unmap().WithZone(""), p.Bits()
	}
	if s == "" {
		return netip.Addr{}, -1
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().WithZone(""), -1
	}
	return netip.Addr{}, -1
}

func dedupe(in []string) []string {
	seen := make(map[string]bool, len(in))
	out := in[:0:0]
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
