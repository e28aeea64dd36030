package kube

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// maxRetryAfter is the longest wait that a 429 or 503 may ask for: a server that wants more is not read in this run.
const maxRetryAfter = 30 * time.Second

// readOnly is the only way to the wire. It stands below client-go's own wrappers, so that whatever they do comes past
// here: it lets GET to one host out, and nothing else. What comes back is read here, so that its size is bounded and
// the credentials, which only here are all known, are out of it.
type readOnly struct {
	scheme, host string
	// limit of an answer in bytes.
	limit int64
	known *credentials
	// roots notes who vouches for the server; nil notes nothing.
	roots *roots
	next  http.RoundTripper
}

func (r *readOnly) wrap(next http.RoundTripper) http.RoundTripper {
	wrapped := *r
	wrapped.next = next
	return &wrapped
}

// RoundTrip implements http.RoundTripper.
func (r *readOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.check(req); err != nil {
		return nil, err
	}
	t := tallyOf(req.Context())
	t.attempt()
	r.known.sent(req.Header)
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	r.roots.note(resp.TLS)
	if err := settle(resp, r.limit, r.known); err != nil {
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

func (r *readOnly) check(req *http.Request) error {
	switch {
	case req.Method != http.MethodGet:
		return refusal(fmt.Sprintf("%s %s", req.Method, req.URL.Path))
	case req.Body != nil && req.Body != http.NoBody:
		return refusal("GET with a body on " + req.URL.Path)
	case req.Header.Get("Upgrade") != "":
		return refusal("an upgraded connection to " + req.URL.Path)
	case req.URL.Host != r.host || req.URL.Scheme != r.scheme:
		return refusal("a request to " + req.URL.Scheme + "://" + req.URL.Host + " instead of " + r.scheme + "://" + r.host)
	case reachesInside(req.URL.Path):
		return refusal("the subresource " + req.URL.Path)
	}
	return nil
}

// WrappedRoundTripper lets client-go find the transport below, whose requests it cancels (apimachinery util/net:
// RoundTripperWrapper).
func (r *readOnly) WrappedRoundTripper() http.RoundTripper { return r.next }

// refusal is a request that the read-only transport did not send.
type refusal string

func (r refusal) Error() string { return "proxaudit is read-only and does not send " + string(r) }

// inside are the subresources by which a GET starts something or reaches into a workload.
var inside = []string{"exec", "attach", "portforward", "proxy"}

// reachesInside is true for …/RESOURCE/NAME/exec and its like. An object that is itself called "exec" is fine: its
// path is shorter. The server may stand below a path prefix (Rancher does that), so that the search is for the API root.
func reachesInside(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, p := range parts {
		switch p {
		case "api":
			if subresource(parts[i+1:], 1) {
				return true
			}
		case "apis":
			if subresource(parts[i+1:], 2) {
				return true
			}
		}
	}
	return false
}

// subresource looks at what follows "api" or "apis", of which the first n parts are the group and version.
func subresource(parts []string, n int) bool {
	if len(parts) <= n {
		return false
	}
	rest := parts[n:]
	// The old form /api/v1/proxy/…
	if rest[0] == "proxy" {
		return true
	}
	if rest[0] == "namespaces" && len(rest) > 3 {
		rest = rest[2:]
	}
	return len(rest) > 2 && slices.Contains(inside, rest[2])
}

// tally counts what one source was asked.
type tally struct {
	mu        sync.Mutex
	asked     int
	attempts  int
	wasted    int
	throttled int
}

type tallyKey struct{}

func withTally(ctx context.Context, t *tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// tallyOf never returns nil: a request without a tally is counted into nothing.
func tallyOf(ctx context.Context) *tally {
	if t, ok := ctx.Value(tallyKey{}).(*tally); ok {
		return t
	}
	return &tally{}
}

// ask counts a request of the plan, attempt one that goes out for it.
func (t *tally) ask()      { t.add(&t.asked, 1) }
func (t *tally) attempt()  { t.add(&t.attempts, 1) }
func (t *tally) throttle() { t.add(&t.throttled, 1) }

// waste moves requests from the plan to the retries: the pages of a list that expired and was begun anew.
func (t *tally) waste(pages int) { t.add(&t.wasted, pages) }

func (t *tally) add(p *int, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*p += n
}

func (t *tally) requests(source string) inventory.Requests {
	t.mu.Lock()
	defer t.mu.Unlock()
	return inventory.Requests{
		Source:    source,
		Count:     t.asked - t.wasted,
		Retries:   max(0, t.attempts-t.asked) + t.wasted,
		Throttled: t.throttled,
	}
}
