package transport

import (
	"context"
	"sync"
)

// limiter bounds the requests in flight: per Proxmox node, because each node answers with three workers and more
// than that only makes its queue (and everyone else's web interface) slower, and over all.
type limiter struct {
	perNode int
	total   chan struct{}

	mu    sync.Mutex
	nodes map[string]chan struct{}
}

func newLimiter(perNode, total int) *limiter {
	return &limiter{perNode: perNode, total: make(chan struct{}, total), nodes: map[string]chan struct{}{}}
}

// acquire waits for a place on the node and then for one of all places, in this order: the other way round requests
// that wait for a slow node would take the places of those to quick ones. Agent calls wait for the node's only place
// for such calls first.
func (l *limiter) acquire(ctx context.Context, node string, agent bool) (release func(), err error) {
	var held []chan struct{}
	release = func() {
		for _, c := range held {
			<-c
		}
	}
	places := []chan struct{}{l.node(node, l.perNode), l.total}
	if agent {
		places = append([]chan struct{}{l.node(node+" agent", 1)}, places...)
	}
	for _, c := range places {
		select {
		case c <- struct{}{}:
			held = append(held, c)
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}

func (l *limiter) node(key string, size int) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.nodes[key]
	if c == nil {
		c = make(chan struct{}, size)
		l.nodes[key] = c
	}
	return c
}
