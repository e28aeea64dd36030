package transport

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proxaudit/proxaudit/inventory/proxmox/redact"
)

// minSecret is what a secret has to have so that finding it says something. Proxmox makes every secret itself, a UUID
// of 36 characters (pve-access-control PVE/API2/User.pm); a word of three stands in any answer.
const minSecret = 8

// maxEscapes is how many layers of JSON escapes are looked behind: a proxy may put an answer into a string of another.
const maxEscapes = 3

// repeats says whether a text holds the token's secret, also with blanks or characters that nobody sees in it, in
// other case, or spelled with JSON's escapes.
func (t *Transport) repeats(text string) bool {
	if len(t.secret) < minSecret {
		return false
	}
	secret := squeeze(t.secret)
	for range maxEscapes {
		if strings.Contains(squeeze(text), secret) {
			return true
		}
		if !strings.Contains(text, `\`) {
			return false
		}
		text = unescape(text)
	}
	return strings.Contains(squeeze(text), secret)
}

// squeeze drops white space and what is not visible, and folds case.
func squeeze(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c > ' ' && c != 0x7f {
				if 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
				}
				b.WriteByte(c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// unescape resolves JSON's escapes wherever they stand. Of those with four digits only the ASCII ones matter: a secret
// is made of nothing else, and what is not ASCII becomes a character that squeeze drops if it was invisible.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		switch s[0] {
		case 'u':
			if r, ok := fourDigits(s[1:]); ok {
				b.WriteRune(r)
				s = s[5:]
				continue
			}
			b.WriteByte('u')
		case 'b', 'f', 'n', 'r', 't':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[0])
		}
		s = s[1:]
	}
}

func fourDigits(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		d := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if d < 0 || s[i] < '0' {
			return 0, false
		}
		r = r<<4 | rune(d) //nolint:gosec // a digit
	}
	return r, true
}

// clean is oneLine without the token's secret and without the user information of URLs: a server that is not Proxmox
// may send back what it was sent, and errors of the network quote addresses.
func (t *Transport) clean(s string) string {
	if t.secret != "" {
		s = strings.ReplaceAll(s, t.secret, redact.Word)
	}
	if t.repeats(s) {
		return redact.Word + ": the text repeats the token's secret"
	}
	return oneLine(redact.Text(s))
}
