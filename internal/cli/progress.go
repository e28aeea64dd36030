package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progress shows how far the collection is: one line that is drawn over itself, and only where a person watches. With
// --verbose there are plain lines instead, because the line would be torn apart between them.
type progress struct {
	w       io.Writer
	draw    bool
	say     func(string, ...any)
	width   int
	now     func() time.Time
	mu      sync.Mutex
	started time.Time
	last    time.Time
	steps   map[string][2]int
	drawn   bool
}

// redrawEvery keeps the terminal from being the slowest part.
const redrawEvery = 100 * time.Millisecond

func (r *run) newProgress() *progress {
	p := &progress{w: r.env.Stderr, say: r.verbosef, width: 80, now: time.Now, steps: map[string][2]int{},
		draw: r.env.StderrTerminal && !r.quiet && !r.verbose && !r.env.dumbTerminal()}
	if r.env.Width > 0 {
		p.width = min(p.width, r.env.Width)
	}
	p.started = p.now()
	return p
}

// update is called by the collectors, from several goroutines.
func (p *progress) update(source string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.steps[source]
	p.steps[source] = [2]int{done, total}
	if done == total && total > 0 && before != p.steps[source] {
		p.say("%s: %d of %d", source, done, total)
	}
	now := p.now()
	if !p.draw || now.Sub(p.last) < redrawEvery {
		return
	}
	p.last, p.drawn = now, true
	// \r and \x1b[K are the two things that every terminal knows: to the start of the line, and clear it.
	_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s", p.line(now))
}

// clear takes the line away before anything else is written.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// line is like "[#####.....] 210/420, 3 of 5 sources, 12s left".
func (p *progress) line(now time.Time) string {
	done, total, ready := 0, 0, 0
	for _, s := range p.steps {
		done, total = done+s[0], total+s[1]
		if s[0] == s[1] {
			ready++
		}
	}
	text := fmt.Sprintf(" %d/%d, %d of %d sources", done, total, ready, len(p.steps))
	if elapsed := now.Sub(p.started); done > 0 && done < total && elapsed > time.Second {
		left := elapsed / time.Duration(done) * time.Duration(total-done)
		text += ", " + left.Round(time.Second).String() + " left"
	}
	const bar = 20
	full := 0
	if total > 0 {
		full = bar * done / total
	}
	line := "[" + strings.Repeat("#", full) + strings.Repeat(".", bar-full) + "]" + text
	if len(line) >= p.width {
		line = strings.TrimSpace(text)
	}
	return line[:min(len(line), p.width-1)]
}
