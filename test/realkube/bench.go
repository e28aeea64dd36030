package realkube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// readyTimeout is how long a server may take until it is ready. Three API servers that start at once on two
// cores take about 20 seconds.
const readyTimeout = 3 * time.Minute

// Bench is one etcd with the API servers that it serves.
type Bench struct {
	dir      string
	binaries binaries
	ca       *authority
	etcd     *etcd
	front    *front
	servers  []*Server

	mu sync.Mutex // guards what follows
	// managers and clusters run against the servers, and have to end before them, in this order.
	managers []*Managers
	clusters []*Kubeadm
}

// Start brings up one API server for each name, each with an etcd prefix of its own, and returns when all of them
// are ready. Everything lies under dir. An error leaves nothing running.
func Start(ctx context.Context, dir string, names ...string) (*Bench, error) {
	found, err := findBinaries()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ca, err := newAuthority("proxaudit-bench")
	if err != nil {
		return nil, fmt.Errorf("make the certificate authority: %w", err)
	}
	b := &Bench{dir: dir, binaries: found, ca: ca}
	if err := b.start(ctx, names); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Bench) start(ctx context.Context, names []string) error {
	var err error
	if b.etcd, err = startEtcd(ctx, b.binaries.etcd, b.dir); err != nil {
		return err
	}
	if b.front, err = startFront(ctx); err != nil {
		return err
	}
	for _, name := range names {
		s, err := newServer(b, name)
		if err != nil {
			return err
		}
		b.servers = append(b.servers, s)
	}
	failures := make([]error, len(b.servers))
	var wait sync.WaitGroup
	for i, s := range b.servers {
		wait.Go(func() { failures[i] = s.Start(ctx) })
	}
	wait.Wait()
	return errors.Join(failures...)
}

// Server returns the API server of a name that Start was given.
func (b *Bench) Server(name string) *Server {
	for _, s := range b.servers {
		if s.name == name {
			return s
		}
	}
	panic(fmt.Sprintf("realkube: the bench has no API server %q", name))
}

// Close stops the managers, then the API servers and then etcd: the other way round, each of them would spend its
// shutdown waiting for the one that it needs.
func (b *Bench) Close() error {
	early := b.closeClients()
	failures := make([]error, len(b.servers))
	var wait sync.WaitGroup
	for i, s := range b.servers {
		wait.Go(func() { failures[i] = s.Stop() })
	}
	wait.Wait()
	return errors.Join(early, errors.Join(failures...), b.front.close(), b.etcd.stop())
}

// closeClients stops what runs against the API servers.
func (b *Bench) closeClients() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var failures []error
	for _, m := range b.managers {
		failures = append(failures, m.Stop())
	}
	for _, k := range b.clusters {
		failures = append(failures, k.stop())
	}
	b.managers, b.clusters = nil, nil
	return errors.Join(failures...)
}

// path is a file of the bench, in a folder that is made on the way.
func (b *Bench) path(parts ...string) (string, error) {
	path := filepath.Join(append([]string{b.dir}, parts...)...)
	return path, os.MkdirAll(filepath.Dir(path), 0o700)
}

// freePort finds a loopback port that nobody listens on. Somebody may take it before the server does, which is
// why the callers try again.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// portAttempts is how often a server is started on another port if its port was taken in between.
const portAttempts = 3

// ready polls until check says yes, the process ends or the time is up.
func ready(ctx context.Context, p *process, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		attempt, done := context.WithTimeout(ctx, 5*time.Second)
		err := check(attempt)
		done()
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return p.failure("it did not come up")
		case <-ctx.Done():
			return p.failure("it is not ready: " + err.Error())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
