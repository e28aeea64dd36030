package realkube

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// front stands for the network in which a cluster's endpoint is an address that leads to its API servers from everywhere: everything
// real is on loopback, and proxaudit refuses an endpoint there, because it leads no controller anywhere. The managers reach the
// names of the bench through it, as their HTTPS proxy; it leads nowhere else.
type front struct {
	server   http.Server
	url      string
	finished chan error

	mu    sync.Mutex
	names map[string]string // what listens for each HOST:PORT
}

// startFront listens on loopback until close.
func startFront(ctx context.Context) (*front, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &front{url: "http://" + l.Addr().String(), finished: make(chan error, 1), names: map[string]string{}}
	f.server.Handler, f.server.ReadHeaderTimeout = f, time.Minute
	go func() { f.finished <- f.server.Serve(l) }()
	return f, nil
}

// environment is what a program reads to go through it. Go takes no proxy to loopback.
func (f *front) environment() []string {
	if f == nil {
		return nil
	}
	return []string{"HTTPS_PROXY=" + f.url}
}

// lead makes an address lead to what listens on another.
func (f *front) lead(address, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names[address] = to
}

func (f *front) close() error {
	if f == nil {
		return nil
	}
	err := f.server.Close()
	if served := <-f.finished; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// ServeHTTP answers CONNECT (RFC 9110, 9.3.6), and nothing else.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	to := f.names[r.Host]
	f.mu.Unlock()
	if r.Method != http.MethodConnect || to == "" {
		http.Error(w, "this leads to the API servers of the bench only", http.StatusForbidden)
		return
	}
	var dialer net.Dialer
	server, err := dialer.DialContext(r.Context(), "tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close() //nolint:errcheck // what was sent has arrived or has not
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close() //nolint:errcheck // as above
	var wait sync.WaitGroup
	wait.Go(func() { pass(server, buffered) })
	wait.Go(func() { pass(client, server) })
	wait.Wait()
}

// pass copies until either side ends, and tells the other.
func pass(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}
