package transport

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func configOf(node string, vmid int) string {
	return fmt.Sprintf("/nodes/%s/qemu/%d/config?current=1", node, vmid)
}

// After a number of failures in a row nothing more is sent to that node; the other nodes are not concerned.
func TestBreakerOpensPerNode(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.Contains(r.URL.Path, "/pve3/") {
			raw(t, w, "595 No route to host", "")
			return
		}
		ok(t, w)
	})
	tr := open(t, s.URL, nil)
	skipped := 0
	for i := range 20 {
		_, ex := ask(t.Context(), t, tr, configOf("pve3", 300+i))
		if ex.Err == nil {
			t.Fatal("a dead node has answered")
		}
		if ex.Err.Kind == Skipped {
			skipped++
			if e := ex.Err.Error(); !strings.Contains(e, "pve3 had stopped answering (last: 595 No route to host)") || ex.Err.Node != "pve3" {
				t.Errorf("the reason is missing in %q", e)
			}
		}
		if _, ex := ask(t.Context(), t, tr, configOf("pve1", 100+i)); ex.Err != nil {
			t.Fatalf("pve1: %v", ex.Err)
		}
	}
	dead := 0
	for _, uri := range s.seen() {
		if strings.Contains(uri, "/pve3/") {
			dead++
		}
	}
	if dead != minBreaker || skipped == 0 {
		t.Errorf("%d requests to the dead node, want %d; %d skipped", dead, minBreaker, skipped)
	}
}

func TestBreakerCountsOnlyFailuresInARow(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n%2 == 1 {
			raw(t, w, "596 Connection timed out", "")
			return
		}
		ok(t, w)
	})
	tr := open(t, s.URL, nil)
	for i := range 20 {
		if _, ex := ask(t.Context(), t, tr, configOf("pve1", 100+i)); ex.Err != nil {
			t.Fatal(ex.Err)
		}
	}
	if count, retries := tr.Counts(); count != 20 || retries != 20 {
		t.Errorf("counted %d and %d", count, retries)
	}
}

// A node that says no is there.
func TestBreakerIgnoresRefusals(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { raw(t, w, "403 no", "") })
	tr := open(t, s.URL, nil)
	for i := range 20 {
		_, ex := ask(t.Context(), t, tr, configOf("pve1", 100+i))
		_ = mustFail(t, ex, Refused)
	}
	if len(s.seen()) != 20 {
		t.Errorf("%d requests", len(s.seen()))
	}
}

// The entry node has no breaker: its failures are those of single questions.
func TestEntryNodeHasNoBreaker(t *testing.T) {
	b := newBreaker(2)
	for range 5 {
		if b.failed("", "x") {
			t.Error("opened")
		}
	}
	if _, open := b.open(""); open {
		t.Error("open")
	}
	b.answered("")
	b.answered("unheard-of")
	b.failed("pve1", "first")
	if !b.failed("pve1", "second") || b.failed("pve1", "third") {
		t.Error("it opens once, at the second failure")
	}
	b.answered("pve1")
	if last, open := b.open("pve1"); !open || last != "third" {
		t.Errorf("a late answer closed it: %q, %v", last, open)
	}
}
