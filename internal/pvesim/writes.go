package pvesim

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxPost is the largest body that pveproxy takes, uploads left aside
// (pve-http-server AnyEvent.pm, $limit_max_post); maxUpload is this simulator's
// own limit, as it keeps a body in memory.
const (
	maxPost   = 512 << 10
	maxUpload = 256 << 20
)

// perform answers a write of a [Options.Writable] simulator.
func (s *Server) perform(st *fleetState, req *http.Request, rec *Request) *reply {
	upload := reUpload.MatchString(rec.Path) && req.Method == http.MethodPost
	limit := int64(maxPost)
	if upload {
		limit = maxUpload
	}
	if req.ContentLength > limit {
		return textReply(http.StatusNotImplemented, "for data too large")
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, limit))
	if err != nil {
		return bare(http.StatusBadRequest, "cannot read the body")
	}
	parse := bodyParams
	if upload {
		parse = uploadParams
	}
	params, fault := parse(req.Header.Get("Content-Type"), body)
	if fault != nil {
		return fault.render(st.release)
	}
	for name, v := range queryParams(req.URL.RawQuery) {
		if upload && name == uploadSize {
			return failed("'tmpfilename' query parameter is not allowed for file uploads").render(st.release)
		}
		params[name] = v
	}
	delete(params, "_dc")
	return s.serve(st, rec, params)
}

// commit lets a write change the fleet. It holds the lock from the checks to the
// change, so that of two writes the second sees what the first did.
func (s *Server) commit(c *call, change func(c *call) (any, *apiError)) (any, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.st = s.state
	c.asked = c.st.byName[c.asked.name]
	c.next = c.st.fleet.clone()
	data, fault := change(c)
	if fault != nil {
		return nil, fault
	}
	if err := s.replace(c.next); err != nil {
		return nil, failed("pvesim cannot carry this out: %v", err)
	}
	return data, nil
}

// taskLog is what a task prints.
type taskLog []string

func (l *taskLog) printf(format string, args ...any) {
	*l = append(*l, strings.Split(fmt.Sprintf(format, args...), "\n")...)
}

// fork does work as a task of the node and returns its UPID. What goes wrong in a
// task is no error of the request: it shows in the task's status, and the fleet
// stays as it was (pve-access-control RESTEnvironment.pm, fork_worker). The task
// has ended when the request is answered.
func (c *call) fork(node *nodeState, kind, id string, work func(log *taskLog) error) string {
	var log taskLog
	err := work(&log)
	if err != nil {
		c.next = c.st.fleet.clone()
	}
	c.srv.forked++
	t := Task{
		Node: node.name, Type: kind, ID: id, User: c.auth, Started: c.now.Unix(), Ended: c.now.Unix(),
		Status: taskStatusText(err), Log: log, PID: 0x4500 + c.srv.forked,
		// In hundredths of a second since the node was booted; the count keeps two
		// tasks of one moment apart.
		PStart: int(max(c.now.Sub(node.booted).Milliseconds()/10, 0)) + c.srv.forked,
	}
	c.next.Tasks = append([]Task{t}, c.next.Tasks...)
	return t.upid()
}

// taskStatusText is the exit status of a task: Perl writes an exception of the
// API with its code, and a task's status is a single line.
func taskStatusText(err error) string {
	if err == nil {
		return "OK"
	}
	text := err.Error()
	if e, ok := err.(*apiError); ok { //nolint:errorlint // tasks return it bare
		if text = e.message; e.status != http.StatusInternalServerError {
			text = e.Error()
		}
		for _, name := range sortedKeys(e.errors) {
			text += " " + name + ": " + strings.TrimSpace(e.errors[name])
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// onlyRoot refuses parameters that only root@pam in person may use; a token of
// root's is not root.
func (c *call) onlyRoot(names ...string) *apiError {
	for _, name := range names {
		if v := c.params[name]; v != "" && v != "0" {
			return badParams(map[string]string{name: "Only root may use this option."})
		}
	}
	return nil
}

// checkDigest refuses a change of another configuration than the caller saw.
func (c *call) checkDigest(g *guest) *apiError {
	if d := c.params["digest"]; d != "" && d != g.conf.digest {
		return failed("checksum mismatch (file change by other user?)")
	}
	return nil
}

// checkLock is PVE::AbstractConfig check_lock.
func (g *guest) checkLock(except ...string) *apiError {
	lock := g.conf.main.text("lock")
	for _, e := range except {
		if lock == e {
			return nil
		}
	}
	if lock != "" {
		return failed("VM is locked (%s)", lock)
	}
	return nil
}

// asError avoids an error that is not nil and holds a nil pointer.
func asError(e *apiError) error {
	if e == nil {
		return nil
	}
	return e
}
