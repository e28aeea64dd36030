package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestFilters: each value of each filter shows the findings that have it in the JSON of the same run, and no other.
func TestFilters(t *testing.T) {
	for _, name := range []string{"homelab", "stuck", "messy", "many"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, name)
			var run result
			readJSON(t, p.json, &run)
			if len(run.Findings) == 0 {
				t.Fatal("no findings: nothing to filter")
			}
			b := openTab(t, p, how{})
			if n := shown(b); n != len(run.Findings) {
				t.Fatalf("%d findings are shown, and the run has %d", n, len(run.Findings))
			}
			tried := 0
			for facet, value := range map[string]func(i int) string{
				"severity": func(i int) string { return run.Findings[i].Severity },
				"class":    func(i int) string { return run.Findings[i].Class },
				"rule":     func(i int) string { return run.Findings[i].Rule },
				"cluster":  func(i int) string { return run.Findings[i].Subject.Cluster },
				"site":     func(i int) string { return run.Findings[i].Subject.Site },
			} {
				want := map[string]int{}
				for i := range run.Findings {
					if v := value(i); v != "" {
						want[v]++
					}
				}
				if len(want) > 12 {
					for v := range want { // one of them will do
						want = map[string]int{v: want[v]}
						break
					}
				}
				for v, n := range want {
					tried++
					got := eval[int](b, fmt.Sprintf(`(() => {
						const form = document.getElementById("filters");
						form.reset();
						const select = form.elements[%q];
						if (!select) return -1;
						select.value = %q;
						select.dispatchEvent(new Event("input", { bubbles: true }));
						return [...document.querySelectorAll("#findings tbody tr")].filter((r) => !r.hidden).length;
					})()`, facet, v))
					if got != n && (got != -1 || len(want) > 1) {
						t.Errorf("%s %s: %d findings are shown, want %d", facet, v, got, n)
					}
					if said := eval[string](b, `document.getElementById("count").textContent`); got >= 0 && !strings.HasPrefix(said, fmt.Sprint(n)) {
						t.Errorf("%s %s: it says %q, want %d", facet, v, said, n)
					}
				}
			}
			if tried < 3 {
				t.Errorf("%d filters were tried", tried)
			}
			b.quiet()
		})
	}
}

// TestSearchByKeyboard is a person without a mouse: to the content, to the search, a word, a filter, and back to all.
func TestSearchByKeyboard(t *testing.T) {
	p := open(t, "homelab")
	var run result
	readJSON(t, p.json, &run)
	b := openTab(t, p, how{})
	focused := func() string {
		return eval[string](b, `(document.activeElement.id || document.activeElement.className || document.activeElement.tagName)`)
	}
	b.do(chromedp.KeyEvent("\t"))
	if f := focused(); f != "skip" {
		t.Errorf("the first stop is %s", f)
	}
	if !eval[bool](b, `document.activeElement.getBoundingClientRect().left >= 0 && getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
		t.Error("the skip link cannot be seen when it has the focus")
	}
	b.do(chromedp.KeyEvent("\r"))
	if f := focused(); f != "main" {
		t.Errorf("the skip link leads to %s", f)
	}
	for range 200 {
		if focused() == "filter-q" {
			break
		}
		b.do(chromedp.KeyEvent("\t"))
	}
	if f := focused(); f != "filter-q" {
		t.Fatalf("the search is not reached with Tab: at %s", f)
	}
	word := run.Findings[len(run.Findings)-1].Subject.Name
	b.do(chromedp.KeyEvent(strings.ToUpper(word)))
	n := shown(b)
	if n == 0 || n == len(run.Findings) {
		t.Errorf("%q shows %d of %d findings", word, n, len(run.Findings))
	}
	if said := eval[string](b, `document.getElementById("count").textContent`); said != fmt.Sprintf("%d of %d findings", n, len(run.Findings)) {
		t.Errorf("it says %q", said)
	}
	b.do(chromedp.KeyEvent(" that-nobody-has"))
	if n := shown(b); n != 0 {
		t.Errorf("%d findings have a word that nobody has", n)
	}
	for range 20 {
		if eval[bool](b, `document.activeElement.type === "reset"`) {
			break
		}
		b.do(chromedp.KeyEvent("\t"))
	}
	b.do(chromedp.KeyEvent("\r"))
	eval[bool](b, `new Promise((done) => setTimeout(() => done(true)))`)
	if n := shown(b); n != len(run.Findings) {
		t.Errorf("after the button %d of %d findings are shown", n, len(run.Findings))
	}
	// The focus can be seen wherever it goes.
	if bad := eval[[]string](b, `[...document.querySelectorAll("a, button, input, select, summary, [tabindex='0']")].filter((e) => e.getClientRects().length && !e.closest("details:not([open]) > :not(summary)")).slice(0, 60)
		.filter((e) => { e.focus(); return document.activeElement !== e; }).map((e) => e.outerHTML.slice(0, 80))`); len(bad) > 0 {
		t.Errorf("these take no focus: %q", bad)
	}
	b.quiet()
}

// TestSearchAndFilter: both at once, and what is found is what the row says.
func TestSearchAndFilter(t *testing.T) {
	b := openTab(t, open(t, "many"), how{})
	got := eval[struct{ Both, Wrong int }](b, `(() => {
		const form = document.getElementById("filters");
		form.elements.q.value = "TEAM-07 vcpu";
		form.elements.severity.value = "warning";
		form.dispatchEvent(new Event("input"));
		const rows = [...document.querySelectorAll("#findings tbody tr")].filter((r) => !r.hidden);
		return { Both: rows.length, Wrong: rows.filter((r) => !(r.textContent.includes("team-07") && r.textContent.includes("vCPU") && r.dataset.severity === "warning")).length };
	})()`)
	if got.Both == 0 || got.Wrong != 0 {
		t.Errorf("%+v", got)
	}
}
