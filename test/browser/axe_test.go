package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAxe: axe-core finds nothing serious, in light and dark, on a phone and on a desktop.
func TestAxe(t *testing.T) {
	source, err := os.ReadFile(tool(t, "axe-core-*.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range everyPage {
		for _, h := range []how{{width: 400}, {width: 1280}, {width: 400, dark: true}, {width: 1280, dark: true}} {
			b := openTab(t, open(t, name), h)
			axe(t, b, string(source), name, h)
		}
	}
	// It is axe that says so: a page with a fault does not pass.
	b := openTab(t, open(t, "clean"), how{})
	eval[int](b, `document.body.insertAdjacentHTML("beforeend", "<main><input type='text'><button></button></main>") || 1`)
	if found := violations(b, string(source)); len(found) == 0 {
		t.Error("axe finds nothing in a page with a nameless button")
	}
}

func axe(t *testing.T, b *tab, source, name string, h how) {
	t.Helper()
	for _, v := range violations(b, source) {
		t.Errorf("%s at %d px, dark %v: %s %s: %s\n%s", name, h.width, h.dark, v.Impact, v.ID, v.Help, strings.Join(v.Where, "\n"))
	}
}

type violation struct {
	ID, Impact, Help string
	Where            []string
}

// violations are all that axe finds, whatever their impact.
func violations(b *tab, source string) []violation {
	b.t.Helper()
	// What the developer tools evaluate is not bound by the page's policy, which lets no other script in.
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](source)); err != nil {
		b.t.Fatal(err)
	}
	if !eval[bool](b, `typeof axe === "object"`) {
		b.t.Fatal("axe is not in the page")
	}
	found := eval[struct {
		Passes     int
		Violations []violation
	}](b, `axe.run().then((r) => ({ Passes: r.passes.length,
		Violations: r.violations.map((v) => ({ ID: v.id, Impact: v.impact, Help: v.help, Where: v.nodes.slice(0, 3).map((n) => n.html + " " + n.failureSummary) })) }))`)
	if found.Passes < 10 {
		b.t.Fatalf("axe looked at %d rules", found.Passes)
	}
	return found.Violations
}
