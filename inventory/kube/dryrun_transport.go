package kube

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// dryRunAll is the only value of dryRun that Kubernetes knows (apimachinery meta/v1: DryRunAll).
const dryRunAll = "All"

// dryRunOnly is the way to the wire of server-side dry runs, and of nothing else: the readOnly transport has no part in
// it. It lets out a server-side apply that says dryRun=All, and the reads that go before it, to one host.
type dryRunOnly struct {
	scheme, host string
	// prefix is the path of the server's URL, without a slash at its end.
	prefix string
	limit  int64
	known  *credentials
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (d *dryRunOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := d.check(req); err != nil {
		return nil, err
	}
	t := tallyOf(req.Context())
	t.attempt()
	d.known.sent(req.Header)
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := settle(resp, d.limit, d.known); err != nil {
		return nil, err
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		wait, err := strconv.Atoi(after)
		switch {
		case err != nil || wait > int(maxRetryAfter/time.Second):
			// client-go would wait as long as this header says.
			resp.Header.Del("Retry-After")
		case resp.StatusCode == http.StatusTooManyRequests:
			t.throttle()
		}
	}
	return resp, nil
}

// WrappedRoundTripper lets client-go find the transport below, whose requests it cancels.
func (d *dryRunOnly) WrappedRoundTripper() http.RoundTripper { return d.next }

func (d *dryRunOnly) check(req *http.Request) error {
	what := req.Method + " " + req.URL.Path
	switch {
	case req.URL.Host != d.host || req.URL.Scheme != d.scheme:
		return refusal("a request to " + req.URL.Scheme + "://" + req.URL.Host + " instead of " + d.scheme + "://" + d.host)
	case req.Host != "" && req.Host != d.host:
		return refusal("a request in the name of another host on " + req.URL.Path)
	case req.Header.Get("Upgrade") != "" || hasToken(req.Header.Values("Connection"), "upgrade"):
		return refusal("an upgraded connection to " + req.URL.Path)
	case overridesMethod(req.Header):
		return refusal(what + " with a header that makes another method of it")
	}
	parts, ok := d.parts(req.URL)
	if !ok {
		return refusal(what + ", which is no plain path of the API")
	}
	query, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return refusal(what + " with a query that cannot be read")
	}
	switch req.Method {
	case http.MethodGet:
		return checkDryRunGet(what, req, parts, query)
	case http.MethodPatch:
		return checkDryRunPatch(what, req, parts, query)
	default:
		return refusal(what)
	}
}

func checkDryRunGet(what string, req *http.Request, parts []string, query url.Values) error {
	switch {
	case req.Body != nil && req.Body != http.NoBody:
		return refusal("GET with a body on " + req.URL.Path)
	case !onlyKeys(query, "timeout"):
		return refusal(what + " with a query")
	case !isDiscovery(parts) && !isNamespace(parts):
		return refusal(what + ", which is neither discovery nor a namespace, for a dry run")
	}
	return nil
}

// checkDryRunPatch is what keeps a dry run dry: a server that finds no dryRun in the query writes.
func checkDryRunPatch(what string, req *http.Request, parts []string, query url.Values) error {
	contentType, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	switch {
	case !slices.Equal(query["dryRun"], []string{dryRunAll}):
		return refusal(fmt.Sprintf("%s without dryRun=%s, exactly once", what, dryRunAll))
	case len(req.Header.Values("Content-Type")) != 1 || err != nil || contentType != string(types.ApplyYAMLPatchType):
		return refusal(what + " that is no server-side apply")
	case len(query["force"]) > 0 && !slices.Equal(query["force"], []string{"false"}):
		return refusal(what + " that takes fields from others by force")
	case !slices.Equal(query["fieldManager"], []string{fieldManager}):
		return refusal(what + " under another name than " + fieldManager)
	case !onlyKeys(query, "dryRun", "fieldManager", "force", "fieldValidation", "timeout"):
		return refusal(what + " with a query that a dry run does not have")
	}
	resource, ok := patchedResource(parts)
	switch {
	case !ok:
		return refusal(what + ", which is not an object itself")
	case resource == "secrets":
		return refusal(what + ": Secrets are never sent")
	}
	return nil
}

// parts are the path below the server's own. Nothing in it may be read in two ways.
func (d *dryRunOnly) parts(u *url.URL) ([]string, bool) {
	below, ok := strings.CutPrefix(u.Path, d.prefix+"/")
	if !ok || u.Opaque != "" || strings.Contains(u.EscapedPath()[len(d.prefix):], "%") {
		return nil, false
	}
	parts := strings.Split(below, "/")
	for _, p := range parts {
		if p == "" || p == "." || p == ".." {
			return nil, false
		}
	}
	return parts, true
}

// isDiscovery is true for /api/v1 and /apis/GROUP/VERSION.
func isDiscovery(parts []string) bool {
	return len(parts) == 2 && parts[0] == "api" || len(parts) == 3 && parts[0] == "apis"
}

// isNamespace is true for /api/v1/namespaces/NAME.
func isNamespace(parts []string) bool {
	return len(parts) == 4 && parts[0] == "api" && parts[2] == "namespaces"
}

// patchedResource is the resource of the path of one object, which is no subresource.
func patchedResource(parts []string) (string, bool) {
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return "", false
	}
	switch {
	case len(parts) == 4 && parts[0] == "namespaces":
		return parts[2], true
	case len(parts) == 2:
		return parts[0], true
	default:
		return "", false
	}
}

func onlyKeys(query url.Values, allowed ...string) bool {
	for k := range query {
		if !slices.Contains(allowed, k) {
			return false
		}
	}
	return true
}

func hasToken(values []string, token string) bool {
	for _, v := range values {
		for t := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

// overridesMethod finds the headers by which a proxy may take a request for another one.
func overridesMethod(h http.Header) bool {
	for k := range h {
		switch http.CanonicalHeaderKey(k) {
		case "X-Http-Method-Override", "X-Http-Method", "X-Method-Override", "X-Original-Url", "X-Rewrite-Url":
			return true
		}
	}
	return false
}

var _ http.RoundTripper = (*dryRunOnly)(nil)
