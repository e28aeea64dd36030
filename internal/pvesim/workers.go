package pvesim

import (
	"sync"
	"sync/atomic"
)

// workers are the worker processes of one node: pveproxy answers what is not
// protected, pvedaemon the rest. Both handle one request at a time each.
type workers struct {
	proxy, daemon chan struct{}
	inFlight      atomic.Int64
	peak          atomic.Int64
}

func newWorkers(n int) *workers {
	return &workers{proxy: make(chan struct{}, n), daemon: make(chan struct{}, n)}
}

// enter waits for a worker and returns what gives it back.
func (w *workers) enter(protected bool) (leave func()) {
	n := w.inFlight.Add(1)
	for {
		old := w.peak.Load()
		if n <= old || w.peak.CompareAndSwap(old, n) {
			break
		}
	}
	slots := w.proxy
	if protected {
		slots = w.daemon
	}
	slots <- struct{}{}
	var once sync.Once
	return func() {
		once.Do(func() {
			<-slots
			w.inFlight.Add(-1)
		})
	}
}
