package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

const canary = "11111111-cafe-4000-8000-00000000dead"

// server is an API that answers as a test says, and records what came in.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
	verbs    map[string]int
}

// newServer answers each request with the handler; the number counts requests from 1.
func newServer(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, number int)) *server {
	t.Helper()
	s := &server{verbs: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.URL.RequestURI())
		s.verbs[r.Method]++
		number := len(s.requests)
		s.mu.Unlock()
		handler(w, r, number)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// raw writes a whole response as it stands, for net/http writes no reason phrases of its own.
func raw(t *testing.T, w http.ResponseWriter, head, body string) {
	t.Helper()
	conn, buf, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
		return
	}
	if _, err := fmt.Fprintf(buf, "HTTP/1.1 %s\r\nConnection: close\r\n\r\n%s", head, body); err != nil {
		t.Errorf("write: %v", err)
	}
	if err := buf.Flush(); err != nil {
		t.Errorf("flush: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// drop closes the connection without an answer.
func drop(t *testing.T, w http.ResponseWriter) {
	t.Helper()
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
		return
	}
	if err := conn.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func ok(t *testing.T, w http.ResponseWriter) {
	t.Helper()
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	if _, err := io.WriteString(w, `{"data":{"version":"9.2.11"}}`); err != nil {
		t.Logf("the client has gone: %v", err)
	}
}

// open returns a Transport to the server.
func open(t *testing.T, base string, change func(*Options)) *Transport {
	t.Helper()
	u, err := url.Parse(base + "/api2/json")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Base: u, Secret: inventory.NewSecret(canary), PerNode: 3, Total: 24, Timeout: 30 * time.Second,
		RetryDelay: time.Millisecond, MaxBody: 1 << 20, Logf: t.Logf}
	if change != nil {
		change(&o)
	}
	tr, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// ask sends a GET as Telmate's client would, and returns the body and the record.
func ask(ctx context.Context, t *testing.T, tr *Transport, path string) (string, *Exchange) {
	t.Helper()
	ctx, ex := WithExchange(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, tr.url.String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, tr, req), ex
}

func send(t *testing.T, tr *Transport, req *http.Request) string {
	t.Helper()
	req.Header.Set("Authorization", "PVEAPIToken=audit@pve!ro="+canary)
	client := &http.Client{Transport: tr}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("the client saw an error, and would sleep: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), canary) {
		t.Errorf("the secret is in the body handed on: %s", body)
	}
	return string(body)
}

// mustFail returns the recorded error, which never holds the secret.
func mustFail(t *testing.T, ex *Exchange, kind Kind) *Error {
	t.Helper()
	if ex.Err == nil {
		t.Fatal("no error was recorded")
	}
	if ex.Err.Kind != kind {
		t.Errorf("kind %d, want %d: %v", ex.Err.Kind, kind, ex.Err)
	}
	if text := ex.Err.Error() + ex.Err.Short(); strings.Contains(text, canary) {
		t.Errorf("the secret is in %q", text)
	}
	return ex.Err
}
