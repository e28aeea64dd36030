package pvesim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var sizeUnits = map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// parseSize reads a size as Proxmox VE writes it in a disk's options: a number
// with an optional unit K, M, G or T, powers of 1024 (PVE::JSONSchema parse_size).
func parseSize(s string) (int64, error) {
	unit := ""
	num := s
	if n := len(s); n > 0 && strings.ContainsAny(s[n-1:], "KMGT") {
		unit, num = s[n-1:], s[:n-1]
	}
	if num == "" || strings.Trim(num, "0123456789.") != "" {
		return 0, fmt.Errorf("size %q: want a number with an optional unit K, M, G or T", s)
	}
	v, err := strconv.ParseFloat(num, 64)
	if err != nil || v*sizeUnits[unit] > math.MaxInt64/2 {
		return 0, fmt.Errorf("size %q: want a number with an optional unit K, M, G or T", s)
	}
	return int64(v * sizeUnits[unit]), nil
}

// sizeOr is parseSize with a default for the empty text.
func sizeOr(s, def string) (int64, error) {
	if s == "" {
		s = def
	}
	return parseSize(s)
}
