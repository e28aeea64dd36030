package e2e

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/realkube"
)

// TestReadOnly: the API servers' own audit logs have nothing but reads by the program, as many as the program
// says, and no Secret. The sites have recorded nothing but GETs.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 1)
	reported := map[string]int{}
	for _, source := range parse(t, o).Requests {
		reported[source.Source] = source.Count + source.Retries
	}
	for name, sources := range map[string][]string{
		management: {"management", "cluster/" + management},
		prod:       {"cluster/" + prod},
		lab:        {"cluster/" + lab},
	} {
		want := 0
		for _, s := range sources {
			want += reported[s]
		}
		if want == 0 {
			t.Fatalf("%s: the report counts no requests: %v", name, reported)
		}
		for _, r := range w.logged(t, name, want) {
			if r.Verb != "get" && r.Verb != "list" {
				t.Errorf("%s was asked to %s %s", name, r.Verb, r.RequestURI)
			}
			if r.Object != nil && (r.Object.Resource == "secrets" || r.Object.Subresource != "") {
				t.Errorf("%s was asked for %s", name, r.RequestURI)
			}
		}
	}
	for _, s := range w.sites {
		requests := s.Requests()
		if got, want := len(requests), reported["site/"+s.Name]; got != want {
			t.Errorf("site %s was sent %d requests, the report counts %d", s.Name, got, want)
		}
		for _, r := range requests {
			if r.Method != http.MethodGet {
				t.Errorf("site %s was sent %s %s", s.Name, r.Method, r.Path)
			}
		}
	}
}

// logged waits until a server's audit log has as many requests of this world's user as the program has counted. The
// log is written behind the answers, and it must not grow past the count either.
func (w *world) logged(t *testing.T, server string, want int) []realkube.Request {
	t.Helper()
	var requests []realkube.Request
	deadline := time.Now().Add(10 * time.Second)
	for len(requests) < want && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
		var err error
		if requests, err = w.bench.Server(server).Requests(w.user); err != nil {
			t.Fatal(err)
		}
	}
	if len(requests) != want {
		uris := make([]string, len(requests))
		for i, r := range requests {
			uris[i] = r.Verb + " " + r.RequestURI
		}
		slices.Sort(uris)
		t.Errorf("%s has logged %d requests, the report counts %d: %q", server, len(requests), want, uris)
	}
	return requests
}
