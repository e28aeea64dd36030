package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit/ignore"
)

const printOne, printTwo = "00000000000000000000000000000001", "1e000000000000000000000000000002"

// TestAddIgnore: whatever the file looks like, it has one rule more, and keeps what people wrote into it.
func TestAddIgnore(t *testing.T) {
	const head = "formatVersion: proxaudit/ignore/v1\n"
	const one = "fingerprint: '" + printOne + "', reason: r, owner: o, expires: never}"
	const block = "- fingerprint: '" + printOne + "' # ours\n%  reason: |+\n%    long\n\n%  owner: o\n%  expires: never\n"
	for name, tc := range map[string]struct {
		before string
		// exact is true if the file has to begin with what it was.
		exact bool
		keeps []string
	}{
		"no file":                     {"", false, []string{"# What is known", "formatVersion: proxaudit/ignore/v1"}},
		"no list":                     {"# mine\n" + head, false, []string{"# mine"}},
		"an empty list":               {"# mine\n" + head + "ignore: [] # none yet\n", false, []string{"# mine", "# none yet"}},
		"nothing":                     {"# mine\n" + head + "ignore:\n", true, nil},
		"block":                       {"# mine\n" + head + "\n\nignore:\n# first\n" + strings.ReplaceAll(block, "%", "") + "\n# last\n", true, nil},
		"block, further in":           {head + "ignore:\n    " + strings.ReplaceAll(block, "%", "    ") + "    # last\n", true, nil},
		"no line end":                 {head + "ignore:\n- {" + one, true, nil},
		"in flow":                     {"# mine\n" + head + "ignore: [{" + one + "] # here\n", false, []string{"# mine", "# here"}},
		"the list first":              {"# mine\nignore:\n- {" + one + " # ours\n# between\n" + head, false, []string{"# mine", "# ours", "# between"}},
		"carriage returns":            {strings.ReplaceAll(head+"ignore:\n- {"+one+"\n", "\n", "\r\n"), true, nil},
		"the end of the document":     {head + "ignore:\n- {" + one + "\n...\n", false, []string{"ignore:"}},
		"all in braces":               {"{formatVersion: proxaudit/ignore/v1, ignore: [{" + one + "]}\n", false, nil},
		"a block that keeps its ends": {head + "ignore:\n- fingerprint: '" + printOne + "'\n  owner: o\n  expires: never\n  reason: |+\n    text\n\n\n", false, []string{"|+"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ignore.yaml")
			n := 0
			if tc.before != "" {
				if err := os.WriteFile(path, []byte(tc.before), 0o600); err != nil {
					t.Fatal(err)
				}
				set, err := LoadIgnore(path)
				if err != nil {
					t.Fatal(err)
				}
				n = len(set.Rules)
			}
			rule := ignore.Rule{Rule: "PXA101", Subject: "vm/lab/101", Fingerprint: printTwo, Reason: "a: 'b' # c\n\"d\" - e", Owner: "team: x", Expires: "2027-01-31"}
			line, err := AddIgnore(path, rule, "orphan-vm vm/lab/101\nignore: everything\u202e")
			if tc.before != "" && strings.HasPrefix(tc.before, "{") {
				if err == nil {
					t.Fatal("a flow mapping was changed")
				}
				if after := readText(t, path); after != tc.before {
					t.Errorf("the file was changed: %s", after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			after := readText(t, path)
			set, err := LoadIgnore(path)
			if err != nil || len(set.Rules) != n+1 {
				t.Fatalf("%v\n%s", err, after)
			}
			got := set.Rules[n]
			if got.Line != line || got.Reason != rule.Reason || got.Owner != rule.Owner || got.Expires != rule.Expires || got.Fingerprint != printTwo {
				t.Errorf("the rule is %+v (line %d)", got, line)
			}
			if !strings.Contains(after, "expires: 2027-01-31\n") || !strings.Contains(after, `# orphan-vm vm/lab/101\nignore`) || strings.Contains(after, "\u202e") {
				t.Errorf("the file is\n%s", after)
			}
			if tc.exact && !strings.HasPrefix(after, tc.before) {
				t.Errorf("what was there has changed: %s", cmp.Diff(tc.before, after))
			}
			for _, k := range tc.keeps {
				if !strings.Contains(after, k) {
					t.Errorf("%q is lost:\n%s", k, after)
				}
			}
			// Once more is refused, and changes nothing.
			if again, err := AddIgnore(path, rule, ""); !errors.Is(err, ErrIgnored) || again != line || readText(t, path) != after {
				t.Errorf("a second time: line %d, %v", again, err)
			}
		})
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAddIgnoreToABrokenFile: nothing is written into what cannot be read.
func TestAddIgnoreToABrokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ignore.yaml")
	const text = "formatVersion: proxaudit/ignore/v1\nignore:\n- {nope: 1}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := AddIgnore(path, ignore.Rule{Fingerprint: printTwo, Reason: "r", Owner: "o", Expires: "never"}, "")
	if err == nil || !strings.Contains(err.Error(), `ignore.yaml:3: ignore[0]: unknown key "nope"`) || readText(t, path) != text {
		t.Errorf("%v", err)
	}
}
