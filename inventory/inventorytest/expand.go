package inventorytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

var placeholder = regexp.MustCompile(`\$([uUs])(\d+)`)

// UUID is the UUID that $uN stands for. Its first three groups differ from their byte-swapped form.
func UUID(n int) string {
	return fmt.Sprintf("1a2b%04x-3c4d-4e5f-8000-%012x", n&0xffff, n)
}

// expand writes UUIDs for $uN (canonical), $UN (upper case) and $sN (the first three groups byte-swapped).
func expand(text string) (string, error) {
	var bad error
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		n, err := strconv.Atoi(m[2:])
		if err != nil || n > 0xffff {
			bad = fmt.Errorf("%s: the number is too large", m)
			return m
		}
		switch m[1] {
		case 'U':
			return strings.ToUpper(UUID(n))
		case 's':
			return inventory.SwapUUID(UUID(n))
		default:
			return UUID(n)
		}
	})
	return out, bad
}

// strictJSON decodes and refuses unknown keys.
func strictJSON(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// age is how long ago something was: like "90d", "10m", or negative for the future. Empty is the default that the
// reader of the field knows; "none" is a time that is not known.
type age string

const day = 24 * time.Hour

func (a age) at(now time.Time, otherwise time.Duration) (*time.Time, error) {
	d := otherwise
	switch s := string(a); {
	case s == "none":
		return nil, nil
	case s == "":
	case strings.HasSuffix(s, "d"):
		n, err := strconv.Atoi(strings.TrimSuffix(s, "d"))
		if err != nil {
			return nil, fmt.Errorf("age %q: %w", s, err)
		}
		d = time.Duration(n) * day
	default:
		var err error
		if d, err = time.ParseDuration(s); err != nil {
			return nil, fmt.Errorf("age %q: %w", s, err)
		}
	}
	t := now.Add(-d)
	return &t, nil
}

// maybe is at for a time that is usually not there.
func (a age) maybe(now time.Time) (*time.Time, error) {
	if a == "" {
		return nil, nil
	}
	return a.at(now, 0)
}
