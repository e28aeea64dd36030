package transport

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// guard lets through what only reads, on the configured server, by a path on the list.
func (t *Transport) guard(req *http.Request) (node string, agent bool, err error) {
	switch {
	case req.Method != http.MethodGet:
		return "", false, fmt.Errorf("not sent: proxaudit only reads, and %s is not GET", req.Method)
	case req.Body != nil && req.Body != http.NoBody:
		return "", false, errors.New("not sent: a GET with a body")
	case req.Header.Get("Upgrade") != "":
		return "", false, errors.New("not sent: an upgrade of the connection")
	case req.URL.Scheme != t.url.Scheme || req.URL.Host != t.url.Host || req.URL.User != nil:
		return "", false, errors.New("not sent: it does not go to the configured server")
	}
	below, ok := strings.CutPrefix(req.URL.EscapedPath(), t.url.EscapedPath())
	if ok {
		node, agent, ok = permit(below, req.URL.RawQuery)
	}
	if !ok {
		return "", false, errors.New("not sent: the path is not on the list of what proxaudit asks")
	}
	return node, agent, nil
}

// below is the path below /api2/json with the query, for texts.
func (t *Transport) below(u *url.URL) string {
	p := strings.TrimPrefix(u.EscapedPath(), t.url.EscapedPath())
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return t.clean(p)
}
