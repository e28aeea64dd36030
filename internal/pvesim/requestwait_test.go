package pvesim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAwait: a request that was answered and one that is still to come are both
// found; one that never comes is an error that says so.
func TestAwait(t *testing.T) {
	s := startWritable(t)
	clone := Match{Method: "POST", Path: "/nodes/*/qemu/*/clone"}
	found := make(chan error, 1)
	go func() {
		r, err := s.Await(context.Background(), clone)
		if err == nil && (r.Token != "all@pve!tok" || r.Status != 200) {
			err = fmt.Errorf("got %+v", r)
		}
		found <- err
	}()
	for { // until the other waits
		s.logMu.Lock()
		waits := s.logged != nil
		s.logMu.Unlock()
		if waits {
			break
		}
		time.Sleep(time.Millisecond)
	}
	get(t, s, "/version")
	if st, _ := send(t, s, "all@pve!tok", "POST", "/nodes/pve1/qemu/900/clone", "newid=500"); st != "200 OK" {
		t.Fatal(st)
	}
	if err := <-found; err != nil {
		t.Error(err)
	}
	if _, err := s.Await(context.Background(), clone); err != nil {
		t.Errorf("after the fact: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Await(ctx, Match{Method: "DELETE"})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "none in 2 requests") {
		t.Errorf("one that never comes: %v", err)
	}
}
