package transport

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// gauge counts what is in flight, per node, and remembers the most.
type gauge struct {
	mu        sync.Mutex
	now, most map[string]int
}

func (g *gauge) enter(keys ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range keys {
		g.now[k]++
		g.most[k] = max(g.most[k], g.now[k])
	}
}

func (g *gauge) leave(keys ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range keys {
		g.now[k]--
	}
}

// However many ask at a time, a node sees PerNode requests in flight, the API Total, and agent calls come singly.
func TestLimits(t *testing.T) {
	g := &gauge{now: map[string]int{}, most: map[string]int{}}
	var turn sync.WaitGroup
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, n int) {
		keys := []string{"all", nodeOf(strings.TrimPrefix(r.URL.Path, "/api2/json"))}
		if strings.Contains(r.URL.Path, "/agent/") {
			keys = append(keys, "agent "+keys[1])
		}
		g.enter(keys...)
		// Hold the first requests until the limit is reached for certain: others may only come when these go.
		if n <= 5 {
			turn.Done()
			turn.Wait()
		}
		ok(t, w)
		g.leave(keys...)
	})
	turn.Add(5)
	tr := open(t, s.URL, func(o *Options) { o.PerNode, o.Total = 3, 5 })
	var wg sync.WaitGroup
	for i := range 40 {
		for _, node := range []string{"pve1", "pve2"} {
			wg.Go(func() { ask(t.Context(), t, tr, configOf(node, 100+i)) })
		}
	}
	wg.Wait()
	for i := range 10 {
		wg.Go(func() {
			ask(t.Context(), t, tr, strings.Replace(configOf("pve1", 100+i), "config?current=1", "agent/network-get-interfaces", 1))
		})
	}
	wg.Wait()
	if len(s.seen()) != 90 {
		t.Fatalf("%d requests", len(s.seen()))
	}
	if g.most["all"] != 5 || g.most["pve1"] > 3 || g.most["pve2"] > 3 || g.most["pve1"] < 2 || g.most["agent pve1"] != 1 {
		t.Errorf("most in flight: %v", g.most)
	}
}

// Whoever gives up waiting leaves nothing behind.
func TestAcquireGivesBackWhatItHeld(t *testing.T) {
	l := newLimiter(2, 1)
	release, err := l.acquire(t.Context(), "pve1", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// One of the two places on the node is free, the only one of all is not.
	if _, err := l.acquire(ctx, "pve1", true); !errors.Is(err, context.Canceled) {
		t.Fatalf("err %v", err)
	}
	release()
	for range 2 {
		release, err := l.acquire(t.Context(), "pve1", true)
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	for key, c := range l.nodes {
		if len(c) != 0 {
			t.Errorf("%d places of %q are still taken", len(c), key)
		}
	}
}
