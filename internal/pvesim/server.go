package pvesim

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Server is a running simulator.
type Server struct {
	// URL of the API's host without a path, such as "https://127.0.0.1:43211".
	// It is that of the first node that is on.
	URL string

	opts Options
	id   *identity // nil with plain HTTP

	mu      sync.RWMutex // guards the fields up to forked
	state   *fleetState
	workers map[string]*workers
	urls    map[string]string
	forked  int // how many tasks writes have made

	logMu  sync.Mutex
	log    []Request
	logged chan struct{} // closed with the next request; nil while nobody waits

	faultMu sync.Mutex
	faults  []*activeFault

	rndMu sync.Mutex
	rnd   *rand.Rand

	ctx    context.Context //nolint:containedctx // the lifetime of the server itself
	cancel context.CancelFunc
	wg     sync.WaitGroup

	connMu    sync.Mutex
	listeners []net.Listener
	conns     map[net.Conn]string // to the node that it leads to
}

// Start checks a fleet, copies it and serves it on loopback, each node on a port
// of its own, until Close.
func Start(fleet *Fleet, opts Options) (*Server, error) {
	st, err := compile(fleet.clone(), opts.now(), nil)
	if err != nil {
		return nil, fmt.Errorf("the fleet cannot be simulated: %w", err)
	}
	s := &Server{
		opts: opts, state: st, workers: map[string]*workers{}, urls: map[string]string{},
		// Lists in "random order" are shuffled, the same way on every run.
		rnd:   rand.New(rand.NewPCG(1, 2)), //nolint:gosec // an order, not a secret
		conns: map[net.Conn]string{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if !opts.PlainHTTP {
		var names []string
		for _, n := range st.nodes {
			names = append(names, n.name)
		}
		if s.id, err = newIdentity(names); err != nil {
			return nil, err
		}
	}
	if err := s.listenAll(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// listenAll opens a port for each node, the first node that is on first.
func (s *Server) listenAll() error {
	addr := s.opts.Listen
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	host, err := loopbackHost(addr)
	if err != nil {
		return err
	}
	entry := s.state.nodes[0]
	for _, n := range s.state.nodes {
		if n.online() {
			entry = n
			break
		}
	}
	if s.URL, err = s.listen(entry.name, addr); err != nil {
		return err
	}
	for _, n := range s.state.nodes {
		if n == entry {
			continue
		}
		if _, err := s.listen(n.name, net.JoinHostPort(host, "0")); err != nil {
			return err
		}
	}
	return nil
}

// loopbackHost returns the host of an address and refuses one that others could
// reach: the simulator has made-up secrets.
func loopbackHost(addr string) (string, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("listen address %q: %w; want something like 127.0.0.1:8006", addr, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("listen address %q: the simulator serves loopback only; use 127.0.0.1:PORT or [::1]:PORT", addr)
	}
	return host, nil
}

func (s *Server) listen(node, addr string) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(s.ctx, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("listen for node %s: %w", node, err)
	}
	scheme := "http"
	if s.id != nil {
		scheme = "https"
	}
	url := scheme + "://" + l.Addr().String()
	s.mu.Lock()
	s.urls[node] = url
	s.mu.Unlock()
	s.connMu.Lock()
	s.listeners = append(s.listeners, l)
	s.connMu.Unlock()
	s.wg.Go(func() { s.accept(l, node) })
	return url, nil
}

func (s *Server) accept(l net.Listener, node string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return // closed
		}
		s.connMu.Lock()
		if s.ctx.Err() != nil {
			s.connMu.Unlock()
			closeQuietly(c)
			return
		}
		s.conns[c] = node
		s.connMu.Unlock()
		s.wg.Go(func() {
			defer s.forget(c)
			s.serveConn(c, node)
		})
	}
}

func (s *Server) forget(c net.Conn) {
	s.connMu.Lock()
	delete(s.conns, c)
	s.connMu.Unlock()
	closeQuietly(c)
}

// closeQuietly closes a connection whose peer may be gone already, which is no
// news to anyone.
func closeQuietly(c net.Conn) { _ = c.Close() }

func (s *Server) tlsConfig() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{s.id.cert}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
}

// Close stops the server and waits for the requests in work.
func (s *Server) Close() error {
	s.cancel()
	s.connMu.Lock()
	var errs []error
	for _, l := range s.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	for c := range s.conns {
		closeQuietly(c)
	}
	s.connMu.Unlock()
	s.wg.Wait()
	return errors.Join(errs...)
}

func (s *Server) current() *fleetState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state
}

// workersOf returns the workers of a node.
func (s *Server) workersOf(n *nodeState) *workers {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.workers[n.name]
	if w == nil || cap(w.proxy) != n.workers {
		w = newWorkers(n.workers)
		s.workers[n.name] = w
	}
	return w
}

// sleep waits, or until the server closes.
func (s *Server) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}

// shuffled returns a list in another order, as a hash of Perl would.
func (s *Server) shuffled(list []any) []any {
	s.rndMu.Lock()
	defer s.rndMu.Unlock()
	res := append([]any{}, list...)
	s.rnd.Shuffle(len(res), func(i, j int) { res[i], res[j] = res[j], res[i] })
	return res
}
