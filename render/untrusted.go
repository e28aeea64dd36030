package render

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/proxaudit/proxaudit/inventory/invisible"
)

// Visible returns text that a terminal shows as it is and obeys in nothing: every rune that moves the cursor, changes
// colours, reverses the reading direction, takes no room or breaks the line is replaced by an escape that names it
// (\n, \x1b, \u202e). Bytes that are no UTF-8 become \xNN. What is visible stays: accents, CJK, emoji.
//
// A backslash stays too, so that the escapes are for reading and not for decoding; JSON output has the exact value.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x`)
			b.WriteString(hex2(s[i]))
		case isVisible(r):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
		i += n
	}
	return b.String()
}

// isPlain is the fast way out for nearly every text there is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func isVisible(r rune) bool { return !invisible.Is(r) }

func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	h := strconv.FormatInt(int64(r), 16)
	if len(h) <= 2 {
		return `\x` + strings.Repeat("0", 2-len(h)) + h
	}
	if len(h) <= 4 {
		return `\u` + strings.Repeat("0", 4-len(h)) + h
	}
	return `\U` + strings.Repeat("0", 8-len(h)) + h
}

func hex2(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}
