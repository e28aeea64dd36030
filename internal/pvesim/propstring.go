package pvesim

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kind is the type of an option of a configuration file or of a part of a
// property string (PVE::JSONSchema).
type kind int

const (
	kindString kind = iota
	kindInteger
	kindNumber
	kindBoolean
)

// prop is one key of a property string.
type prop struct {
	kind     kind
	required bool
	// isDefault marks the key that a part without "=" belongs to.
	isDefault bool
	// alias is the key that this one is another name of.
	alias string
	// keyAlias makes the name of this key the value of that one: "virtio=MAC"
	// means model=virtio and, with alias, macaddr=MAC.
	keyAlias string
	pattern  *regexp.Regexp
	enum     []string
	check    func(string) bool
	min, max float64 // bounds of a number when max > 0; min alone when max is 0
}

// propSchema describes a property string: "key=value,key=value", with keys in
// any order.
type propSchema map[string]prop

var (
	reInteger = regexp.MustCompile(`^[+-]?\d+$`)
	reNumber  = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`)
	reTrue    = regexp.MustCompile(`(?i)^(1|on|yes|true)$`)
	reFalse   = regexp.MustCompile(`(?i)^(0|off|no|false)$`)
)

// parse reads a property string. Like PVE::JSONSchema parse_property_string it
// refuses a key that the schema does not know, a key that occurs twice, a value
// of the wrong form and a missing required key.
func (s propSchema) parse(text string) (map[string]string, error) {
	res := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		key, value, hasKey := strings.Cut(part, "=")
		if !hasKey {
			key, value = s.defaultKey(), part
			if key == "" {
				return nil, fmt.Errorf("value %q without a key, and no default key defined", part)
			}
			if _, dup := res[key]; dup {
				return nil, fmt.Errorf("duplicate key in comma-separated list property: %s", key)
			}
		}
		if err := s.set(res, key, value); err != nil {
			return nil, err
		}
	}
	for key, p := range s {
		if _, ok := res[key]; p.required && !ok {
			return nil, fmt.Errorf("property %s is missing and it is not optional", key)
		}
	}
	return res, nil
}

func (s propSchema) defaultKey() string {
	for key, p := range s {
		if p.isDefault {
			return key
		}
	}
	return ""
}

// set stores one key after following its aliases.
func (s propSchema) set(res map[string]string, key, value string) error {
	p, ok := s[key]
	if !ok {
		return fmt.Errorf("invalid key in comma-separated list property: %s", key)
	}
	if p.keyAlias != "" {
		if _, dup := res[p.keyAlias]; dup {
			return fmt.Errorf("key %s and %s are the same", key, p.keyAlias)
		}
		res[p.keyAlias] = key
	}
	if p.alias != "" {
		key = p.alias
		if p, ok = s[key]; !ok {
			return fmt.Errorf("alias of an undefined key %s", key)
		}
	}
	if _, dup := res[key]; dup {
		return fmt.Errorf("duplicate key in comma-separated list property: %s", key)
	}
	if err := p.valid(value); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	res[key] = value
	return nil
}

// valid checks a value against the type and the constraints of a key.
func (p prop) valid(value string) error {
	switch p.kind {
	case kindBoolean:
		if !reTrue.MatchString(value) && !reFalse.MatchString(value) {
			return fmt.Errorf("type check ('boolean') failed - got '%s'", value)
		}
	case kindInteger, kindNumber:
		name, re := "integer", reInteger
		if p.kind == kindNumber {
			name, re = "number", reNumber
		}
		if !re.MatchString(value) {
			return fmt.Errorf("type check ('%s') failed - got '%s'", name, value)
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || v < p.min || p.max > 0 && v > p.max {
			return fmt.Errorf("value %s is out of range", value)
		}
	case kindString:
	}
	if p.pattern != nil && !p.pattern.MatchString(value) {
		return fmt.Errorf("value does not match the regex pattern")
	}
	if len(p.enum) > 0 && !slices.Contains(p.enum, value) {
		return fmt.Errorf("value '%s' does not have a value in the enumeration '%s'", value, strings.Join(p.enum, ", "))
	}
	if p.check != nil && !p.check(value) {
		return fmt.Errorf("invalid format")
	}
	return nil
}
