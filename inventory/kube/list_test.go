package kube

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// lister lists Nodes from a server that answers with what next says: the items and the continue token of page n, from 0.
func lister(t *testing.T, next func(n int) (items, token string)) listing {
	t.Helper()
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		items, token := next(n)
		n++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":%q},"items":[%s]}`, token, items)
	}))
	t.Cleanup(srv.Close)
	c, err := Connect(Target{Kubeconfig: kubeconfigFor(t, srv.URL)})
	if err != nil {
		t.Fatal(err)
	}
	return c.list(t.Context(), kindNode, "v1", "", "")
}

func TestListsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		next   func(n int) (string, string)
		reason string
		pages  int
		items  int
	}{
		"a cycle of tokens": {pages: 4, items: 4, reason: "repeats a continue token",
			next: func(n int) (string, string) { return "{}", "token-" + strconv.Itoa(n%3) }},
		"empty pages for ever": {pages: 3, reason: "3 pages in a row were empty",
			next: func(n int) (string, string) { return "", strconv.Itoa(n) }},
		"full pages for ever": {pages: maxPages, items: maxPages, reason: "10000 pages were read",
			next: func(n int) (string, string) { return "{}", strconv.Itoa(n) }},
		"two empty pages": {pages: 6, items: 2, next: func(n int) (string, string) {
			return []string{"", "", "{}", "", "", "{}"}[n], []string{"a", "b", "c", "d", "e", ""}[n]
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lister(t, c.next)
			if l.pages != c.pages || len(l.items) != c.items || (l.err == nil) != (c.reason == "") {
				t.Fatalf("%d pages, %d items, error %v", l.pages, len(l.items), l.err)
			}
			if l.err != nil && !strings.Contains(l.err.Error(), c.reason) {
				t.Errorf("error = %v", l.err)
			}
		})
	}
}

// TestAnswersAreBounded: a small answer may become a large one when it is decompressed.
func TestAnswersAreBounded(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	for range 65 {
		if _, err := z.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zipped.Bytes())
	}))
	t.Cleanup(srv.Close)
	c, err := Connect(Target{Kubeconfig: kubeconfigFor(t, srv.URL)})
	if err != nil {
		t.Fatal(err)
	}
	l := c.list(t.Context(), kindNode, "v1", "", "")
	var large tooLarge
	if !errors.As(l.err, &large) {
		t.Fatalf("error = %v", l.err)
	}
	if f := c.explain(l.err); !strings.Contains(f.reason, "larger than 64 MiB") || f.remedy == "" || f.whole {
		t.Errorf("%+v", f)
	}
}

// TestReadingStopsWithTheContext: an answer that goes on for ever is left when nobody waits for it any more.
func TestReadingStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"kind":`))
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	c, err := Connect(Target{Kubeconfig: kubeconfigFor(t, srv.URL)})
	if err != nil {
		t.Fatal(err)
	}
	l := c.list(ctx, kindNode, "v1", "", "")
	if f := c.explain(l.err); f.reason != "interrupted" {
		t.Errorf("%+v", f)
	}
}

// TestNoRedirectIsFollowed: not even to the same host.
func TestNoRedirectIsFollowed(t *testing.T) {
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		http.Redirect(w, r, "/elsewhere?token=canary", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(srv.Close)
	c, err := Connect(Target{Kubeconfig: kubeconfigFor(t, srv.URL)})
	if err != nil {
		t.Fatal(err)
	}
	l := c.list(t.Context(), kindNode, "v1", "", "")
	f := c.explain(l.err)
	if want := srv.URL + ": 307, a redirect to " + srv.URL + "/elsewhere: proxaudit follows none"; f.reason != want || f.remedy == "" {
		t.Errorf("%+v, want %s", f, want)
	}
	if len(asked) != 1 {
		t.Errorf("asked %v", asked)
	}
}
