package render

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// readHostileHTML parses as a browser does: the elements are the same whatever the text is, and the text is on the page as often
// as an innocent one.
func readHostileHTML(t *testing.T, s string, page []byte) {
	t.Helper()
	want, got := innocent(t, "html", pageParts), pageParts(t, page)
	if strings.TrimSpace(Visible(s)) == "" {
		return // without a title there is no heading
	}
	if got.elements != want.elements {
		t.Fatalf("%q makes other elements:\n%s\nwant\n%s", s, got.elements, want.elements)
	}
	// A title loses its colon, and a text may stand between others.
	needle := strings.TrimSuffix(Visible(s), ":")
	if n, min := strings.Count(got.text, needle), strings.Count(want.text, "innocent"); needle != "" && n < min {
		t.Fatalf("%q is on the page %d times, want %d:\n%s", needle, n, min, got.text)
	}
}

// innocentParts are what a text without any markup makes of a format: computed once, for the fuzzing's sake.
var innocentParts sync.Map

func innocent(t *testing.T, format string, parts func(*testing.T, []byte) markupParts) markupParts {
	t.Helper()
	known, ok := innocentParts.Load(format)
	if !ok {
		known, _ = innocentParts.LoadOrStore(format, parts(t, rendered(t, format, hostileDocument("innocent"), Options{})))
	}
	return known.(markupParts)
}

type markupParts struct{ elements, text string }

// pageParts are the elements of a page with the names of their attributes, and its text. Attributes that run something, and
// addresses that lead anywhere but into the page, fail.
func pageParts(t *testing.T, page []byte) markupParts {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var elements, words strings.Builder
	for n := range doc.Descendants() {
		switch n.Type { //nolint:exhaustive // the others have no text and no attribute
		case html.ElementNode:
			elements.WriteString("<" + n.Data)
			for _, a := range n.Attr {
				elements.WriteString(" " + a.Key)
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Fatalf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
			elements.WriteString(">\n")
		case html.TextNode:
			if p := n.Parent.Data; p != "style" && p != "script" {
				words.WriteString(n.Data + "\n")
			}
		case html.CommentNode:
			t.Fatalf("a comment: %q", n.Data)
		}
	}
	return markupParts{elements.String(), words.String()}
}

// readHostileMarkdown parses as GitHub does (tables, strikethrough, bare links, task lists): the tree is the same whatever the
// text is, and the text is what a reader sees.
func readHostileMarkdown(t *testing.T, s string, doc []byte) {
	t.Helper()
	want, got := innocent(t, "markdown", markdownParts), markdownParts(t, doc)
	seen := strings.TrimSpace(Visible(s))
	if seen == "" {
		return // a list item without text is another tree
	}
	if got.elements != want.elements {
		t.Fatalf("%q makes another tree:\n%s\nwant\n%s\nof\n%s", s, got.elements, want.elements, doc)
	}
	needle := strings.TrimSpace(strings.TrimSuffix(seen, ":"))
	if n, min := strings.Count(got.text, needle), strings.Count(want.text, "innocent"); needle != "" && n < min {
		t.Fatalf("%q is to be read %d times, want %d:\n%s\nof\n%s", needle, n, min, got.text, doc)
	}
}

// markdownParts are the nodes of a document, and what it shows.
func markdownParts(t *testing.T, doc []byte) markupParts {
	t.Helper()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	tree := md.Parser().Parse(text.NewReader(doc))
	var elements strings.Builder
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Kind() == ast.KindText || n.Kind() == ast.KindString {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindLink, ast.KindAutoLink, ast.KindImage, ast.KindRawHTML, ast.KindHTMLBlock:
			return ast.WalkStop, fmt.Errorf("a %s", n.Kind())
		}
		depth := 0
		for p := n.Parent(); p != nil; p = p.Parent() {
			depth++
		}
		elements.WriteString(strings.Repeat(" ", depth) + n.Kind().String() + "\n")
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	var page bytes.Buffer
	if err := md.Renderer().Render(&page, doc, tree); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			words.WriteString(n.Data + "\n")
		}
	}
	return markupParts{elements.String(), words.String()}
}

// TestViewsAreInert: of no view does a reader of Markdown or HTML make a link that leaves it, an image, or an element of a name.
func TestViewsAreInert(t *testing.T) {
	for name, d := range samples(t) {
		if got := markdownParts(t, rendered(t, "markdown", d, Options{})); got.elements == "" || got.text == "" {
			t.Errorf("the Markdown of %s is empty", name)
		}
		if got := pageParts(t, rendered(t, "html", d, Options{})); !strings.Contains(got.elements, "<main ") || got.text == "" {
			t.Errorf("the page of %s is empty", name)
		}
	}
}
