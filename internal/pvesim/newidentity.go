package pvesim

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// randomBytes cannot fail: crypto/rand ends the program rather than return less.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

// newUUID makes up a UUID as for a new guest.
func newUUID() string {
	b := randomBytes(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// newMAC makes up an address with the prefix of the cluster. Since version 8 that
// is BC:24:11 by default; before, an address was random but for the bits that say
// "one station" and "locally administered" (PVE::Tools random_ether_addr).
func (s *fleetState) newMAC() string {
	prefix := s.fleet.Options["mac_prefix"]
	if prefix == "" && s.release.major >= 8 {
		prefix = "BC:24:11"
	}
	b := randomBytes(6)
	b[0] = b[0]&0xfe | 0x02
	var octets []string
	for _, o := range b {
		octets = append(octets, fmt.Sprintf("%02X", o))
	}
	if prefix != "" {
		own := strings.Split(strings.ToUpper(prefix), ":")
		copy(octets, own)
	}
	return strings.Join(octets, ":")
}
