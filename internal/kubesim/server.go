package kubesim

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// Options say how to serve a Cluster.
type Options struct {
	// Listen is a loopback address with a port, 0 for a free one; empty means 127.0.0.1:0.
	Listen string
	// TLS serves https with a certificate of a CA made for this server. Kubeconfig has the CA.
	TLS bool
	// Token is the bearer token that is needed for everything but /version and health; empty needs none.
	Token string
}

// Request is one request that came in.
type Request struct {
	Method, Path string
	Query        url.Values
	Accept       string
	UserAgent    string
	// Status is 0 for a request whose connection was dropped.
	Status int
}

// String is like "GET /apis?limit=500 200".
func (r Request) String() string {
	s := r.Method + " " + r.Path
	if len(r.Query) > 0 {
		s += "?" + r.Query.Encode()
	}
	return s + " " + strconv.Itoa(r.Status)
}

// Server serves a Cluster on loopback.
type Server struct {
	cluster *Cluster
	token   string
	http    *http.Server
	addr    string
	ca      []byte
	closing chan struct{}
	stopped chan error
	// resourceVersion is that of the store: above each object's.
	resourceVersion int

	mu       sync.Mutex
	faults   []*armed
	requests []Request
}

// Start serves until Close. The Cluster belongs to the Server from here on.
func Start(cl *Cluster, o Options) (*Server, error) {
	if err := cl.seal(); err != nil {
		return nil, err
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if err := onLoopback(o.Listen); err != nil {
		return nil, err
	}
	s := &Server{cluster: cl, token: o.Token, closing: make(chan struct{}), stopped: make(chan error, 1), resourceVersion: 1000 + len(cl.objects)}
	s.SetFaults(cl.Config.Faults...)
	s.http = &http.Server{Handler: http.HandlerFunc(s.record), ReadHeaderTimeout: 10 * time.Second}
	if o.TLS {
		cert, ca, err := selfSigned()
		if err != nil {
			return nil, err
		}
		s.ca = ca
		s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
		s.http.ErrorLog = quiet
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	s.addr = l.Addr().String()
	go func() {
		if o.TLS {
			s.stopped <- s.http.ServeTLS(l, "", "")
			return
		}
		s.stopped <- s.http.Serve(l)
	}()
	return s, nil
}

// onLoopback refuses to serve manifests, Secrets among them perhaps, to a network.
func onLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("listen address %q is not on loopback", addr)
	}
	return nil
}

// Close stops the server and the requests in it.
func (s *Server) Close() error {
	close(s.closing)
	err := s.http.Close()
	if stopped := <-s.stopped; !errors.Is(stopped, http.ErrServerClosed) {
		return errors.Join(err, stopped)
	}
	return err
}

// URL is the server's address.
func (s *Server) URL() string {
	if s.ca != nil {
		return "https://" + s.addr
	}
	return "http://" + s.addr
}

// Requests returns what came in so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Forget drops the recorded requests.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// record notes every request when it is done, the refused and the dropped ones too.
func (s *Server) record(w http.ResponseWriter, r *http.Request) {
	sw := &statusWriter{ResponseWriter: w}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(),
			Accept: r.Header.Get("Accept"), UserAgent: r.UserAgent(), Status: sw.status})
	}()
	s.serve(sw, r)
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(code int) {
	w.status = code
	w.ResponseWriter.WriteHeader(code)
}
