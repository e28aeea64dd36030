package kube

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// sanitizer takes secrets out of objects before anything else sees them. A secret-bearing field becomes a keyed
// SHA-256 of its value: equal secrets stay equal, so that two configurations can be compared, and the key is thrown
// away with the Client, so that a short password cannot be found by trying.
type sanitizer struct{ key []byte }

func newSanitizer(key []byte) (*sanitizer, error) {
	if len(key) == 0 {
		var err error
		if key, err = randomKey(); err != nil {
			return nil, err
		}
	}
	return &sanitizer{key: key}, nil
}

// digest is the hex HMAC of a string's bytes, or of any other value's JSON (whose keys encoding/json sorts).
func (s *sanitizer) digest(v any) string {
	var raw []byte
	if str, ok := v.(string); ok {
		raw = []byte(str)
	} else {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			// What came from JSON goes back into it; a value that does not is made unequal to all others.
			raw = fmt.Appendf(nil, "%p %v", &raw, v)
		}
	}
	mac := hmac.New(sha256.New, s.key)
	mac.Write(raw) // a hash never fails to write
	return hex.EncodeToString(mac.Sum(nil))
}

// hash is what stands in for a secret value. Nothing stands for nothing: "not set" is not a secret.
func (s *sanitizer) hash(v any) any {
	if v == nil || v == "" {
		return v
	}
	return "sha256:" + s.digest(v)
}

// token hashes into the form of a kubeadm bootstrap token, because the typed field parses no other (cluster-api
// bootstrap/kubeadm kubeadm_types.go: BootstrapTokenString.UnmarshalJSON).
func (s *sanitizer) token(v any) any {
	if v == nil || v == "" {
		return v
	}
	d := s.digest(v)
	return d[:6] + "." + d[6:22]
}

var (
	// The user information of a URL in an object. The host ends at a slash: a path may have an "@" of its own.
	userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s/?#"']+)@`)
	// In a message it ends at the last "@": a password that somebody forgot to escape has slashes in it.
	looseUserinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s"']+)@`)
	pveToken      = regexp.MustCompile(`(?i)(PVEAPIToken[=\s]+)([^\s"',;]+)`)
)

// text replaces credentials that stand inside a longer text: the user information of URLs and Proxmox API tokens.
func (s *sanitizer) text(v string) string {
	if !mayHoldCredentials(v) {
		return v
	}
	v = userinfo.ReplaceAllStringFunc(v, func(m string) string {
		p := userinfo.FindStringSubmatch(m)
		return p[1] + "sha256-" + s.digest(p[2]) + "@"
	})
	return pveToken.ReplaceAllStringFunc(v, func(m string) string {
		p := pveToken.FindStringSubmatch(m)
		return p[1] + "sha256-" + s.digest(p[2])
	})
}

// mayHoldCredentials spares nearly all texts of an object the search.
func mayHoldCredentials(v string) bool {
	return (strings.Contains(v, "://") && strings.Contains(v, "@")) || strings.Contains(strings.ToLower(v), "pveapitoken")
}

// scrub is text for messages, where nothing has to stay comparable.
func scrub(v string) string {
	v = looseUserinfo.ReplaceAllString(v, "${1}"+redacted+"@")
	return pveToken.ReplaceAllString(v, "${1}"+redacted)
}
