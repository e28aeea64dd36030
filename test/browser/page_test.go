package browser

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// everyPage are the pages that are looked at in every way.
var everyPage = []string{"homelab", "messy", "stuck", "prod", "hostile", "clean", "orphans", "inventory", "why"}

// TestNothingLeaves: a page asks for nothing and says nothing, and what names and messages would do, they do not.
func TestNothingLeaves(t *testing.T) {
	for _, name := range everyPage {
		t.Run(name, func(t *testing.T) {
			b := openTab(t, open(t, name), how{})
			// Whatever loads late has loaded.
			eval[bool](b, `new Promise((done) => setTimeout(() => done(true), 300))`)
			b.quiet()
			if owned := eval[bool](b, `"owned" in window`); owned {
				t.Errorf("a name ran a script: %v", eval[int](b, `window.owned`))
			}
			// Everything that could ask or run is one of ours.
			if n := eval[int](b, `document.querySelectorAll("img, iframe, object, embed, link, video, audio, base, form[action], a:not([href^='#']), [style]").length`); n != 0 {
				t.Errorf("%d elements that the page has no use for", n)
			}
			if n := eval[int](b, `document.scripts.length`); n != 1 {
				t.Errorf("%d scripts", n)
			}
			if n := eval[int](b, `[...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length`); n != 0 {
				t.Errorf("%d elements with handlers", n)
			}
		})
	}
}

// TestHostileNamesAreShown: they are text, all of it, and can be searched.
func TestHostileNamesAreShown(t *testing.T) {
	b := openTab(t, open(t, "hostile"), how{})
	if n := eval[int](b, `document.body.textContent.split("<img src=x onerror=window.owned=2>").length - 1`); n < 5 {
		t.Errorf("the names are in the page's text %d times", n)
	}
	b.do(chromedp.SendKeys("input[name=q]", "<script>window.owned=1"))
	if shown(b) == 0 {
		t.Error("no row is found by its name")
	}
	b.quiet()
}

// TestPolicy: were something of theirs to come into the page, the policy stops it.
func TestPolicy(t *testing.T) {
	b := openTab(t, open(t, "homelab"), how{})
	blocked := eval[[]string](b, `new Promise((done) => {
		const seen = [];
		document.addEventListener("securitypolicyviolation", (e) => { seen.push(e.effectiveDirective); if (seen.length === 5) done(seen.sort()); });
		const script = document.createElement("script"); script.textContent = "window.owned = 1"; document.body.append(script);
		const style = document.createElement("style"); style.textContent = "body { display: none }"; document.head.append(style);
		document.body.insertAdjacentHTML("beforeend", "<img src='https://example.com/x.png'><b onclick='1' id='handler'></b>");
		document.getElementById("handler").click();
		fetch("https://example.com/").catch(() => {});
		setTimeout(() => done(seen.sort()), 20000);
	})`)
	if want := []string{"connect-src", "img-src", "script-src-attr", "script-src-elem", "style-src-elem"}; !slices.Equal(blocked, want) {
		t.Errorf("stopped %q, want %q", blocked, want)
	}
	if eval[bool](b, `"owned" in window`) {
		t.Error("a script ran")
	}
}

// TestLinks: each leads to something in the page, and by keyboard the first one skips to the content.
func TestLinks(t *testing.T) {
	for _, name := range everyPage {
		b := openTab(t, open(t, name), how{})
		if dead := eval[[]string](b, `[...document.querySelectorAll("a")].filter((a) => !a.hash || !document.getElementById(decodeURIComponent(a.hash.slice(1)))).map((a) => a.outerHTML)`); len(dead) > 0 {
			t.Errorf("%s: links to nothing: %q", name, dead)
		}
		if twice := eval[[]string](b, `[...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)`); len(twice) > 0 {
			t.Errorf("%s: IDs that occur twice: %q", name, twice)
		}
	}
}

// TestNoSidewaysScrolling at the widths of a phone, a tablet and a desktop, and on paper.
func TestNoSidewaysScrolling(t *testing.T) {
	for _, name := range append(slices.Clone(everyPage), "many") {
		for _, h := range []how{{width: 320}, {width: 400}, {width: 768}, {width: 1280}, {width: 1920}, {width: 720, print: true}} {
			if name == "many" && h.width != 400 && h.width != 1280 {
				continue
			}
			b := openTab(t, open(t, name), h)
			over := eval[[]string](b, fmt.Sprintf(`(() => {
				if (document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth) return [];
				return [...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll") || e.matches(".scroll"))
					.filter((e) => e.getBoundingClientRect().right > %d).map((e) => e.tagName + "." + e.className).slice(0, 10).concat(["scrollWidth " + document.scrollingElement.scrollWidth]);
			})()`, h.width))
			if len(over) > 0 {
				t.Errorf("%s at %d px (print %v): %q", name, h.width, h.print, over)
			}
		}
	}
}

// TestPaper: it prints, with every finding and without what only a screen needs.
func TestPaper(t *testing.T) {
	b := openTab(t, open(t, "stuck"), how{print: true})
	for _, what := range []string{"nav", "#filters", "a.skip"} {
		if d := eval[string](b, `getComputedStyle(document.querySelector("`+what+`")).display`); d != "none" {
			t.Errorf("%s is printed: %s", what, d)
		}
	}
	var want result
	readJSON(t, open(t, "stuck").json, &want)
	if n := shown(b); n != len(want.Findings) {
		t.Errorf("%d of %d findings are printed", n, len(want.Findings))
	}
	if clipped := eval[int](b, `[...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1).length`); clipped != 0 {
		t.Errorf("%d tables are cut off on paper", clipped)
	}
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 10_000 || string(pdf[:5]) != "%PDF-" {
		t.Errorf("the PDF has %d bytes: %v", len(pdf), err)
	}
}

// TestWithoutScript: everything is there, and no filter that does nothing.
func TestWithoutScript(t *testing.T) {
	p := open(t, "homelab")
	var want result
	readJSON(t, p.json, &want)
	b := openTab(t, p, how{noScript: true})
	if n := shown(b); n == 0 || n != len(want.Findings) {
		t.Errorf("%d of %d findings are shown", n, len(want.Findings))
	}
	if d := eval[string](b, `getComputedStyle(document.getElementById("filters")).display`); d != "none" {
		t.Errorf("the filters are shown: %s", d)
	}
	b.quiet()
}

// TestNuHtmlChecker: the pages are valid HTML, by the checker that is not ours.
func TestNuHtmlChecker(t *testing.T) {
	args := []string{"-jar", tool(t, "vnu-*.jar"), "--no-langdetect"}
	for _, name := range everyPage {
		args = append(args, open(t, name).html)
	}
	out, err := exec.CommandContext(t.Context(), "java", args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	for line := range strings.Lines(string(out)) {
		// The checker does not know that the policy has the hashes of exactly these; the browser does (TestNothingLeaves, TestPolicy).
		if !strings.Contains(line, "Inline style violates Content Security Policy") && !strings.Contains(line, "Inline script violates Content Security Policy") {
			t.Error(line)
		}
	}
	// It is the checker that says so: a page with a fault does not pass.
	data, err := os.ReadFile(open(t, "clean").html)
	if err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir() + "/broken.html"
	if err := os.WriteFile(broken, append(data, "<p id=main></b>"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := exec.CommandContext(t.Context(), "java", "-jar", tool(t, "vnu-*.jar"), broken).Run(); err == nil {
		t.Error("the checker passes a broken page")
	}
}

// shown is how many findings can be seen.
func shown(b *tab) int {
	return eval[int](b, `[...document.querySelectorAll("#findings tbody tr")].filter((r) => r.getClientRects().length > 0).length`)
}
