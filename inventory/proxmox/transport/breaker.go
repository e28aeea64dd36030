package transport

import "sync"

// breaker stops calls to a Proxmox node that does not answer: a dead node costs up to 30 seconds a call, and a node
// with 150 guests would hold up a run for half an hour to say the same thing 150 times.
type breaker struct {
	// after is the number of failures in a row that opens it. It is above what may be in flight to one node at a
	// time, so that one short interruption of the node's proxy does not open it before a retry had its chance.
	after int

	mu    sync.Mutex
	nodes map[string]*nodeHealth
}

type nodeHealth struct {
	failures int
	last     string
}

func newBreaker(after int) *breaker { return &breaker{after: after, nodes: map[string]*nodeHealth{}} }

// open returns what the node answered last, if calls to it have stopped.
func (b *breaker) open(node string) (last string, yes bool) {
	if node == "" {
		return "", false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.nodes[node]
	if h == nil || h.failures < b.after {
		return "", false
	}
	return h.last, true
}

// failed notes a failure, and says whether it is the one that opens the breaker.
func (b *breaker) failed(node, reason string) bool {
	if node == "" {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.nodes[node]
	if h == nil {
		h = &nodeHealth{}
		b.nodes[node] = h
	}
	h.failures++
	h.last = reason
	return h.failures == b.after
}

// answered notes an answer of any kind: the node is there. An open breaker stays open, for calls that were in flight
// when it opened may still come back, and a run that starts to hope again with each of them never ends.
func (b *breaker) answered(node string) {
	if node == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.nodes[node]; h != nil && h.failures < b.after {
		h.failures = 0
	}
}
