package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"sync"
)

//go:embed html/page.tmpl
var pageTemplate string

//go:embed html/page.css
var pageCSS string

//go:embed html/page.js
var pageJS string

// parsedPage is the template with what it calls. The escaping is html/template's; what a terminal would obey is made visible
// before (text).
var parsedPage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"text": Visible,
		"line": func(s string) string { return strings.TrimSuffix(Visible(s), ":") },
	}).Parse(pageTemplate)
})

// renderHTML writes one page that needs nothing else: no file, no server, no font. Its policy allows exactly the style and the
// script that stand in it, by their hashes, and nothing from anywhere.
func renderHTML(b *bytes.Buffer, d Document, o Options) error {
	t, err := parsedPage()
	if err != nil {
		return err
	}
	p, err := newPage(d, o)
	if err != nil {
		return err
	}
	return t.Execute(b, p)
}

// page is what the template sees.
type page struct {
	Title    string
	Policy   string
	CSS      template.CSS
	JS       template.JS
	Sections []pageSection
	// Nav are the sections to which a link leads.
	Nav []pageSection
}

// pageSection is a Section with its blocks as the template takes them.
type pageSection struct {
	ID, Title string
	Level     int
	Footer    bool
	Blocks    []pageBlock
}

// pageBlock has one of its fields set, under the name of its Kind.
type pageBlock struct {
	Kind  string
	Block any
}

func newPage(d Document, o Options) (*page, error) {
	p := &page{Title: "proxaudit", CSS: template.CSS(pageCSS), JS: template.JS(pageJS)} //nolint:gosec // they are files of ours
	if d.Title != "" {
		p.Title = d.Title
	}
	p.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digestOf(pageCSS), digestOf(pageJS))
	sections := d.Sections
	if d.Page != nil {
		sections = d.Page()
	}
	ids := newAnchors()
	for _, s := range sections {
		if s.Footer && o.NoHeaders || s.Wide {
			continue
		}
		ps := pageSection{Title: s.Title, Level: s.Level, Footer: s.Footer}
		if s.ID != "" {
			ps.ID = ids.of(s.ID)
		}
		for _, block := range s.Blocks {
			pb, err := pageBlockOf(block, ids)
			if err != nil {
				return nil, err
			}
			ps.Blocks = append(ps.Blocks, pb)
		}
		if len(ps.Blocks) == 0 {
			continue
		}
		p.Sections = append(p.Sections, ps)
		if ps.ID != "" && ps.Title != "" {
			p.Nav = append(p.Nav, ps)
		}
	}
	return p, nil
}

// digestOf is the source by which a policy allows a text that stands in the page.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// anchors are the IDs of a page: letters that mean nothing to a URL, and each once.
type anchors struct {
	given map[string]string
	used  map[string]bool
}

func newAnchors() *anchors { return &anchors{given: map[string]string{}, used: map[string]bool{}} }

var notInAnchors = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// of is the anchor for a name; the same name has the same one.
func (a *anchors) of(name string) string {
	if id, ok := a.given[name]; ok {
		return id
	}
	id := strings.Trim(notInAnchors.ReplaceAllString(name, "-"), "-")
	if len(id) > 100 {
		id = id[:100]
	}
	for n, base := 2, id; id == "" || a.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	a.given[name], a.used[id] = id, true
	return id
}
