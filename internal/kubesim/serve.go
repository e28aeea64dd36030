package kubesim

import (
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

// target is what a path asks for.
type target struct {
	group, version, plural, namespace, name string
	// more is what follows the name: a subresource.
	more bool
}

// parsePath takes the path of an object or a collection apart. ok is false for every other path.
func parsePath(path string) (t target, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) >= 3:
		t.version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) >= 4:
		t.group, t.version, parts = parts[1], parts[2], parts[3:]
	default:
		return t, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.plural = parts[0]
	if len(parts) > 1 {
		t.name = parts[1]
	}
	t.more = len(parts) > 2
	return t, true
}

// qualified is like machines.cluster.x-k8s.io, or nodes.
func (t target) qualified() string {
	if t.group == "" {
		return t.plural
	}
	return t.plural + "." + t.group
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		s.status(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "kubesim is read-only: "+r.Method+" is not allowed", 0)
		return
	}
	switch r.URL.Path {
	case "/version":
	case "/readyz", "/livez", "/healthz":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		s.send(w, http.StatusOK, []byte("ok"))
		return
	default:
		if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
			s.status(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized", 0)
			return
		}
	}
	if s.fail(w, r) {
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/version":
		s.write(w, http.StatusOK, s.version())
	case r.URL.Path == "/api" || r.URL.Path == "/apis":
		s.discoveryAPIs(w, r, r.URL.Path == "/api")
	case parts[0] == "api" && len(parts) == 2:
		s.discoveryVersion(w, "", parts[1])
	case parts[0] == "apis" && len(parts) == 2:
		s.discoveryGroup(w, parts[1])
	case parts[0] == "apis" && len(parts) == 3:
		s.discoveryVersion(w, parts[1], parts[2])
	default:
		s.objects(w, r)
	}
}

func (s *Server) version() version.Info {
	v := s.cluster.Config.Version
	if v == "" {
		v = DefaultVersion
	}
	info := version.Info{GitVersion: v, Platform: "linux/amd64"}
	if numbers := strings.SplitN(strings.TrimPrefix(v, "v"), ".", 3); len(numbers) >= 2 {
		info.Major, info.Minor = numbers[0], numbers[1]
	}
	return info
}

func (s *Server) objects(w http.ResponseWriter, r *http.Request) {
	t, ok := parsePath(r.URL.Path)
	if !ok || t.more {
		s.notServed(w)
		return
	}
	res := s.cluster.find(t.group, t.version, t.plural)
	switch {
	case res == nil || (res.clusterScoped && t.namespace != "" && t.plural != "namespaces"):
		s.notServed(w)
	case r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1":
		s.status(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "kubesim does not watch", 0)
	case t.name != "":
		s.get(w, t, res)
	default:
		s.list(w, r, t, res)
	}
}

// notServed is what an API server says to a path that it does not know.
func (s *Server) notServed(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	s.send(w, http.StatusNotFound, []byte("404 page not found\n"))
}

// status answers with a Status object, as every error of an API server is.
func (s *Server) status(w http.ResponseWriter, code int, reason metav1.StatusReason, message string, retryAfter int) {
	st := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Message: message, Reason: reason, Code: int32(code), //nolint:gosec // an HTTP status
	}
	if retryAfter > 0 {
		st.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(retryAfter)} //nolint:gosec // a few seconds
	}
	s.write(w, code, st)
}

func (s *Server) write(w http.ResponseWriter, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	s.send(w, code, append(body, '\n'))
}

func (s *Server) send(w http.ResponseWriter, code int, body []byte) {
	w.WriteHeader(code)
	if _, err := w.Write(body); err != nil {
		// The client went away: there is nobody to tell.
		return
	}
}
