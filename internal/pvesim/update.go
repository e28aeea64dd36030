package pvesim

import (
	"fmt"
	"time"
)

// Update changes the fleet while it is served. f gets a copy of the fleet as it is
// now, and must not call the server; if the result does not check out nothing
// changes. Nodes cannot be added or removed.
func (s *Server) Update(f func(*Fleet)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.state.fleet.clone()
	f(next)
	return s.replace(next)
}

// replace puts another fleet in the place of the present one. The caller holds
// the lock.
func (s *Server) replace(next *Fleet) error {
	st, err := compile(next, s.state.started, s.state)
	if err != nil {
		return fmt.Errorf("the changed fleet cannot be simulated: %w", err)
	}
	for name := range st.byName {
		if s.state.byName[name] == nil {
			return fmt.Errorf("node %s cannot be added while the simulator runs", name)
		}
	}
	if len(st.byName) != len(s.state.byName) {
		return fmt.Errorf("nodes cannot be removed while the simulator runs; take them offline")
	}
	st.rememberBroadcasts(s.state, s.opts.now(), s.opts.BroadcastEvery)
	s.state = st
	s.dropConnections(st)
	return nil
}

// dropConnections cuts what leads to nodes that are off.
func (s *Server) dropConnections(st *fleetState) {
	s.connMu.Lock()
	defer s.connMu.Unlock()
	for c, node := range s.conns {
		if !st.byName[node].online() {
			reset(c)
		}
	}
}

// SetOffline takes a node off, as if it had been off for ago already: from five
// minutes on its guests are "unknown".
func (s *Server) SetOffline(node string, ago time.Duration) error {
	if s.current().byName[node] == nil {
		return fmt.Errorf("no node %s", node)
	}
	return s.Update(func(f *Fleet) { f.node(node).OfflineSince = s.opts.now().Add(-ago) })
}

// SetOnline puts a node back on.
func (s *Server) SetOnline(node string) error {
	if s.current().byName[node] == nil {
		return fmt.Errorf("no node %s", node)
	}
	return s.Update(func(f *Fleet) {
		n := f.node(node)
		n.Offline, n.OfflineSince = 0, time.Time{}
	})
}

// node returns the entry of a node, made if the fleet relies on defaults.
func (f *Fleet) node(name string) *Node {
	if f.Nodes == nil {
		f.Nodes = map[string]*Node{}
	}
	if f.Nodes[name] == nil {
		f.Nodes[name] = &Node{}
	}
	return f.Nodes[name]
}
