package kubesim

import (
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// armed is a Fault with its count.
type armed struct {
	Fault
	seen int
}

// SetFaults replaces the faults, and forgets how often the old ones happened.
func (s *Server) SetFaults(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
	for _, f := range faults {
		s.faults = append(s.faults, &armed{Fault: f})
	}
}

// next is the fault that this request meets, or nil. The first that matches counts.
func (s *Server) next(r *http.Request) *Fault {
	t, isObject := parsePath(r.URL.Path)
	page := s.pageOf(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		switch {
		case f.Path != "" && f.Path != r.URL.Path:
			continue
		case f.Resource != "" && (!isObject || f.Resource != t.qualified()):
			continue
		case f.Namespace != "" && f.Namespace != t.namespace:
			continue
		case f.Page != 0 && f.Page != page:
			continue
		}
		f.seen++
		if f.seen <= f.After || (f.Times > 0 && f.seen > f.After+f.Times) {
			continue
		}
		fault := f.Fault
		return &fault
	}
	return nil
}

// pageOf is the page that a LIST asks for, from 1. A simulator can count what came before a continue token.
func (s *Server) pageOf(r *http.Request) int {
	q := r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	c := q.Get("continue")
	t, ok := parsePath(r.URL.Path)
	if err != nil || limit <= 0 || c == "" || !ok {
		return 1
	}
	token, err := decodeContinue(c)
	res := s.cluster.find(t.group, t.version, t.plural)
	if err != nil || res == nil {
		return 1
	}
	match, err := selector(q.Get("labelSelector"), q.Get("fieldSelector"))
	if err != nil {
		return 1
	}
	before := 0
	for _, o := range res.objects {
		if (t.namespace == "" || o.GetNamespace() == t.namespace) && objectKey(o) < token.StartKey && match(o) {
			before++
		}
	}
	return before/limit + 1
}

// fail makes the request go wrong if a fault says so; true means that the answer is sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request) bool {
	f := s.next(r)
	if f == nil {
		return false
	}
	if d := min(f.Latency.Duration, longest); d > 0 {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		case <-s.closing:
			panic(http.ErrAbortHandler)
		}
	}
	if f.Drop {
		// The server's way to close a connection without an answer (net/http: ErrAbortHandler).
		panic(http.ErrAbortHandler)
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	code := f.Status
	switch {
	case f.Body != "":
		if code == 0 {
			code = http.StatusOK
		}
		w.Header().Set("Content-Type", "application/json")
		s.send(w, code, []byte(f.Body))
		return true
	case code == 0:
		return false
	}
	reason, message := words(code, r)
	if f.Message != "" {
		message = f.Message
	}
	s.status(w, code, reason, message, f.RetryAfter)
	return true
}

// words are what an API server says with a status.
func words(code int, r *http.Request) (metav1.StatusReason, string) {
	t, isObject := parsePath(r.URL.Path)
	switch code {
	case http.StatusUnauthorized:
		return metav1.StatusReasonUnauthorized, "Unauthorized"
	case http.StatusForbidden:
		if !isObject {
			return metav1.StatusReasonForbidden, `forbidden: User "kubesim" cannot get path "` + r.URL.Path + `"`
		}
		verb, scope := "list", "at the cluster scope"
		if t.name != "" {
			verb = "get"
		}
		if t.namespace != "" {
			scope = `in the namespace "` + t.namespace + `"`
		}
		what := t.qualified()
		if t.name != "" {
			what += ` "` + t.name + `"`
		}
		return metav1.StatusReasonForbidden, what + ` is forbidden: User "kubesim" cannot ` + verb + ` resource "` + t.plural +
			`" in API group "` + t.group + `" ` + scope
	case http.StatusGone:
		return metav1.StatusReasonExpired, "The provided continue parameter is too old to display a consistent list result."
	case http.StatusTooManyRequests:
		return metav1.StatusReasonTooManyRequests, "Too many requests, please try again later."
	case http.StatusServiceUnavailable:
		return metav1.StatusReasonServiceUnavailable, "the server is currently unable to handle the request"
	case http.StatusNotFound:
		return metav1.StatusReasonNotFound, "the server could not find the requested resource"
	case http.StatusInternalServerError:
		return metav1.StatusReasonInternalError, "Internal error occurred"
	}
	return metav1.StatusReasonUnknown, http.StatusText(code)
}
