// Package redact takes out of the texts of a Proxmox server what nobody meant to publish: people write URLs with a
// password into a guest's notes, and whatever is read ends up in a file that is passed on.
package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// Word stands where a credential stood.
const Word = "REDACTED"

// token is a whole token as it stands in an Authorization header (pve-http-server PVE/APIServer/AnyEvent.pm).
var token = regexp.MustCompile(`(?i)(PVEAPIToken[=\s]+)([^\s"',;]+)`)

// Text replaces the user information of every URL in a text, and Proxmox API tokens.
func Text(s string) string {
	if strings.Contains(s, "://") && strings.Contains(s, "@") {
		s = urls(s)
	}
	if strings.Contains(strings.ToLower(s), "pveapitoken") {
		s = token.ReplaceAllString(s, "${1}"+Word)
	}
	return s
}

// Strings is Text for every string in a decoded JSON value, the names of fields too. Lists and objects are changed in
// place.
func Strings(v any) any {
	switch x := v.(type) {
	case string:
		return Text(x)
	case []any:
		for i := range x {
			x[i] = Strings(x[i])
		}
	case map[string]any:
		for key, value := range x {
			if clean := Text(key); clean != key {
				delete(x, key)
				key = clean
			}
			x[key] = Strings(value)
		}
	}
	return v
}

const schemeEnd = "://"

func urls(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, schemeEnd)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		i += len(schemeEnd)
		b.WriteString(s[:i])
		s = s[i:]
		if n := userinfo(s[:wordEnd(s)]); n >= 0 {
			b.WriteString(Word)
			s = s[n:]
		}
	}
}

// wordEnd is where a URL ends at the latest: at white space, or where the next one begins.
func wordEnd(s string) int {
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		end = len(s)
	}
	if next := strings.Index(s[:end], schemeEnd); next >= 0 {
		end = next
	}
	return end
}

// userinfo is how much of what follows a scheme is user information, up to the "@"; -1 if there is none.
func userinfo(word string) int {
	at := strings.LastIndexByte(word, '@')
	if at < 0 {
		return -1
	}
	slash := strings.IndexAny(word[:at], "/?#")
	if slash < 0 {
		return at
	}
	authority := word[:slash]
	if inside := strings.LastIndexByte(authority, '@'); inside >= 0 {
		return inside
	}
	// An "@" may stand in a path. But what follows a colon and is no port is a password whose slash nobody escaped.
	if _, port, ok := strings.Cut(authority, ":"); ok && !strings.HasPrefix(authority, "[") && strings.Trim(port, "0123456789") != "" {
		return at
	}
	return -1
}
