package normalize

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text reads a string. Numbers are taken too, for a name of digits has been seen as one.
func Text(v any) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), true
	case json.Number:
		return x.String(), true
	default:
		return "", false
	}
}

// Number reads a finite number, also from a string ("0.4": cpulimit is one in every version).
func Number(v any) (float64, bool) {
	var f float64
	switch x := v.(type) {
	case float64:
		f = x
	case json.Number:
		return Number(x.String())
	case string:
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(x), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// maxExact is the largest whole number up to which a float64 (what encoding/json makes of a JSON number) holds every
// whole number.
const maxExact = 1 << 53

// Integer reads a whole number, also from a string. A fraction is not rounded: it is no whole number.
func Integer(v any) (int64, bool) {
	if s, ok := v.(string); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err == nil {
			return n, true
		}
	}
	f, ok := Number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > maxExact {
		return 0, false
	}
	return int64(f), true
}

// Bool reads Proxmox's booleans: 0 and 1 as numbers or strings, the empty string that Perl's "false" becomes, JSON's
// own (inside answers of QEMU), and the words that Proxmox's parser takes in property strings (pve-common
// PVE/JSONSchema.pm, parse_boolean: yes, on, true; no, off, false).
func Bool(v any) (val, ok bool) {
	switch x := v.(type) {
	case bool:
		return x, true
	case nil:
		return false, true
	case string:
		switch strings.ToLower(strings.TrimSpace(x)) {
		case "1", "on", "yes", "true":
			return true, true
		case "", "0", "off", "no", "false":
			return false, true
		}
		return false, false
	default:
		f, isNumber := Number(v)
		return f != 0, isNumber
	}
}

// kind names a decoded JSON value's type for an error.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case float64, json.Number:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return fmt.Sprintf("a %T", v)
	}
}
