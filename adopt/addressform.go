package adopt

import (
	"net/netip"
	"strings"
)

// mapped is true for a text that writes IPv4 addresses in IPv6 form: whoever reads it takes it for the one or the other.
func mapped(text string) bool {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '/' }) {
		if a, err := netip.ParseAddr(strings.TrimSpace(part)); err == nil && a.Is4In6() {
			return true
		}
	}
	return false
}
