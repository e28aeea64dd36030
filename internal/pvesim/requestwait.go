package pvesim

import (
	"context"
	"fmt"
)

// Await waits until a request that matches has been answered, and returns it. One
// that was answered before counts too; [Server.ResetRequests] forgets those. So a
// test can wait for "a clone was asked for":
//
//	srv.Await(ctx, pvesim.Match{Method: "POST", Path: "/nodes/*/qemu/*/clone"})
func (s *Server) Await(ctx context.Context, m Match) (Request, error) {
	for {
		s.logMu.Lock()
		for _, r := range s.log {
			if m.matches(r) {
				s.logMu.Unlock()
				return r, nil
			}
		}
		if s.logged == nil {
			s.logged = make(chan struct{})
		}
		next, seen := s.logged, len(s.log)
		s.logMu.Unlock()
		select {
		case <-next:
		case <-s.ctx.Done():
			return Request{}, fmt.Errorf("wait for %s %s: the simulator was closed after %d requests", m.Method, m.Path, seen)
		case <-ctx.Done():
			return Request{}, fmt.Errorf("wait for %s %s: none in %d requests: %w", m.Method, m.Path, seen, ctx.Err())
		}
	}
}
