package pvesim

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

var (
	reAuthToken  = regexp.MustCompile(`(?:^|\s)PVEAPIToken(?:=| )([^;]*)`)
	reAuthTicket = regexp.MustCompile(`(?:^|\s)PVEAuthCookie(?:=| )([^;]*)`)
	reTokenValue = regexp.MustCompile(`^(.*)=(.*)$`)
)

const (
	noTicket   = "No ticket"
	authFailed = "Authentication failed!"
)

// authenticate returns the ID of the token of a request, or the reason phrase of
// the refusal. A ticket goes before a token, and none is ever valid here.
func (s *fleetState) authenticate(h http.Header, now time.Time) (token, refusal string) {
	for _, v := range append(h.Values("Cookie"), h.Values("Authorization")...) {
		if m := reAuthTicket.FindStringSubmatch(v); m != nil && m[1] != "" {
			return "", authFailed
		}
	}
	m := reAuthToken.FindStringSubmatch(h.Get("Authorization"))
	if m == nil {
		return "", noTicket
	}
	value, err := url.PathUnescape(m[1])
	if err != nil {
		value = m[1]
	}
	parts := reTokenValue.FindStringSubmatch(value)
	if parts == nil {
		return "", authFailed
	}
	t := s.tokens[parts[1]]
	if t == nil || t.secret != parts[2] || expired(t.spec.Expire, now) {
		return "", authFailed
	}
	u := s.users[t.owner]
	if u.Enabled != nil && !*u.Enabled || expired(u.Expire, now) {
		return "", authFailed
	}
	return t.id, ""
}

func expired(at int64, now time.Time) bool { return at != 0 && at < now.Unix() }

// get answers a GET request.
func (s *Server) get(st *fleetState, req *http.Request, rec *Request) *reply {
	return s.serve(st, rec, queryParams(req.URL.RawQuery))
}

// serve answers a request: permission first, then the way to the node, then the
// parameters.
func (s *Server) serve(st *fleetState, rec *Request, params map[string]string) *reply {
	e, vars := findEndpoint(rec.Method, rec.Path)
	if e == nil {
		return notImplemented(rec.Method, rec.Path).render(st.release)
	}
	c := &call{
		srv: s, st: st, asked: st.byName[rec.Asked], now: s.opts.now(), auth: rec.Token, rel: rec.Path, vars: vars,
		params: params,
	}
	for name, v := range vars {
		if p, ok := c.params[name]; ok && p != v {
			return badParams(map[string]string{
				name: "duplicate parameter (already defined in URI) with conflicting values!",
			}).render(st.release)
		}
		delete(c.params, name)
	}
	if e.allow != nil {
		if err := e.allow(c); err != nil {
			return err.render(st.release)
		}
	}
	target := c.asked
	if e.proxied {
		if target = c.node(); target == nil {
			return failed("hostname lookup '%[1]s' failed - failed to get address info for: %[1]s: Name or service not known",
				vars["node"]).render(st.release)
		}
		rec.Answered = target.name
		if !target.online() {
			return bare(595, "Connection refused")
		}
	}
	leave := s.workersOf(target).enter(e.protected)
	defer leave()
	s.sleep(target.latency)
	return c.run(e, target.name != c.asked.name)
}

// run checks the parameters and calls the endpoint.
func (c *call) run(e *endpoint, passedOn bool) *reply {
	params := e.params
	if e.paramsOf != nil {
		params = e.paramsOf(c.st.release)
	}
	if err := c.verify(params); err != nil {
		return err.render(c.st.release)
	}
	handle := e.handle
	if e.change != nil {
		handle = func(c *call) (any, *apiError) { return c.srv.commit(c, e.change) }
	}
	data, err := handle(c)
	if err != nil {
		return err.render(c.st.release)
	}
	body := map[string]any{"data": data}
	if c.total != nil {
		body["total"] = *c.total
	}
	rep := jsonReply(http.StatusOK, "OK", body)
	switch {
	case e.protected && passedOn:
		rep.extraConnection = []string{"close,Keep-Alive"}
	case e.protected:
		rep.extraConnection = []string{"close"}
	case passedOn:
		rep.extraConnection = []string{"Keep-Alive"}
	}
	return rep
}

// configPrivileges are those any of which opens PUT …/config.
var configPrivileges = strings.Fields(`VM.Config.Disk VM.Config.CDROM VM.Config.CPU VM.Config.Memory VM.Config.Network
	VM.Config.HWType VM.Config.Options VM.Config.Cloudinit`)

var reQemuConfig = regexp.MustCompile(`^/nodes/[^/]+/qemu/([^/]+)/config$`)

// write answers what is not a GET: it is refused, unless the options let it
// through.
func (s *Server) write(st *fleetState, req *http.Request, rec *Request) *reply {
	if s.opts.Writable {
		return s.perform(st, req, rec)
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody))
	if err != nil {
		return bare(http.StatusBadRequest, "cannot read the body")
	}
	if m := reQemuConfig.FindStringSubmatch(rec.Path); m != nil {
		if path := "/vms/" + m[1]; !st.perms.has(rec.Token, path, configPrivileges...) {
			return denied(path + ", " + strings.Join(configPrivileges, "|")).render(st.release)
		}
	} else if e, _ := findEndpoint(http.MethodGet, rec.Path); e != nil && !writable(rec.Path) {
		return notImplemented(req.Method, rec.Path).render(st.release)
	}
	if s.opts.OnWrite != nil {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return bare(http.StatusBadRequest, "cannot decode the body")
		}
		if data, ok := s.opts.OnWrite(Write{Method: req.Method, Path: rec.Path, Form: form, Token: rec.Token}); ok {
			return jsonReply(http.StatusOK, "OK", map[string]any{"data": data})
		}
	}
	return (&apiError{
		status:  http.StatusForbidden,
		message: fmt.Sprintf("pvesim changes nothing: %s %s refused", req.Method, rec.Path),
	}).render(st.release)
}

// writable says whether a simulated path has other methods in Proxmox VE.
func writable(path string) bool {
	switch {
	case path == "/version", path == "/cluster/status", path == "/cluster/resources", path == "/cluster/nextid",
		path == "/cluster/tasks", path == "/access/permissions", path == "/nodes",
		strings.HasSuffix(path, "/pending"), strings.HasSuffix(path, "/status/current"):
		return false
	}
	return true
}
