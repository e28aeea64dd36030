package transport

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const config105 = "/nodes/pve1/qemu/105/config?current=1"

// What a retry may help against is tried exactly once more; the rest is not.
func TestRetryOnce(t *testing.T) {
	for name, c := range map[string]struct {
		fault    func(w http.ResponseWriter)
		attempts int
		kind     Kind
		reason   string
	}{
		"595":             {func(w http.ResponseWriter) { raw(t, w, "595 Connection refused", "") }, 2, NodeDown, "595 Connection refused"},
		"596":             {func(w http.ResponseWriter) { raw(t, w, "596 Connection timed out", "") }, 2, NodeDown, "596 Connection timed out"},
		"connection lost": {func(w http.ResponseWriter) { drop(t, w) }, 2, Unreachable, "EOF"},
		"cut off": {func(w http.ResponseWriter) {
			raw(t, w, "200 OK\r\nContent-Length: 100", `{"data":`)
		}, 2, Unreachable, "unexpected EOF"},
		"599": {func(w http.ResponseWriter) { raw(t, w, "599 Too many redirections", "") }, 1, NodeDown, "599 Too many redirections"},
		"401": {func(w http.ResponseWriter) { raw(t, w, "401 No ticket", "") }, 1, Refused, "401 No ticket"},
		"403": {func(w http.ResponseWriter) {
			raw(t, w, "403 Permission check failed (/vms/105, VM.Audit)", `{"data":null}`)
		}, 1, Refused, "403 Permission check failed (/vms/105, VM.Audit)"},
		"500": {func(w http.ResponseWriter) { raw(t, w, "500 got timeout", `{"data":null}`) }, 1, Failed, "500 got timeout"},
		"missing": {func(w http.ResponseWriter) {
			raw(t, w, "500 Configuration file 'nodes/pve1/qemu-server/105.conf' does not exist", `{"data":null}`)
		}, 1, Missing, "does not exist"},
		"501": {func(w http.ResponseWriter) { raw(t, w, "501 Method 'GET /x' not implemented", `{"data":null}`) }, 1, Failed, "501 Method"},
		"503": {func(w http.ResponseWriter) { raw(t, w, "503 Service Unavailable", "<html>") }, 1, Failed, "503 Service Unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			always := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { c.fault(w) })
			tr := open(t, always.URL, nil)
			_, ex := ask(t.Context(), t, tr, config105)
			e := mustFail(t, ex, c.kind)
			if !strings.Contains(e.Short(), c.reason) || !strings.HasPrefix(e.Error(), "GET "+config105+": ") {
				t.Errorf("error %q, want %q", e, c.reason)
			}
			if n := len(always.seen()); n != c.attempts || ex.Attempts != c.attempts {
				t.Errorf("%d requests, %d attempts; want %d", n, ex.Attempts, c.attempts)
			}
			if count, retries := tr.Counts(); count != 1 || retries != c.attempts-1 {
				t.Errorf("counted %d and %d retries", count, retries)
			}
			once := newServer(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n == 1 {
					c.fault(w)
				} else {
					ok(t, w)
				}
			})
			tr = open(t, once.URL, nil)
			body, ex := ask(t.Context(), t, tr, config105)
			if c.attempts == 2 && (ex.Err != nil || body != `{"data":{"version":"9.2.11"}}`) {
				t.Errorf("the second attempt did not bring the answer: %v, %q", ex.Err, body)
			}
			if n := len(once.seen()); n != c.attempts {
				t.Errorf("%d requests, want %d", n, c.attempts)
			}
		})
	}
}

// A connection that the server closed while it was idle costs no error, whoever repeats the request.
func TestClosedIdleConnection(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { ok(t, w) })
	tr := open(t, s.URL, nil)
	for range 3 {
		if _, ex := ask(t.Context(), t, tr, "/version"); ex.Err != nil {
			t.Fatal(ex.Err)
		}
		s.CloseClientConnections()
	}
	if count, _ := tr.Counts(); count != 3 {
		t.Errorf("counted %d", count)
	}
}

// However many idle connections there are, a request whose connection breaks is repeated once, and on a new one.
func TestBreakOfUsedConnections(t *testing.T) {
	const idle = 5
	var together sync.WaitGroup
	together.Add(idle)
	var mu sync.Mutex
	peers := map[string]int{}
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if len(r.TransferEncoding) > 0 || r.ContentLength != 0 || r.Header.Get("Content-Length") != "" {
			t.Errorf("a body is sent: %v, %d", r.TransferEncoding, r.ContentLength)
		}
		if n <= idle {
			together.Done()
			together.Wait()
			ok(t, w)
			return
		}
		mu.Lock()
		peers[r.RemoteAddr]++
		mu.Unlock()
		drop(t, w)
	})
	tr := open(t, s.URL, func(o *Options) { o.PerNode = idle })
	var wg sync.WaitGroup
	for range idle {
		wg.Go(func() {
			if _, ex := ask(t.Context(), t, tr, "/version"); ex.Err != nil {
				t.Error(ex.Err)
			}
		})
	}
	wg.Wait()
	_, ex := ask(t.Context(), t, tr, "/version")
	_ = mustFail(t, ex, Unreachable)
	if count, retries := tr.Counts(); count != idle+1 || retries != 1 || len(s.seen()) != idle+2 {
		t.Errorf("counted %d and %d retries, and %d requests came in", count, retries, len(s.seen()))
	}
	if len(peers) != 2 {
		t.Errorf("connections: %v", peers)
	}
}

// What goes over the wire is a plain GET, without a word about a body: Proxmox answers 501 to one.
func TestPlainGETOnTheWire(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const requests = 50
	heads := make(chan string, requests)
	go func() {
		defer close(heads)
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		r := bufio.NewReader(conn)
		for range requests {
			var head strings.Builder
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					t.Error(err)
					return
				}
				if line == "\r\n" {
					break
				}
				head.WriteString(line)
			}
			heads <- head.String()
			if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"data\":{}}"); err != nil {
				t.Error(err)
				return
			}
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	tr := open(t, "http://"+l.Addr().String(), nil)
	for range requests {
		if _, ex := ask(t.Context(), t, tr, "/version"); ex.Err != nil {
			t.Fatal(ex.Err)
		}
	}
	seen := 0
	for head := range heads {
		seen++
		lines := strings.Split(strings.TrimSpace(head), "\r\n")
		slices.Sort(lines[1:])
		want := []string{"GET /api2/json/version HTTP/1.1", "Accept-Encoding: gzip", "Authorization: PVEAPIToken=audit@pve!ro=" + canary,
			"Host: " + l.Addr().String(), "User-Agent: proxaudit"}
		if !slices.Equal(lines, want) {
			t.Fatalf("sent %q", lines)
		}
	}
	if seen != requests {
		t.Errorf("%d requests", seen)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestRefusedConnectionIsNotRepeated(t *testing.T) {
	s := newServer(t, func(http.ResponseWriter, *http.Request, int) {})
	tr := open(t, s.URL, nil)
	s.Close()
	_, ex := ask(t.Context(), t, tr, "/version")
	if e := mustFail(t, ex, Unreachable); !strings.Contains(e.Error(), "refused") || ex.Attempts != 1 {
		t.Errorf("%v after %d attempts", e, ex.Attempts)
	}
}

// The timeout is the client's own; it ends the request and is not repeated, for the answer would take as long again.
func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	tr := open(t, s.URL, func(o *Options) { o.Timeout = 20 * time.Millisecond })
	_, ex := ask(t.Context(), t, tr, config105)
	if e := mustFail(t, ex, NodeDown); !strings.Contains(e.Error(), "no answer within 20ms") || ex.Attempts != 1 {
		t.Errorf("%v after %d attempts", e, ex.Attempts)
	}
	_, ex = ask(t.Context(), t, tr, "/version")
	_ = mustFail(t, ex, Unreachable)
	if len(s.seen()) != 2 {
		t.Errorf("%d requests", len(s.seen()))
	}
}

// A timeout on a connection that was used before is a timeout, and no connection that broke.
func TestTimeoutOnAUsedConnection(t *testing.T) {
	release := make(chan struct{})
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			ok(t, w)
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	tr := open(t, s.URL, nil)
	if _, ex := ask(t.Context(), t, tr, "/version"); ex.Err != nil {
		t.Fatal(ex.Err)
	}
	tr.timeout = 20 * time.Millisecond
	_, ex := ask(t.Context(), t, tr, "/version")
	if e := mustFail(t, ex, Unreachable); ex.Attempts != 1 || !strings.Contains(e.Reason, "no answer within") {
		t.Errorf("%v after %d attempts", e, ex.Attempts)
	}
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
		cancel()
		<-r.Context().Done()
	})
	tr := open(t, s.URL, nil)
	_, ex := ask(ctx, t, tr, "/version")
	_ = mustFail(t, ex, Canceled)
	_, ex = ask(ctx, t, tr, "/version")
	if e := mustFail(t, ex, Canceled); ex.Attempts > 1 {
		t.Errorf("%v after %d attempts", e, ex.Attempts)
	}
}

// An interruption while the repetition is waited for ends the wait.
func TestInterruptionBeforeTheRetry(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { raw(t, w, "595 Connection refused", "") })
	tr := open(t, s.URL, func(o *Options) {
		o.RetryDelay = time.Hour
		o.Logf = func(string, ...any) { cancel() }
	})
	_, ex := ask(ctx, t, tr, config105)
	if e := mustFail(t, ex, NodeDown); len(s.seen()) != 1 {
		t.Errorf("%d requests, %v", len(s.seen()), e)
	}
}
