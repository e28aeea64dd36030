package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit/ignore"
)

// TestIgnoreProblems: each names the file, the line and the field.
func TestIgnoreProblems(t *testing.T) {
	const head = "formatVersion: proxaudit/ignore/v1\nignore:\n"
	for text, want := range map[string]string{
		"":                                     "i.yaml: formatVersion is missing",
		"ignore: []":                           "formatVersion is missing",
		"formatVersion: proxaudit/ignore/v2\n": "i.yaml:1: formatVersion: is \"proxaudit/ignore/v2\", and this version reads proxaudit/ignore/v1",
		head + "- {rule: PXA101, selector: {sites: [a]}, reason: r, owner: o}":                            "i.yaml:3: ignore[0]: expires is missing",
		head + "- rule: PXA101\n  selector: {sites: [a]}\n  reason: r\n  owner: o\n  expires: 2027-13-01": "i.yaml:7: ignore[0].expires: want a day",
		head + "- rule: PXA101\n  selector:\n    names: '('\n  reason: r\n  owner: o\n  expires: never":   "i.yaml:5: ignore[0].selector.names: ",
		head + "- fingerprint: ''\n  reason: r\n  owner: o\n  expires: never":                             "i.yaml:3: ignore[0].fingerprint: is empty",
		head + "- {rulez: PXA101}":  `i.yaml:3: ignore[0]: unknown key "rulez": did you mean "rule"?`,
		head + "- PXA101":           "i.yaml:3: ignore[0]",
		head + "- {rule: [PXA101]}": "i.yaml:3: ignore[0].rule",
		head + "- {rule: 'a":        "i.yaml",
	} {
		if _, err := ParseIgnore("i.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseIgnore: no text makes it fall, what it refuses it refuses with the file's name, and to what it takes a rule can be added
// without another one changing, or the file stays as it is.
func FuzzParseIgnore(f *testing.F) {
	f.Add("formatVersion: proxaudit/ignore/v1\nignore:\n- {fingerprint: '" + printOne + "', reason: r, owner: o, expires: never}\n")
	f.Add("formatVersion: proxaudit/ignore/v1\nignore: # a\n  - rule: PXA101\n    selector: {names: 'a.*', vmids: [100-200, 7]}\n    reason: |\n      r\n    owner: o\n    expires: 2027-01-31\n# b\n")
	f.Add("ignore: &a [*a]\n")
	f.Add("{formatVersion: proxaudit/ignore/v1}")
	f.Add("formatVersion: proxaudit/ignore/v1\nignore:\n...\n")
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "i.yaml")
		set, err := ParseIgnore(path, []byte(text))
		if err != nil {
			if set != nil || !strings.Contains(err.Error(), "i.yaml") {
				t.Fatalf("%v", err)
			}
			return
		}
		set.Verdict(set.Matches(&ignore.Finding{Fingerprint: printOne, Rule: "PXA101", Kind: "vm", Site: "a", Name: "b", VMID: 101}), at)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = AddIgnore(path, ignore.Rule{Fingerprint: printTwo, Reason: "r", Owner: "o", Expires: "never"}, "")
		after := readText(t, path)
		if err != nil {
			if after != text {
				t.Fatalf("%v, and the file is changed", err)
			}
			return
		}
		more, err := ParseIgnore(path, []byte(after))
		if err != nil || len(more.Rules) != len(set.Rules)+1 {
			t.Fatalf("%v\n%s", err, after)
		}
	})
}
