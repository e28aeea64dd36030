package config

import (
	"regexp"
	"strconv"
)

// What stands in the wrong place may be a secret, and for that reason no message repeats it.

// looksSecret finds what may be a secret inside a text: a token's (with or without its dashes), a header, a token ID
// with its secret behind '=', and a URL with a user or password. A path of the file system may have lost one of the
// slashes behind the colon (filepath.Clean).
var looksSecret = regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|PVEAPIToken|![^=\s]+=\S|:/.*@`)

// shown quotes a value for a message, unless it looks like a secret in the wrong place.
func shown(s string) string {
	if looksSecret.MatchString(s) {
		return "(a value that looks like a secret)"
	}
	return strconv.Quote(s)
}
