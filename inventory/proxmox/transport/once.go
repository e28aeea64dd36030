package transport

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// net/http repeats a GET by itself when a connection that it uses again breaks without an answer, once for every idle
// connection it has: a server that cuts each of 24 connections would get the same question 25 times. It leaves a
// request alone that has a body which it cannot rewind; this one is empty.
type noRewind struct{}

func (noRewind) Read([]byte) (int, error) { return 0, io.EOF }

func (noRewind) Close() error { return nil }

// once copies a request so that it goes out exactly once, and tells whether that was on a connection used before.
func once(ctx context.Context, req *http.Request) (out *http.Request, reused *atomic.Bool) {
	reused = new(atomic.Bool)
	out = req.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { reused.Store(c.Reused) },
	}))
	out.Body, out.GetBody, out.ContentLength = noRewind{}, nil, 0
	// With this word net/http sends the body as it is, which is nothing, and no header about it. Without, it tries for
	// a moment whether there is a body, and on a machine under load announces one, which Proxmox refuses (501).
	out.TransferEncoding = []string{"identity"}
	out.Header.Set("User-Agent", "proxaudit")
	return out, reused
}
