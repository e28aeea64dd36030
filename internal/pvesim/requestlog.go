package pvesim

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Request is one request that the simulator answered. It holds no secret.
type Request struct {
	Method string
	// Path without /api2/json, decoded.
	Path  string
	Query string
	// Asked is the node whose API was asked, Answered the one that answered: the
	// node in the path, if the request was passed on.
	Asked, Answered string
	// Token is the ID of the token, "" when none was given or it was not
	// accepted.
	Token  string
	Status int
	// Time is when the answer was ready, by the simulator's clock.
	Time time.Time
	// Faulted says that a fault made with [Server.Fail] took part.
	Faulted bool
}

// Requests returns what was asked so far, oldest first.
func (s *Server) Requests() []Request {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	return slices.Clone(s.log)
}

// ResetRequests forgets the requests so far, and the highest numbers of requests
// in flight.
func (s *Server) ResetRequests() {
	s.logMu.Lock()
	s.log = nil
	s.logMu.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, w := range s.workers {
		w.peak.Store(0)
	}
}

// Writes returns the requests that were not GET.
func (s *Server) Writes() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Method == http.MethodGet })
}

// CountPath returns how many requests had a path that starts with prefix.
func (s *Server) CountPath(prefix string) int {
	n := 0
	for _, r := range s.Requests() {
		if strings.HasPrefix(r.Path, prefix) {
			n++
		}
	}
	return n
}

// PeakInFlight returns the highest number of requests that waited for or held a
// worker of the node at one time.
func (s *Server) PeakInFlight(node string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if w := s.workers[node]; w != nil {
		return int(w.peak.Load())
	}
	return 0
}

func (s *Server) record(r Request) {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	s.log = append(s.log, r)
	if s.logged != nil {
		close(s.logged)
		s.logged = nil
	}
}
