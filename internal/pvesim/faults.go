package pvesim

import (
	"path"
	"time"
)

// Match selects requests. Empty fields match everything.
type Match struct {
	Method string
	// Path is the path without /api2/json, or a pattern of it as path.Match has
	// them: "/nodes/*/qemu/101/config".
	Path string
	// Node is the node that would answer.
	Node string
	// Token is the ID of the token.
	Token string
}

// Fault is what happens to the requests that a [Match] selects, instead of the
// right answer.
type Fault struct {
	// Status, Reason and Body make the answer; Status 0 keeps the right one.
	Status int
	Reason string
	Body   string
	// Skip lets that many requests pass first; Times ends the fault after that
	// many, 0 means never.
	Skip, Times int
	// Delay comes before the answer. It holds no worker.
	Delay time.Duration
	// Reset cuts the connection instead of answering.
	Reset bool
	// MalformedJSON cuts the right body short, with the length to match.
	MalformedJSON bool
}

type activeFault struct {
	match Match
	fault Fault
	seen  int
}

// Fail makes requests fail until the returned function is called, or Times are
// used up. Of several faults that match the first made one acts.
func (s *Server) Fail(m Match, f Fault) (stop func()) {
	a := &activeFault{match: m, fault: f}
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	s.faults = append(s.faults, a)
	return func() {
		s.faultMu.Lock()
		defer s.faultMu.Unlock()
		for i, x := range s.faults {
			if x == a {
				s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
				return
			}
		}
	}
}

// faultFor returns the fault that hits a request.
func (s *Server) faultFor(r Request) *Fault {
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	for _, a := range s.faults {
		if !a.match.matches(r) {
			continue
		}
		a.seen++
		if a.seen <= a.fault.Skip || a.fault.Times > 0 && a.seen > a.fault.Skip+a.fault.Times {
			continue
		}
		f := a.fault
		return &f
	}
	return nil
}

func (m Match) matches(r Request) bool {
	if m.Method != "" && m.Method != r.Method || m.Node != "" && m.Node != r.Answered || m.Token != "" && m.Token != r.Token {
		return false
	}
	if m.Path == "" || m.Path == r.Path {
		return true
	}
	ok, err := path.Match(m.Path, r.Path)
	return err == nil && ok
}

// apply turns the right answer into the faulty one.
func (f *Fault) apply(r *reply) *reply {
	res := *r
	res.delay += f.Delay
	res.reset = f.Reset
	if f.Status != 0 {
		res = reply{status: f.Status, reason: f.Reason, body: []byte(f.Body), delay: res.delay, reset: f.Reset}
		if f.Body != "" {
			res.contentType = contentTypeJSON
		}
	}
	if f.MalformedJSON && len(res.body) > 1 {
		res.body = res.body[:len(res.body)*2/3]
	}
	return &res
}
