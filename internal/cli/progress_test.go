package cli

import (
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &progress{w: &out, draw: true, say: func(string, ...any) {}, width: 80, now: func() time.Time { return now },
		started: now, steps: map[string][2]int{}}
	p.update("site/a", 0, 200)
	now = now.Add(10 * time.Second)
	p.update("site/b", 0, 100)
	p.update("site/b", 100, 100) // too soon to be drawn again
	now = now.Add(10 * time.Second)
	p.update("site/a", 50, 200)
	got := strings.Split(out.String(), "\r\x1b[K")
	want := []string{"", "[....................] 0/200, 0 of 1 sources", "[....................] 0/300, 0 of 2 sources",
		"[##########..........] 150/300, 1 of 2 sources, 20s left"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("drawn %q, want %q", got, want)
	}
	p.width = 20
	if line := p.line(now); len(line) >= 20 || !strings.HasPrefix(line, "150/300") {
		t.Errorf("on a narrow terminal: %q", line)
	}
	out.Reset()
	p.clear()
	p.clear()
	if out.String() != "\r\x1b[K" {
		t.Errorf("cleared with %q", out.String())
	}
}

// TestProgressIsNotDrawn: without a terminal the only trace is a line per source with -v.
func TestProgressIsNotDrawn(t *testing.T) {
	var out strings.Builder
	var said []string
	p := &progress{w: &out, say: func(f string, _ ...any) { said = append(said, f) }, width: 80, now: time.Now, steps: map[string][2]int{}}
	for range 3 {
		p.update("site/a", 2, 2)
	}
	p.clear()
	if out.Len() > 0 || len(said) != 1 {
		t.Errorf("drawn %q, said %q", out.String(), said)
	}
}
