package kube

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const redacted = "REDACTED"

// shortestCredential is the length from which a credential is looked for in messages: a shorter one would be found in
// half the words of any text, and protects nothing.
const shortestCredential = 4

// longCredential is the length from which a credential is looked for in data too, where a password that is a word
// ("admin") would falsify what it happens to stand in, and from which a piece of it that some limit cut off is
// recognised by its beginning.
const longCredential = 16

// authScheme finds an Authorization value whatever it holds: a server may echo one that is not ours.
var authScheme = regexp.MustCompile(`\b(Bearer|Basic)\s+[^\s"',;]+`)

// credentials remembers what was sent, or could be sent, to prove who asks. A server (or a proxy in front of it) that
// puts the request's header into its error page would have it printed and stored otherwise. Nil remembers nothing.
type credentials struct {
	mu     sync.RWMutex
	values []string
	// beginnings match the first longCredential bytes of each long value and what follows.
	beginnings []*regexp.Regexp
}

// add takes more values, of which the blank ones are none. Each is looked for in the forms in which it may be quoted.
func (k *credentials) add(values ...string) { k.remember(true, values) }

// addWhole takes values that share their beginning with what is no secret: paths and addresses.
func (k *credentials) addWhole(values ...string) { k.remember(false, values) }

func (k *credentials) remember(byBeginning bool, values []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range values {
		v = strings.TrimSpace(v)
		quoted := strconv.Quote(v)
		for _, form := range []string{v, quoted[1 : len(quoted)-1], url.QueryEscape(v), url.PathEscape(v)} {
			if len(form) < shortestCredential || slices.Contains(k.values, form) {
				continue
			}
			k.values = append(k.values, form)
			if byBeginning && len(form) > longCredential {
				k.beginnings = append(k.beginnings, regexp.MustCompile(regexp.QuoteMeta(form[:longCredential])+`[^\s"',;]*`))
			}
		}
	}
	// The longest first: a password may be a part of another.
	slices.SortStableFunc(k.values, func(a, b string) int { return len(b) - len(a) })
}

// sent remembers the Authorization of a request: client-go's wrappers have put it there by the time of the transport,
// wherever it came from (token, token file, password, credential plugin).
func (k *credentials) sent(h http.Header) {
	if k == nil {
		return
	}
	for _, value := range h.Values("Authorization") {
		if k.knows(value) {
			continue
		}
		scheme, param, ok := strings.Cut(value, " ")
		k.add(value)
		if !ok {
			continue
		}
		k.add(param)
		if raw, err := base64.StdEncoding.DecodeString(param); err == nil && strings.EqualFold(scheme, "Basic") {
			_, password, _ := strings.Cut(string(raw), ":")
			k.add(string(raw), password)
		}
	}
}

func (k *credentials) knows(value string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return slices.Contains(k.values, strings.TrimSpace(value))
}

// scrub takes credentials out of a text that leaves the package.
func (k *credentials) scrub(s string) string {
	if k != nil {
		k.mu.RLock()
		defer k.mu.RUnlock()
		for _, v := range k.values {
			s = strings.ReplaceAll(s, v, redacted)
		}
		for _, b := range k.beginnings {
			s = b.ReplaceAllLiteralString(s, redacted)
		}
	}
	return scrub(authScheme.ReplaceAllString(s, "${1} "+redacted))
}

// scrubBody takes the long ones out of an answer, before anything reads it, shortens it or keeps it.
func (k *credentials) scrubBody(body []byte) []byte {
	if k == nil {
		return body
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, v := range k.values {
		if len(v) >= longCredential && bytes.Contains(body, []byte(v)) {
			body = bytes.ReplaceAll(body, []byte(v), []byte(redacted))
		}
	}
	return body
}
