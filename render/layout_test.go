package render

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		text  string
		limit int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two", 3, []string{"one", "two"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a abcdefghij b", 4, []string{"a", "abcd", "efgh", "ij b"}},
		{"machine/prod/prod-md-0", 14, []string{"machine/prod/", "prod-md-0"}},
		{"日本語日本語", 5, []string{"日本", "語日", "本語"}},
		{"日本", 1, []string{"日", "本"}},
		{"   ", 2, []string{""}},
	} {
		got := wrap(tc.text, tc.limit)
		if strings.Join(got, "|") != strings.Join(tc.want, "|") {
			t.Errorf("wrap(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}

// FuzzWrap: no line is too wide (unless one rune alone is), and nothing but blanks is lost.
func FuzzWrap(f *testing.F) {
	f.Add("machine/prod/prod-md-0-aaaaa is not there", 7)
	f.Add(emoji+" "+longName, 11)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		s = Visible(s)
		if limit < 2 || limit > 1000 {
			limit = 2
		}
		lines := wrap(s, limit)
		for _, l := range lines {
			if width(l) > limit && len([]rune(l)) > 1 {
				t.Fatalf("wrap(%q, %d): %q takes %d columns", s, limit, l, width(l))
			}
		}
		if a, b := strings.ReplaceAll(strings.Join(lines, ""), " ", ""), strings.ReplaceAll(s, " ", ""); a != b {
			t.Fatalf("wrap(%q, %d) loses text: %q", s, limit, lines)
		}
	})
}

func TestTableRefusesRaggedRows(t *testing.T) {
	d := Document{Sections: []Section{{Blocks: []Block{Table{Columns: []Column{{Title: "A"}, {Title: "B"}},
		Rows: [][]Cell{{{Text: "x"}}}}}}}}
	var b bytes.Buffer
	f, err := Lookup("table")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(&b, d, Options{}); err == nil || b.Len() > 0 {
		t.Errorf("a row with too few cells gave %v and %q", err, b.String())
	}
}

// TestTitlesAreTheFirstLines: titles wider than their column wrap, and the rows still get their own details.
func TestTitlesAreTheFirstLines(t *testing.T) {
	table := Table{
		Columns: []Column{{Title: "A VERY LONG TITLE OF ONE"}, {Title: "N", Align: Right}, {Title: "DETAIL", Fit: FoldFirst}},
		Rows:    [][]Cell{{{Text: "x"}, {Text: "10"}, {Text: "first detail"}}, {{Text: "y"}, {Text: "9"}, {Text: "second detail"}}},
	}
	var b bytes.Buffer
	if err := writeTable(&b, table, Options{Width: 16}, false); err != nil {
		t.Fatal(err)
	}
	want := `A VERY LONG    N
TITLE OF ONE
x             10
  first detail
y              9
  second detail
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestTree(t *testing.T) {
	d := Document{Sections: []Section{{Blocks: []Block{Tree{Roots: []Branch{
		{Text: "one", Branches: []Branch{{Text: "a"}, {Text: "b", Branches: []Branch{{Text: "deep and long enough to wrap"}}}}},
		{Text: "two"},
	}}}}}}
	want := "|- one\n|  |- a\n|  `- b\n|     `- deep and\n         long\n         enough to\n         wrap\n`- two\n"
	if got := string(rendered(t, "table", d, Options{Width: 19})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

type oddBlock struct{}

func (oddBlock) block() {}

func TestUnknownBlock(t *testing.T) {
	var b bytes.Buffer
	if err := writeBlock(&b, oddBlock{}, Options{}, false); err == nil {
		t.Error("a block that no format knows has to be an error")
	}
}

func TestUnmarshalableValue(t *testing.T) {
	for _, name := range []string{"json", "yaml"} {
		f, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.Write(&b, Document{Value: func() {}}, Options{}); err == nil || b.Len() > 0 {
			t.Errorf("%s of a function: %v, %q", name, err, b.String())
		}
	}
}

// TestOtherValues: a result need not be an object.
func TestOtherValues(t *testing.T) {
	for want, v := range map[string]any{"[]\n": []int{}, "{}\n": struct{}{}, "null\n": nil, "- 1\n- a\n": []any{1, "a"}, "x\n": "x",
		"a: []\nb: {}\nc:\n- 1.5\n- - true\n  - null\n": struct {
			A []int          `json:"a"`
			B map[string]int `json:"b"`
			C []any          `json:"c"`
		}{[]int{}, map[string]int{}, []any{1.5, []any{true, nil}}}} {
		if got := string(rendered(t, "yaml", Document{Value: v}, Options{})); got != want {
			t.Errorf("%#v is %q, want %q", v, got, want)
		}
	}
}

// TestYAMLInBatches: more items than one batch are one list.
func TestYAMLInBatches(t *testing.T) {
	items := make([]int, 3*yamlBatch+1)
	got := string(rendered(t, "yaml", Document{Value: map[string]any{"items": items, "z": "end"}}, Options{}))
	if want := "items:\n" + strings.Repeat("- 0\n", len(items)) + "z: end\n"; got != want {
		t.Errorf("got %q", got)
	}
}
