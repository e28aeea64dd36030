package adopt

import (
	"fmt"
	"net/netip"
	"strings"

	"go4.org/netipx"
)

// addressSet reads addresses in the three forms that the in-cluster IPAM provider takes: one address, a range a-b, a CIDR.
func addressSet(list []string) (*netipx.IPSet, error) {
	var b netipx.IPSetBuilder
	for _, text := range list {
		text = strings.TrimSpace(text)
		switch {
		case strings.Contains(text, "-"):
			r, err := netipx.ParseIPRange(text)
			if err != nil {
				return nil, fmt.Errorf("%q is no range of addresses (FIRST-LAST)", text)
			}
			b.AddRange(r)
		case strings.Contains(text, "/"):
			pre, err := netip.ParsePrefix(text)
			if err != nil {
				return nil, fmt.Errorf("%q is no CIDR", text)
			}
			b.AddPrefix(pre)
		default:
			a, err := netip.ParseAddr(text)
			if err != nil || a.Zone() != "" {
				return nil, fmt.Errorf("%q is no address, range (FIRST-LAST) or CIDR", text)
			}
			b.Add(a)
		}
	}
	return b.IPSet()
}

// family is 4 or 6 if all of a set's addresses are of one family, else 0.
func family(set *netipx.IPSet) int {
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
