package normalize

import (
	"math"
	"regexp"
	"strconv"
)

// sizeForm is Proxmox's (pve-common PVE/JSONSchema.pm, parse_size).
var sizeForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([KMGT])?$`)

var sizeUnit = map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// Size reads a disk size like 32G, 528K, 2252M, 1.5T or plain bytes, in bytes.
func Size(s string) (int64, bool) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	if m[2] == "" {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err == nil {
			return n, true
		}
	}
	f, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, false
	}
	bytes := f * sizeUnit[m[2]]
	if bytes >= math.MaxInt64 {
		return 0, false
	}
	return int64(bytes), true
}
