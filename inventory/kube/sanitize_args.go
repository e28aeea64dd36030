package kube

import (
	"regexp"
	"slices"
	"strings"
)

// endings of a flag's or a variable's name announce a credential. Only the ending does: the value of --token-auth-file is a
// path, and that of --token is the thing itself.
const endings = `(?:token|passw(?:or)?d|passphrase|secret|credentials?|(?:api|access|auth|private|secret|encryption)[-_]?key)`

var (
	credentialName = regexp.MustCompile(`(?i)` + endings + `$`)
	// credentialPair is one inside a value, as in --set=user=a,password=b or in a URL's query.
	credentialPair = regexp.MustCompile(`(?i)([\w.-]*` + endings + `["']?\s*[=:]\s*["']?)([^\s,;&"'}]+)`)
	// userFlags take NAME:PASSWORD.
	userFlags = []string{"-u", "--user", "--proxy-user", "--auth", "--basic-auth"}
)

// args takes credentials out of a command line. A flag keeps its name and gets a hash for its value; a text with blanks
// is a script or a header, of which only the equality is kept.
func (s *sanitizer) args(in []string) []string {
	var out []string
	// before is the flag whose value may be the next element.
	before := ""
	for _, arg := range in {
		flag := strings.HasPrefix(arg, "-") && len(arg) > 1
		name, value, has := strings.Cut(arg, "=")
		switch {
		case before != "" && !flag && s.isCredential(before, arg):
			out = append(out, s.hashed(arg))
		case strings.ContainsAny(arg, "\r\n") || (!flag && strings.ContainsAny(arg, " \t")):
			out = append(out, s.hashed(arg))
		case has && s.isCredential(name, value):
			out = append(out, name+"="+s.hashed(value))
		default:
			out = append(out, s.arg(arg))
		}
		before = ""
		if flag && !has {
			before = arg
		}
	}
	return out
}

// isCredential says whether what a flag or variable is set to has to be hidden. A switch is none:
// --use-service-account-credentials=true.
func (s *sanitizer) isCredential(name, value string) bool {
	switch {
	case value == "" || value == "true" || value == "false":
		return false
	case slices.Contains(userFlags, name):
		return strings.Contains(value, ":")
	}
	return credentialName.MatchString(name)
}

func (s *sanitizer) arg(v string) string {
	v = authScheme.ReplaceAllString(s.text(v), "${1} "+redacted)
	return credentialPair.ReplaceAllStringFunc(v, func(m string) string {
		p := credentialPair.FindStringSubmatch(m)
		if p[2] == "true" || p[2] == "false" || strings.HasPrefix(p[2], "//") {
			return m
		}
		return p[1] + s.hashed(p[2])
	})
}

func (s *sanitizer) hashed(v string) string { return "sha256:" + s.digest(v) }
