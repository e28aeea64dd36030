package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Options configure a Transport.
type Options struct {
	// Base is the API's address with /api2/json, without a slash at the end.
	Base *url.URL
	TLS  TLS
	// Secret is taken out of every text that leaves the package.
	Secret inventory.Secret
	// PerNode and Total bound the requests in flight.
	PerNode, Total int
	// Timeout is for one attempt, from connecting to the last byte. Waiting for a free place does not count.
	Timeout time.Duration
	// RetryDelay is waited before the one retry.
	RetryDelay time.Duration
	// MaxBody bounds an answer, in bytes after decompression.
	MaxBody int64
	// Logf gets what a person may want to know while the run goes on; nil drops it.
	Logf func(format string, args ...any)
}

// Transport is described at the package.
type Transport struct {
	base *http.Transport
	// fresh opens a connection for each request: a repetition must not meet the next connection that has died.
	fresh      *http.Transport
	url        *url.URL
	secret     string
	timeout    time.Duration
	retryDelay time.Duration
	maxBody    int64
	limit      *limiter
	breaker    *breaker
	logf       func(format string, args ...any)

	requests, retries atomic.Int64
}

// minBreaker is the least number of failures in a row that opens a node's breaker.
const minBreaker = 5

// New checks the options and connects to nothing.
func New(o Options) (*Transport, error) {
	tlsConfig, err := o.TLS.config()
	if err != nil {
		return nil, err
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	protocols := new(http.Protocols)
	// pveproxy speaks HTTP/1.1, and its texts stand in the reason phrase, which HTTP/2 does not carry: a reverse
	// proxy in front of it must not be talked into HTTP/2.
	protocols.SetHTTP1(true)
	base := &http.Transport{
		Proxy:               proxy(http.ProxyFromEnvironment),
		DialContext:         (&net.Dialer{Timeout: o.Timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     tlsConfig,
		TLSHandshakeTimeout: o.Timeout,
		MaxIdleConns:        o.Total,
		// Go keeps two idle connections per host by default; a new TLS connection to pveproxy costs five times as
		// much as the request itself.
		MaxIdleConnsPerHost:    o.Total,
		MaxConnsPerHost:        o.Total,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		Protocols:              protocols,
	}
	fresh := base.Clone()
	fresh.DisableKeepAlives = true
	return &Transport{
		base:       base,
		fresh:      fresh,
		url:        o.Base,
		secret:     o.Secret.Reveal(),
		timeout:    o.Timeout,
		retryDelay: o.RetryDelay,
		maxBody:    o.MaxBody,
		limit:      newLimiter(o.PerNode, o.Total),
		breaker:    newBreaker(max(minBreaker, o.PerNode+2)),
		logf:       o.Logf,
	}, nil
}

// Counts returns how many requests went out, and how many of those that went out beside them were repetitions.
func (t *Transport) Counts() (requests, retries int) {
	return int(t.requests.Load()), int(t.retries.Load())
}

// CloseIdleConnections implements what http.Client.CloseIdleConnections looks for.
func (t *Transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// RoundTrip sends a request if it is on the list. It never returns an error: see the package.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ex := exchangeOf(req.Context())
	a, e := t.exchange(req, ex)
	if e == nil {
		return respond(req, a.status, a.body), nil
	}
	e.Method = req.Method
	if e.Path == "" {
		e.Path = t.below(req.URL)
	}
	ex.Err = e
	status := e.Status
	if status < 300 {
		status = statusInternal
	}
	// No Location header and no body of the server's reach the client: it follows no redirect and parses nothing.
	return respond(req, status, []byte(`{"message":"see the exchange"}`)), nil
}

func (t *Transport) exchange(req *http.Request, ex *Exchange) (*answer, *Error) {
	ctx := req.Context()
	node, agent, err := t.guard(req)
	if err != nil {
		return nil, &Error{Kind: Blocked, Reason: err.Error()}
	}
	release, err := t.limit.acquire(ctx, node, agent)
	if err != nil {
		return nil, &Error{Kind: Canceled, Reason: "interrupted before it was sent", Cause: err, Node: node}
	}
	defer release()
	for {
		if last, open := t.breaker.open(node); open {
			return nil, &Error{Kind: Skipped, Node: node,
				Reason: fmt.Sprintf("not sent: node %s had stopped answering (last: %s)", node, last)}
		}
		t.count(ctx, ex)
		a, e, again := t.attempt(req, node, ex.Attempts > 1)
		if e == nil {
			return a, nil
		}
		e.Node = node
		if !again || ex.Attempts > 1 {
			return nil, e
		}
		t.logf("GET %s: %s; trying once more", t.below(req.URL), e.Short())
		select {
		case <-time.After(t.retryDelay):
		case <-ctx.Done():
			return nil, e
		}
	}
}

func (t *Transport) count(ctx context.Context, ex *Exchange) {
	if ex.Attempts == 0 && !isRetry(ctx) {
		t.requests.Add(1)
	} else {
		t.retries.Add(1)
	}
	ex.Attempts++
}

// attempt sends the request once, and says whether one repetition may help.
func (t *Transport) attempt(req *http.Request, node string, repetition bool) (a *answer, e *Error, again bool) {
	ctx, cancel := context.WithTimeout(req.Context(), t.timeout)
	defer cancel()
	out, reused := once(ctx, req)
	way := t.base
	if repetition {
		way = t.fresh
	}
	resp, err := way.RoundTrip(out)
	if err == nil {
		a, err = read(resp, t.maxBody)
	}
	if err != nil {
		e, again = t.networkError(req.Context(), ctx, err, node, reused.Load())
		return nil, e, again
	}
	if a.status < 200 || a.status > 299 {
		e = t.failure(a)
		again = a.status == statusConnect || a.status == statusSend
		t.note(node, e, again)
		return nil, e, again
	}
	t.note(node, nil, false)
	if e = t.checkBody(a); e != nil {
		return nil, e, false
	}
	return a, nil, false
}

// note keeps the breaker's books.
func (t *Transport) note(node string, e *Error, down bool) {
	if !down {
		t.breaker.answered(node)
		return
	}
	if t.breaker.failed(node, e.Short()) {
		t.logf("node %s has stopped answering (%s): no further calls to it", node, e.Short())
	}
}

func (t *Transport) networkError(outer, inner context.Context, err error, node string, reused bool) (e *Error, again bool) {
	var large *tooLargeError
	switch {
	case errors.As(err, &large):
		return &Error{Kind: Malformed, Reason: err.Error(), Cause: err}, false
	case outer.Err() != nil:
		return &Error{Kind: Canceled, Reason: "interrupted", Cause: outer.Err()}, false
	case inner.Err() != nil:
		e = &Error{Kind: Unreachable, Reason: fmt.Sprintf("no answer within %s", t.timeout), Cause: inner.Err()}
		if node != "" {
			e.Kind = NodeDown
			t.note(node, e, true)
		}
		return e, false
	}
	// A server may close a connection while it is idle, and the request comes too late.
	return &Error{Kind: Unreachable, Reason: t.clean(err.Error()), Cause: err}, broken(err) || reused
}

// broken is true for a connection that was there and went away.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

func respond(req *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}
}
