package inventory

import "fmt"

// redacted is what a Secret shows of itself.
const redacted = "REDACTED"

// Secret holds a token's secret or a credential-bearing URL. Every way of printing or encoding it gives REDACTED, so
// that it can stand in a configuration struct that somebody logs; only Reveal returns it.
type Secret struct{ value string }

// NewSecret wraps a value.
func NewSecret(v string) Secret { return Secret{value: v} }

// Reveal returns the value. Call it only where it goes into a request.
func (s Secret) Reveal() string { return s.value }

// IsSet is false for an empty Secret.
func (s Secret) IsSet() bool { return s.value != "" }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.value == "" {
		return ""
	}
	return redacted
}

// Format implements fmt.Formatter, so that no verb (%#v, %x, %q) reaches the field.
func (s Secret) Format(f fmt.State, _ rune) {
	// A writer that fails here is the caller's writer: fmt itself has nowhere to report it either.
	_, _ = f.Write([]byte(s.String()))
}

// MarshalText implements encoding.TextMarshaler for JSON, YAML and flags.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Secret) UnmarshalText(b []byte) error {
	s.value = string(b)
	return nil
}
