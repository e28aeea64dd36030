package pvesim

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// maxBody is the largest request body that pveproxy takes.
const maxBody = 64 << 10

// serveConn answers the requests of one connection. It speaks HTTP itself,
// because net/http cannot send a reason phrase of its own.
func (s *Server) serveConn(raw net.Conn, node string) {
	if n := s.current().byName[node]; n == nil || !n.online() {
		reset(raw)
		return
	}
	conn := raw
	if s.id != nil {
		t := tls.Server(raw, s.tlsConfig())
		if err := t.HandshakeContext(s.ctx); err != nil {
			return // a client that does not trust the certificate
		}
		conn = t
	}
	r, w := bufio.NewReader(conn), bufio.NewWriter(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		rep := s.answer(req, node)
		s.sleep(rep.delay)
		if rep.reset || s.ctx.Err() != nil {
			reset(raw)
			return
		}
		keep, err := rep.write(w, s.opts.now(), acceptsGzip(req), keepAlive(req))
		if err != nil || !keep {
			shutdown(conn)
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
	}
}

// reset drops a connection the way a crashed host's peer sees it.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // it only decides how the close below looks
	}
	closeQuietly(c)
}

// shutdown closes after an answer. A request body that was not read would turn
// the close into a reset that eats the answer, so the rest of it is read first.
func shutdown(c net.Conn) {
	type closeWriter interface{ CloseWrite() error }
	if t, ok := c.(closeWriter); ok {
		if err := t.CloseWrite(); err != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, c, maxBody) // whatever is left; the peer closes
	}
}

func keepAlive(r *http.Request) bool {
	if slices.ContainsFunc(r.Header.Values("Connection"), func(v string) bool { return strings.EqualFold(v, "close") }) || r.Close {
		return false
	}
	return r.ProtoAtLeast(1, 1)
}

func acceptsGzip(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept-Encoding"), ","), "gzip")
}

const apiRoot = "/api2/json"

// answer works out the answer to one request and records it.
func (s *Server) answer(req *http.Request, node string) *reply {
	st := s.current()
	rec := Request{Method: req.Method, Query: req.URL.RawQuery, Asked: node, Answered: node, Path: req.URL.Path}
	rel, ok := strings.CutPrefix(req.URL.Path, apiRoot)
	if ok {
		rec.Path = orDefault(rel, "/")
	}
	rep := s.route(st, req, &rec, ok)
	if f := s.faultFor(rec); f != nil {
		rec.Faulted = true
		rep = f.apply(rep)
	}
	rec.Status, rec.Time = rep.status, s.opts.now()
	s.record(rec)
	return rep
}

// route follows the order of pve-http-server: method, authentication, body, path.
func (s *Server) route(st *fleetState, req *http.Request, rec *Request, isAPI bool) *reply {
	switch req.Method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete:
	default:
		return bare(http.StatusNotImplemented, "method '"+req.Method+"' not available")
	}
	if !isAPI {
		return textReply(http.StatusInternalServerError, "no such file '"+rec.Path+"'")
	}
	if !strings.HasPrefix(rec.Path, "/") {
		return textReply(http.StatusNotImplemented, "no such uri")
	}
	token, err := st.authenticate(req.Header, s.opts.now())
	if err != "" {
		rep := bare(http.StatusUnauthorized, err)
		rep.delay = s.opts.authDelay()
		return rep
	}
	rec.Token = token
	if req.ContentLength != 0 && req.Method != http.MethodPut && req.Method != http.MethodPost {
		return textReply(http.StatusNotImplemented, "Unexpected content for method '"+req.Method+"'")
	}
	if len(req.TransferEncoding) > 0 {
		return textReply(http.StatusNotImplemented, "chunked transfer encoding not supported")
	}
	if req.Method != http.MethodGet {
		return s.write(st, req, rec)
	}
	return s.get(st, req, rec)
}

// textReply is an error of the HTTP server itself: its text is the body, and
// there is no content type.
func textReply(status int, text string) *reply {
	return &reply{status: status, reason: text, body: []byte(text)}
}

// queryParams decodes a query. Of a name that occurs twice the last value counts.
func queryParams(raw string) map[string]string {
	res := map[string]string{}
	for _, pair := range strings.Split(raw, "&") {
		if pair == "" {
			continue
		}
		k, v, _ := strings.Cut(pair, "=")
		key, err1 := url.QueryUnescape(k)
		value, err2 := url.QueryUnescape(v)
		if err1 != nil || err2 != nil {
			key, value = k, v
		}
		res[key] = value
	}
	delete(res, "_dc") // keeps caches of browsers away
	return res
}
