package config

import (
	"regexp"
	"strconv"
	"strings"
)

// What stands in the wrong place may be a secret, and for that reason no message repeats it.

// looksSecret finds what may be a secret inside a text: a token's (with or without its dashes), a header, a token ID
// with its secret behind '=', and a URL with a user or password. A path of the file system may have lost one of the
// slashes behind the colon (filepath.Clean).
var looksSecret = regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|PVEAPIToken|![^=\s]+=\S|:/.*@`)

// certainSecret is what can be nothing else, whatever key it stands under: a token's ID with the secret behind it, a whole
// header, a URL with user information. A UUID alone may be part of a name.
var certainSecret = regexp.MustCompile(`(?i)PVEAPIToken|@[^\s!]+![^=\s]+=\S|://[^\s/]*@`)

// CertainSecret is true for a text that must not become part of a message or a result.
func CertainSecret(s string) bool { return certainSecret.MatchString(s) }

// holdsSecret is true for the value of a key that must not get any further. The checks
// of a token's ID and a site's URL say more about theirs.
func holdsSecret(key, value string) bool {
	return CertainSecret(value) && !strings.HasSuffix(key, "okenID") && !strings.HasSuffix(key, "].url")
}

// shown quotes a value for a message, unless it looks like a secret in the wrong place.
func shown(s string) string {
	if looksSecret.MatchString(s) {
		return "(a value that looks like a secret)"
	}
	return strconv.Quote(s)
}
