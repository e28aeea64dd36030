package normalize

import "strings"

// Property is one part of a property string.
type Property struct {
	// Key is empty for a part without "=": the format's default key, which may stand at any place.
	Key, Value string
}

// Properties takes a property string apart, in the order in which it stands (pve-common PVE/JSONSchema.pm,
// parse_property_string). Values may hold ";" and further "=", never ",".
func Properties(s string) []Property {
	var out []Property
	for _, part := range strings.Split(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if k, v, ok := strings.Cut(part, "="); ok {
			out = append(out, Property{Key: k, Value: v})
		} else {
			out = append(out, Property{Value: part})
		}
	}
	return out
}

// property returns the value of a key; the default key's part counts for it too.
func property(props []Property, key string, isDefault bool) (string, bool) {
	for _, p := range props {
		if p.Key == key || isDefault && p.Key == "" {
			return p.Value, true
		}
	}
	return "", false
}
