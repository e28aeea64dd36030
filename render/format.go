package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Options are what the place of output wants, not what the result says.
type Options struct {
	// Width is the number of columns of the terminal; 0 means no limit, which is right for pipes and files: one row
	// is one line there.
	Width int
	// Colour allows ANSI colours. Only the formats for terminals look at it.
	Colour bool
	// NoHeaders leaves out the titles of columns and sections, and the footers.
	NoHeaders bool
	// Limit is the number of bytes that the place takes; 0 means no limit. Only markdown looks at it: rows are left out, whole
	// and from the end, with a note that says how many.
	Limit int
}

// Format is one way to write a Document.
type Format struct {
	// Name is what -o takes.
	Name string
	// Usage is one line for the help.
	Usage string
	// render fills a buffer, so that nothing is written of a Document that cannot be rendered.
	render func(b *bytes.Buffer, d Document, o Options) error
}

// formats is the list of all formats: a new one is a file of its own and one line here.
var formats = []Format{
	{"table", "for people, fitted to the terminal", renderTable},
	{"wide", "the same with more columns", renderWide},
	{"json", "the whole result", renderJSON},
	{"yaml", "the whole result", renderYAML},
	{"markdown", "for a ticket, a wiki or a pull request", renderMarkdown},
	{"html", "one page for a browser, with filters and pictures; it needs no other file", renderHTML},
	{"csv", "one finding a row, for a spreadsheet", renderCSV},
	{"junit", "findings as failed tests, for CI", renderJUnit},
	{"prometheus", "gauges for node_exporter's textfile collector", renderPrometheus},
	{"policyreport", "ClusterPolicyReports (wgpolicyk8s.io), for Kyverno's policy-reporter", renderPolicyReport},
	{"openreports", "ClusterReports (openreports.io), their successors", renderOpenReports},
	{"name", "one subject a line, as explain takes it", renderName},
}

// FindingFormats are those that only lists of findings have.
func FindingFormats() []string {
	return []string{"csv", "junit", "prometheus", "policyreport", "openreports"}
}

// Formats returns the names of all formats.
func Formats() []string {
	out := make([]string, 0, len(formats))
	for _, f := range formats {
		out = append(out, f.Name)
	}
	return out
}

// Lookup finds a format by its name. The error lists the ones that exist.
func Lookup(name string) (Format, error) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, fmt.Errorf("there is no output format %q in this version: want one of %s", name,
			strings.Join(Formats(), ", "))
	}
	return formats[i], nil
}

// Write renders the Document and writes it in one go.
func (f Format) Write(w io.Writer, d Document, o Options) error {
	var b bytes.Buffer
	if err := f.render(&b, d, o); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
