package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// canary is the part of the URL that is a secret, and stands in no error.
const canary = "c4n4ry-T0K3N"

// target is one for a URL, read from a file as always.
func target(t *testing.T, url string) *Target {
	t.Helper()
	path := filepath.Join(t.TempDir(), "webhook.url")
	if err := os.WriteFile(path, []byte(url+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTarget(path)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// patient is a Client that notes its pauses, and does not wait.
func patient() (*Client, *[]time.Duration) {
	c, pauses := New(), []time.Duration{}
	c.sleep = func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}
	return c, &pauses
}

// TestPost: what arrives is the document, once, with nothing that says who we are to anybody else.
func TestPost(t *testing.T) {
	var got []*http.Request
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got, body = append(got, r), string(data)
	}))
	defer srv.Close()
	c, pauses := patient()
	if err := c.Post(t.Context(), target(t, srv.URL+"/hook/"+canary+"?a=b"), []byte(`{"a":1}`), "run-1"); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(*pauses) != 0 || got[0].Method != http.MethodPost || got[0].URL.Path != "/hook/"+canary || got[0].URL.RawQuery != "a=b" || body != `{"a":1}` {
		t.Fatalf("%d requests, %v, %s", len(got), *pauses, body)
	}
	var names []string
	for name := range got[0].Header {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := "Accept-Encoding Connection Content-Length Content-Type Idempotency-Key User-Agent"; strings.Join(names, " ") != want {
		t.Errorf("the headers are %v, want %s", names, want)
	}
	if h := got[0].Header; h.Get("Idempotency-Key") != "run-1" || h.Get("Content-Type") != "application/json; charset=utf-8" || h.Get("User-Agent") != "proxaudit" {
		t.Errorf("%v", h)
	}
}

// TestAnswers: what may pass is tried again, a bounded number of times; a redirect is not followed.
func TestAnswers(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	second := time.Second
	for name, tc := range map[string]struct {
		answers []int
		pauses  []time.Duration
		err     string
	}{
		"ok":                 {[]int{204}, nil, ""},
		"not found":          {[]int{404}, nil, "tried once: it answered 404 Not Found"},
		"no standard status": {[]int{499}, nil, "tried once: it answered 499"},
		"redirect":           {[]int{307}, nil, "tried once: it answered 307 Temporary Redirect, a redirect"},
		"other host":         {[]int{301}, nil, "a redirect, and none is followed"},
		"once too many":      {[]int{429, 200}, []time.Duration{second}, ""},
		"a bad moment":       {[]int{503, 500, 200}, []time.Duration{second, 3 * second}, ""},
		"a bad night":        {[]int{503, 502, 500, 504}, []time.Duration{second, 3 * second, 9 * second}, "tried 4 times: it answered 504 Gateway Timeout"},
		"bad, then refused":  {[]int{503, 401}, []time.Duration{second}, "tried 2 times: it answered 401 Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			n, keys := 0, map[string]bool{}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				keys[r.Header.Get("Idempotency-Key")] = true
				if n >= len(tc.answers) {
					t.Error("one request more")
					return
				}
				w.Header().Set("Location", elsewhere.URL+"/"+canary)
				w.WriteHeader(tc.answers[n])
				n++
				if _, err := io.WriteString(w, "you sent "+r.URL.String()); err != nil && tc.answers[n-1] != 204 {
					t.Error(err)
				}
			}))
			defer srv.Close()
			c, pauses := patient()
			err := c.Post(t.Context(), target(t, srv.URL+"/"+canary), []byte("{}"), "run-1")
			if n != len(tc.answers) || !slices.Equal(*pauses, tc.pauses) || len(keys) != 1 {
				t.Errorf("%d requests with pauses %v and keys %v", n, *pauses, keys)
			}
			switch {
			case tc.err == "" && err != nil, tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
				t.Errorf("%v, want %q", err, tc.err)
			}
			quiet(t, err, srv.URL)
		})
	}
}

// quiet fails for an error that has the URL, or its host, in it.
func quiet(t *testing.T, err error, url string) {
	t.Helper()
	if err == nil {
		return
	}
	_, host, _ := strings.Cut(url, "://")
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err)} {
		if strings.Contains(text, canary) || strings.Contains(text, host) {
			t.Errorf("the error has the URL: %s", text)
		}
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if strings.Contains(fmt.Sprintf("%#v", inner), canary) {
			t.Errorf("the error holds the URL: %#v", inner)
		}
	}
}

// TestNoAnswer: what keeps a request from its answer is said without the URL, and tried again.
func TestNoAnswer(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS()
	defer unknown.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer cut.Close()
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	for name, tc := range map[string]struct{ url, err string }{
		"nobody listens":    {gone.URL, "connection refused"},
		"unknown authority": {unknown.URL, "an authority that this machine does not trust"},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), "it does not speak TLS"},
		"cut off":           {cut.URL, "closed the connection without an answer"},
		"no answer":         {hangs.URL, "no answer within 15s"},
	} {
		t.Run(name, func(t *testing.T) {
			c, pauses := patient()
			if name == "no answer" {
				c.http.Timeout = time.Millisecond
			}
			err := c.Post(t.Context(), target(t, tc.url+"/"+canary), []byte("{}"), "run-1")
			if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "tried 4 times") || len(*pauses) != 3 {
				t.Errorf("%v after %v, want %q", err, *pauses, tc.err)
			}
			quiet(t, err, tc.url)
		})
	}
}

// TestInterrupted: nobody waits for the end of a pause.
func TestInterrupted(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	c := New()
	c.sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return sleep(ctx, time.Hour)
	}
	if err := c.Post(ctx, target(t, srv.URL), []byte("{}"), "run-1"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
