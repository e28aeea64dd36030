package browser

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is one open page, and what it did.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	said     []string
}

// how is what a page is looked at with.
type how struct {
	width    int64
	dark     bool
	print    bool
	noScript bool
}

// openTab opens a page. Whatever it asks for or says is kept, from before it is loaded.
func openTab(t *testing.T, p page, h how) *tab {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	// The first call makes the tab and must have no deadline.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	call(b, "network", func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err })
	call(b, "log", func() error { _, err := chromedp.Call(ctx, cdplog.Enable, struct{}{}); return err })
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}}
	if h.dark {
		media.Features[0].Value = "dark"
	}
	if h.print {
		media.Media = "print"
	}
	call(b, "media", func() error { _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); return err })
	if h.noScript {
		call(b, "script", func() error {
			_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			return err
		})
	}
	if h.width == 0 {
		h.width = 1280
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(h.width, 900), chromedp.Navigate(fileURL(t, p.html))); err != nil {
		t.Fatal(err)
	}
	return b
}

func call(b *tab, what string, do func() error) {
	b.t.Helper()
	if err := do(); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

func (b *tab) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, "exception: "+e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		b.said = append(b.said, fmt.Sprintf("%s %s: %s", e.Entry.Source, e.Entry.Level, e.Entry.Text))
	}
}

// quiet fails if the page asked for anything but itself, or if the browser had a word to say about it.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) != 1 {
		b.t.Errorf("%d requests instead of the page's own: %q", len(b.requests), b.requests)
	}
	if len(b.said) > 0 {
		b.t.Errorf("the console has %q", b.said)
	}
}

// do runs actions.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}
