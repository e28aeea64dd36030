package config

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestSyntax: what is wrong with a file that is no YAML is said in words of configurations, with the line, and without
// what stands there, which may be a secret.
func TestSyntax(t *testing.T) {
	const canary = "hunter2"
	for name, tc := range map[string]struct{ doc, want string }{
		"a tab":              {"clusters:\n- name: hunter2\n\tsite: lab\n", "f.yaml:2: not valid YAML: a tab in the indentation"},
		"a tab in front":     {"sites:\n\t- name: hunter2\n", "f.yaml:2: not valid YAML: a value cannot begin with a tab, @ or `"},
		"a user":             {"sites:\n- tokenID: @hunter2\n", "f.yaml:2: not valid YAML: a value cannot begin with a tab, @ or `"},
		"a wildcard":         {"clusters:\n- name: hunter2\n  selector:\n    names: *hunter2\n", "f.yaml:4: not valid YAML: * refers to an anchor (&), and there is none"},
		"a wildcard and dot": {"clusters:\n- selector: {names: *.hunter2}\n", "f.yaml:2: not valid YAML: * and & have a meaning in YAML: put quotes"},
		"a regular expr":     {"clusters:\n- selector: {names: \"hunter2-\\d+\"}\n", "f.yaml:2: not valid YAML: \\ has a meaning inside double quotes: put a regular expression in single quotes"},
		"an open quote":      {"sites:\n- name: \"hunter2\n", "f.yaml:2: not valid YAML: a quote is opened here and never closed"},
		"an open bracket":    {"clusters:\n- selector: {tags: [hunter2}\n", "f.yaml:2: not valid YAML: a bracket is opened here"},
		"two colons":         {"sites:\n- name: hunter2: x\n", "f.yaml:2: not valid YAML: a key cannot stand here: check the indentation"},
		"indented too far":   {"sites:\n- name: hunter2\n   url: x\n", "f.yaml:3: not valid YAML: a key cannot stand here: check the indentation"},
		"indented too little": {"management:\n   name: hunter2\n  context: x\n",
			"f.yaml:3: not valid YAML: the indentation is wrong, here or further down"},
		"no dash":            {"sites:\n- name: hunter2\nurl: x\n- name: y\n", "f.yaml:4: not valid YAML: the indentation is wrong"},
		"no blank":           {"gracePeriod: 1m\nrequestTimeout:1m\nthresholds: {failOn: hunter2}\n", "f.yaml:2: not valid YAML: a key without its colon"},
		"one line":           {"[hunter2}", "f.yaml:1: not valid YAML: a bracket is opened here"},
		"one line, open":     {"'hunter2", "f.yaml:1: not valid YAML: a quote is opened here"},
		"an entry without -": {"sites:\n- name: hunter2\n- name: a\n  url: b\n - c\n", "f.yaml:5: not valid YAML: the indentation is wrong"},
		"a lone comma":       {"clusters:\n- selector: {tags: [, hunter2]}\n", "f.yaml:2: not valid YAML: a value is missing"},
		"NUL":                {"gracePeriod: 1m\nhunter2: \x00\n", "f.yaml:2: not valid YAML: there are control characters in it: the file has to be text in UTF-8"},
		"Latin-1":            {"sites:\n- name: hunter2 \xfc\n", "f.yaml:2: not valid YAML: the file has to be text in UTF-8"},
		"half a rune":        {"sites:\n- name: hunter2 \xc3", "f.yaml:2: not valid YAML: the file has to be text in UTF-8"},
		"half of UTF16":      {"\xff\xfea\x00b", "f.yaml: not valid YAML: the file has to be text in UTF-8"},
		"deep lists":         {strings.Repeat("[", 200_000), "f.yaml: not valid YAML: nested far deeper than a configuration is"},
		"deep maps":          {"sites: " + strings.Repeat("{a: ", 20_000), "f.yaml: not valid YAML: nested far deeper than a configuration is"},
		"deep but right": {"sites: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
			"f.yaml:1: sites[0]: want keys and values, got a list"},
		"many documents": {"gracePeriod: 1m\n" + strings.Repeat("---\na: 1\n", 1000), "f.yaml:2: a second YAML document begins here"},
	} {
		_, err := Parse("f.yaml", []byte(tc.doc), ForCollection, env())
		switch {
		case err == nil:
			t.Errorf("%s: no error", name)
		case !strings.HasPrefix(err.Error(), tc.want):
			t.Errorf("%s: %q, want %q", name, err, tc.want)
		case strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %q", name, err)
		}
	}
}

// TestUTF16: what an editor of another system saves is read, and its lines are counted.
func TestUTF16(t *testing.T) {
	data := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("# Größe\r\ngrasePeriod: 1m\r\n")) {
		data = binary.LittleEndian.AppendUint16(data, u)
	}
	_, err := Parse("f.yaml", data, ForCollection, env())
	if want := `f.yaml:2: unknown key "grasePeriod": did you mean "gracePeriod"?`; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}
