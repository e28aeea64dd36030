package strictyaml

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: {c: 2}\n":              "",
		"---\na: 1\n":                    "",
		"---\na: 1\n---\n":               "",
		"a: 1\n...\n# the end\n":         "",
		"a: 1\nb: 2\na: 3\n":             `"a" already set`,
		"x:\n  a: 1\n  a: 1\n":           `"a" already set`,
		"l:\n- {x: 1, x: 2}\n":           `"x" already set`,
		"a: 1\n---\nb: 2\n":              "second document",
		"a: 1\n...\n---\nb: 2\n":         "second document",
		"a: 1\n--- # c\n- b\n":           "second document",
		"a: [":                           "did not find",
		"a: 1\n---\n\"unfinished: \n":    "yaml",
		"\"a\": 1\na: 2\n":               `"a" already set`,
		"text: |\n  ---\n  no separator": "",
	} {
		err := Check(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
