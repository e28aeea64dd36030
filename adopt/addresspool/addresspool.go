// Package addresspool reads what pools of addresses hold, as the in-cluster IPAM provider does.
package addresspool

import (
	"fmt"
	"net/netip"
	"strings"

	"go4.org/netipx"
)

// Parse reads addresses in the three forms that the provider takes: one address, a range FIRST-LAST, a CIDR
// (cluster-api-ipam-provider-in-cluster v1.1.0 internal/poolutil). IPv4 in the form of IPv6 is IPv4.
func Parse(list []string) (*netipx.IPSet, error) {
	var b netipx.IPSetBuilder
	for _, text := range list {
		r, err := parse(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		b.AddRange(r)
	}
	return b.IPSet()
}

func parse(text string) (netipx.IPRange, error) {
	var r netipx.IPRange
	switch {
	case strings.Contains(text, "-"):
		from, to, _ := strings.Cut(text, "-")
		first, err1 := netip.ParseAddr(strings.TrimSpace(from))
		last, err2 := netip.ParseAddr(strings.TrimSpace(to))
		if r = netipx.IPRangeFrom(first.Unmap(), last.Unmap()); err1 != nil || err2 != nil || !r.IsValid() {
			return r, fmt.Errorf("%q is no range of addresses (FIRST-LAST)", text)
		}
	case strings.Contains(text, "/"):
		pre, err := netip.ParsePrefix(text)
		if err != nil {
			return r, fmt.Errorf("%q is no CIDR", text)
		}
		r = netipx.RangeOfPrefix(pre)
		if r.From().Is4In6() && r.To().Is4In6() {
			r = netipx.IPRangeFrom(r.From().Unmap(), r.To().Unmap())
		}
	default:
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return r, fmt.Errorf("%q is no address, range (FIRST-LAST) or CIDR", text)
		}
		r = netipx.IPRangeFrom(a.Unmap(), a.Unmap())
	}
	return r, nil
}

// Address reads an address, also one with the length of its network's prefix (10.0.0.11/24); words like dhcp are none. IPv4 in the
// form of IPv6 is IPv4, and the zone of a link-local address says nothing.
func Address(text string) (netip.Addr, bool) {
	if pre, err := netip.ParsePrefix(text); err == nil {
		return pre.Addr().Unmap(), true
	}
	a, err := netip.ParseAddr(text)
	return a.Unmap().WithZone(""), err == nil
}

// Within names the first of a pool's entries that an address lies in; empty if it lies in none, or is none. An entry that cannot be
// read holds nothing.
func Within(entries []string, address string) string {
	a, ok := Address(address)
	if !ok {
		return ""
	}
	for _, e := range entries {
		if set, err := Parse([]string{e}); err == nil && set.Contains(a) {
			return e
		}
	}
	return ""
}

// Family is 4 or 6 if all of a set's addresses are of one family, else 0.
func Family(set *netipx.IPSet) int {
	out := 0
	for _, r := range set.Ranges() {
		f := 6
		if r.From().Is4() {
			f = 4
		}
		if out != 0 && out != f {
			return 0
		}
		out = f
	}
	return out
}
