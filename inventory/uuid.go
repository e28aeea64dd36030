package inventory

import (
	"strings"

	"github.com/google/uuid"
)

// junkUUIDs are values that firmware and copied images are known to carry: they name many machines, so none. The nil
// and the all-F UUID are tested apart. Sources: reports of duplicate DMI UUIDs (dmidecode's own list of vendor
// placeholders; siderolabs/omni#38, siderolabs/talos#8804).
var junkUUIDs = map[string]bool{
	"03000200-0400-0500-0006-000700080009": true,
	"00020003-0004-0005-0006-000700080009": true,
	"12345678-1234-5678-90ab-cddeefaabbcc": true,
	"01234567-8910-1112-1314-151617181920": true,
	"00112233-4455-6677-8899-aabbccddeeff": true,
	"fefefefe-fefe-fefe-fefe-fefefefefefe": true,
}

// NormalizeUUID returns the canonical lower-case form of an SMBIOS UUID, and whether it can identify one machine. The
// form without hyphens is accepted, for dmidecode and some firmware print it so; braces and URN prefixes are not.
func NormalizeUUID(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) != 36 && len(s) != 32 {
		return "", false
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return "", false
	}
	c := canonical(u, s)
	if u == uuid.Nil || u == uuid.Max || junkUUIDs[c] {
		return c, false
	}
	return c, true
}

// canonical is u's text: s itself if that is what s says already, without a copy. The UUIDs of a fleet are parsed many
// times, and programs write them in this form.
func canonical(u uuid.UUID, s string) string {
	if len(s) == 36 && !strings.ContainsFunc(s, func(r rune) bool { return 'A' <= r && r <= 'F' }) {
		return s
	}
	return u.String()
}

// SwapUUID returns the UUID with its first three groups byte-swapped: how a reader that takes the little-endian SMBIOS
// encoding for big-endian (or the reverse) sees it. The argument has to be canonical.
func SwapUUID(canonical string) string {
	u, err := uuid.Parse(canonical)
	if err != nil {
		return ""
	}
	u[0], u[1], u[2], u[3] = u[3], u[2], u[1], u[0]
	u[4], u[5] = u[5], u[4]
	u[6], u[7] = u[7], u[6]
	return u.String()
}
