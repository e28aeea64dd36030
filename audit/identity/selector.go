package identity

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// Matcher is a compiled Selector.
type Matcher struct {
	tags    []string
	names   *regexp.Regexp
	pools   []string
	ranges  [][2]int
	subnets []netip.Prefix
}

// CompileSelector checks a Selector. Its errors name the field and the value.
func CompileSelector(s inventory.Selector) (*Matcher, error) {
	m := &Matcher{pools: s.Pools}
	for _, t := range s.Tags {
		m.tags = append(m.tags, strings.ToLower(strings.TrimSpace(t)))
	}
	if s.Names != "" {
		re, err := regexp.Compile(`^(?:` + s.Names + `)$`)
		if err != nil {
			return nil, fmt.Errorf("names: %q is no regular expression (RE2): %w", s.Names, err)
		}
		m.names = re
	}
	for _, r := range s.VMIDs {
		lo, hi, err := parseRange(r)
		if err != nil {
			return nil, err
		}
		m.ranges = append(m.ranges, [2]int{lo, hi})
	}
	for _, c := range s.Subnets {
		p, err := netip.ParsePrefix(c)
		if err != nil {
			return nil, fmt.Errorf("subnets: %q is no CIDR: %w", c, err)
		}
		m.subnets = append(m.subnets, p.Masked())
	}
	return m, nil
}

func parseRange(s string) (int, int, error) {
	from, to, isRange := strings.Cut(s, "-")
	lo, err := strconv.Atoi(strings.TrimSpace(from))
	hi := lo
	if err == nil && isRange {
		hi, err = strconv.Atoi(strings.TrimSpace(to))
	}
	if err != nil || !inventory.ValidVMID(lo) || !inventory.ValidVMID(hi) || hi < lo {
		return 0, 0, fmt.Errorf("vmids: %q is no VMID and no range of them (like 100-199)", s)
	}
	return lo, hi, nil
}

// Match is what a Selector says of a VM.
type Match int

const (
	// NoMatch says that a field that was seen is another.
	NoMatch Match = iota
	// MayMatch says that all that was seen fits, and that not all that the Selector asks for was.
	MayMatch
	// Matches says that all fields fit.
	Matches
)

// Match says whether a VM is selected, and if so by what. A name or an address that was not seen (it comes by DHCP, and no
// guest agent was asked) is none that does not fit.
func (m *Matcher) Match(vm *inventory.VM) (string, Match) {
	var why []string
	unseen := false
	if len(m.tags) > 0 {
		tag := firstMatch(m.tags, vm.HasTag)
		if tag == "" {
			return "", NoMatch
		}
		why = append(why, "tag "+tag)
	}
	if m.names != nil {
		if vm.Name == "" {
			unseen = true
		} else if !m.names.MatchString(vm.Name) {
			return "", NoMatch
		}
		why = append(why, "name")
	}
	if len(m.pools) > 0 {
		// A pool's nested pools are part of it (Proxmox VE 8 and later: "a/b").
		pool := firstMatch(m.pools, func(p string) bool { return vm.Pool == p || strings.HasPrefix(vm.Pool, p+"/") })
		if pool == "" {
			return "", NoMatch
		}
		why = append(why, "pool "+pool)
	}
	if len(m.ranges) > 0 {
		in := false
		for _, r := range m.ranges {
			in = in || (vm.VMID >= r[0] && vm.VMID <= r[1])
		}
		if !in {
			return "", NoMatch
		}
		why = append(why, "VMID range")
	}
	if len(m.subnets) > 0 {
		in := false
		for _, ip := range vmIPs(vm) {
			for _, p := range m.subnets {
				in = in || p.Contains(ip)
			}
		}
		switch {
		case in:
		case addressesSeen(vm):
			return "", NoMatch
		default:
			unseen = true
		}
		why = append(why, "subnet")
	}
	switch {
	case unseen:
		return "", MayMatch
	case len(why) == 0:
		return "", NoMatch
	}
	return strings.Join(why, ", "), Matches
}

// addressesSeen is true if the addresses of each of a VM's interfaces are known: the configuration gives one, or the guest
// agent showed one.
func addressesSeen(vm *inventory.VM) bool {
	if vm.Config == nil {
		return false
	}
	given := map[string]bool{}
	for _, c := range vm.Config.IPConfigs {
		if a, _ := parseAddress(c.IPv4); a.IsValid() {
			given[strings.TrimPrefix(c.Slot, "ipconfig")] = true
		}
	}
	shown := map[string]bool{}
	if vm.Agent != nil {
		for _, ifc := range vm.Agent.Interfaces {
			for _, s := range ifc.Addresses {
				if a, _ := parseAddress(s); a.IsValid() && !a.IsLoopback() && !a.IsLinkLocalUnicast() {
					shown[strings.ToLower(ifc.MAC)] = true
				}
			}
		}
	}
	for _, n := range vm.Config.NICs {
		if !given[strings.TrimPrefix(n.Slot, "net")] && !shown[strings.ToLower(n.MAC)] {
			return false
		}
	}
	return len(given)+len(shown) > 0
}

func firstMatch(in []string, ok func(string) bool) string {
	for _, s := range in {
		if ok(s) {
			return s
		}
	}
	return ""
}
