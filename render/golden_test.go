package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what the code renders over the golden files")

// golden compares with testdata/golden/NAME.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update to accept. %s", path, firstDifference(got, want))
	}
}

func firstDifference(got, want []byte) string {
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(g), len(w)) {
		if !bytes.Equal(g[i], w[i]) {
			return fmt.Sprintf("Line %d is\n%q, want\n%q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("There are %d lines, want %d", len(g), len(w))
}

func rendered(t *testing.T, format string, d Document, o Options) []byte {
	t.Helper()
	f, err := Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, d, o); err != nil {
		t.Fatalf("-o %s: %v", format, err)
	}
	return b.Bytes()
}

// TestGoldens is every view in every format, and the terminal formats in every width that matters.
func TestGoldens(t *testing.T) {
	options := map[string]Options{
		"":          {},
		"-120":      {Width: 120},
		"-60":       {Width: 60},
		"-30":       {Width: 30},
		"-colour":   {Width: 100, Colour: true},
		"-noheader": {NoHeaders: true},
	}
	for view, d := range samples(t) {
		for _, format := range Formats() {
			if !has(d, format) {
				continue
			}
			for suffix, o := range options {
				if format != "table" && format != "wide" && suffix != "" {
					continue
				}
				got := rendered(t, format, d, o)
				golden(t, view+"."+format+suffix, got)
				if again := rendered(t, format, d, o); !bytes.Equal(got, again) {
					t.Errorf("%s as %s: two renderings differ", view, format)
				}
			}
		}
	}
}

// TestNothingIsObeyed: whatever the names are, no output has a character that a terminal obeys or hides, except for
// the line breaks and colours that are ours.
func TestNothingIsObeyed(t *testing.T) {
	for view, d := range samples(t) {
		for _, format := range Formats() {
			if !has(d, format) {
				continue
			}
			for _, width := range []int{0, 20, 60, 200} {
				out := rendered(t, format, d, Options{Width: width})
				if !utf8.Valid(out) {
					t.Errorf("%s as %s: not UTF-8", view, format)
				}
				for _, r := range string(out) {
					if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || !isVisible(r)) {
						t.Errorf("%s as %s, width %d: has %U", view, format, width, r)
					}
				}
			}
		}
	}
}

// TestWidth: no line is wider than the terminal but commands, which are never broken, and nothing is lost on a narrow one.
func TestWidth(t *testing.T) {
	for view, d := range samples(t) {
		commands := map[string]bool{}
		for _, s := range d.Sections {
			for _, block := range s.Blocks {
				if c, ok := block.(Code); ok {
					for _, line := range c.Lines {
						commands["    "+Visible(line)] = true
					}
				}
			}
		}
		for _, format := range []string{"table", "wide"} {
			full := letters(rendered(t, format, d, Options{}))
			for limit := 40; limit <= 240; limit += 20 {
				out := rendered(t, format, d, Options{Width: limit})
				for line := range strings.SplitSeq(string(out), "\n") {
					if width(line) > limit && !commands[line] {
						t.Errorf("%s as %s: %d columns in a terminal of %d: %q", view, format, width(line), limit, line)
					}
				}
				// Titles of folded columns are written as "title value", so that there may be more, never less.
				for r, n := range full {
					if got := letters(out)[r]; got < n && !unicode.IsUpper(r) && r != '-' {
						t.Errorf("%s as %s, width %d: %q occurs %d times, want %d", view, format, limit, r, got, n)
					}
				}
			}
		}
	}
}

// has is true if a result can be written in a format.
func has(d Document, format string) bool {
	return (format != "name" || d.Names != nil) && (d.Findings != nil || !slices.Contains(FindingFormats(), format))
}

func letters(b []byte) map[rune]int {
	m := map[rune]int{}
	for _, r := range string(b) {
		if r != ' ' && r != '\n' {
			m[r]++
		}
	}
	return m
}

// TestExactValues: JSON and YAML decode to the very values, whatever was escaped on the way.
func TestExactValues(t *testing.T) {
	want, err := json.Marshal(sampleOrphans())
	if err != nil {
		t.Fatal(err)
	}
	d := Orphans(sampleOrphans())
	fromYAML, err := yaml.YAMLToJSON(rendered(t, "yaml", d, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for format, got := range map[string][]byte{"json": rendered(t, "json", d, Options{}), "yaml": fromYAML} {
		if a, b := decoded(t, got), decoded(t, want); a != b {
			t.Errorf("%s decodes to another value:\n%s\nwant\n%s", format, a, b)
		}
	}
}

func decoded(t *testing.T, doc []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestNames(t *testing.T) {
	got := rendered(t, "name", Orphans(sampleOrphans()), Options{})
	if !strings.HasPrefix(string(got), "vm/lab/105\nvm/lab/106\nnode/prod/prod-w-9\n") {
		t.Errorf("names are %q", got)
	}
	var b bytes.Buffer
	f, err := Lookup("name")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(&b, Doctor(sampleDoctor()), Options{}); !errors.Is(err, ErrNoNames) || b.Len() > 0 {
		t.Errorf("names of a result without subjects: %v, %q", err, b.String())
	}
}

func TestLookup(t *testing.T) {
	_, err := Lookup("pdf")
	if err == nil {
		t.Fatal("pdf is a format")
	}
	for _, name := range Formats() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not list %s: %v", name, err)
		}
	}
	if !slices.IsSorted([]int{len(Formats()), len(formats)}) {
		t.Error("Formats leaves some out")
	}
}
