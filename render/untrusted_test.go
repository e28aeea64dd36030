package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/invisible"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"prod-w-3":            "prod-w-3",
		`back\slash`:          `back\slash`,
		"größe 日本語 🚀 é":       "größe 日本語 🚀 é",
		"e\u0301":             "e\u0301",
		"a\x1b[31mb":          `a\x1b[31mb`,
		"a\nb\rc\td":          `a\nb\rc\td`,
		"bell\a back\b":       `bell\x07 back\x08`,
		"del\x7f":             `del\x7f`,
		"csi\u009b":           `csi\x9b`,
		"rlo\u202e lri\u2066": `rlo\u202e lri\u2066`,
		"zwsp\u200bzwj\u200d": `zwsp\u200bzwj\u200d`,
		"bom\ufeff":           `bom\ufeff`,
		"line\u2028sep":       `line\u2028sep`,
		"nbsp\u00a0":          `nbsp\xa0`,
		"tag\U000e0041":       `tag\U000e0041`,
		"private\ue000":       `private\ue000`,
		"filler\u3164":        `filler\u3164`,
		"braille\u2800":       `braille\u2800`,
		"bad\xffutf8":         `bad\xffutf8`,
		"cut\xe2\x82":         `cut\xe2\x82`,
		"real \ufffd":         "real \ufffd",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzVisible: nothing that a terminal obeys or hides comes through, and applying it twice changes nothing more.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{clearScreen, rightToLeft, twoLines, zeroWidth, c1Control, notUTF8, emoji, longName} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := Visible(s)
		if !utf8.ValidString(out) {
			t.Fatalf("%q: not UTF-8", out)
		}
		for _, r := range out {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
				t.Fatalf("Visible(%q) has %U", s, r)
			}
		}
		if again := Visible(out); again != out {
			t.Fatalf("Visible is not stable: %q, then %q", out, again)
		}
	})
}

// FuzzFormats: no text of others breaks a format or changes its value.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{clearScreen, rightToLeft, twoLines, c1Control, notUTF8, "tag\U000e0041", "- a: b", "null", "\u0085", "yes", "1_000", "0x1f", "12:30:45", "00:11:22:33:44:55", "2026-01-01", "=", "<<", "~", "line\n  two\n", "# x", "'", " lead", "trail ", "a: b", "\ttab", "1e3", ".5", "0o17", "|", "? x", "%YAML", "---", "&a", "*a", "!x", "@x", "`x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := hostileDocument(s)
		want, err := json.Marshal(d.Value)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			for _, limit := range []int{0, 24} {
				out := string(rendered(t, format, d, Options{Width: limit}))
				if strings.ContainsFunc(out, isInvisible) {
					t.Fatalf("-o %s of %q: %q", format, s, out)
				}
				if read := outsideReaders[format]; read != nil {
					if limit == 0 {
						read(t, s, []byte(out))
					}
					continue
				}
				if format != "json" && format != "yaml" {
					continue
				}
				value := []byte(out)
				if format == "yaml" {
					// A reader of YAML 1.1, which is the stricter test: kubectl's.
					if value, err = yaml.YAMLToJSON(value); err != nil {
						t.Fatalf("-o yaml of %q: %v in %s", s, err, out)
					}
				}
				if decoded(t, value) != decoded(t, want) {
					t.Fatalf("-o %s of %q changes the value: %s", format, s, out)
				}
			}
		}
	})
}

// hostileDocument has one text wherever a Document has room for text of others.
func hostileDocument(s string) Document {
	return Document{Value: map[string]any{"name": s, s: []string{s, "x"}}, Names: []string{s}, Findings: hostileFindings(s), Sections: []Section{{
		Title: s, Blocks: []Block{
			Table{Columns: []Column{{Title: "A"}, {Title: "B", Fit: FoldFirst}}, Rows: [][]Cell{{{Text: s}, {Text: s}}}},
			KeyValues{Items: []KeyValue{{Key: s, Value: s}}}, Notes{Items: []Note{{Text: s, Detail: s}}}, Label{Text: s}, Code{Lines: []string{s}},
			Tree{Roots: []Branch{{Text: s, Branches: []Branch{{Text: s}}}}},
		}}}}
}

// hostileFindings has one text wherever one of somebody else can be.
func hostileFindings(s string) *FindingList {
	need := inventory.Need{Source: s, Scope: s}
	f := &audit.Finding{Rule: "PXA101", Severity: audit.Warning, Class: identity.OrphanVM, Title: s, Status: s, Remedy: s, WaitingFor: s, Fingerprint: "f",
		Subject:  audit.SubjectRef{Kind: inventory.SubjectVM, Site: s, Cluster: s, Name: s, Node: s, UUID: s, ID: s},
		Evidence: []identity.Evidence{{Kind: identity.KindState, Left: s, Right: s, Note: s}}, Missing: []inventory.Need{need}}
	r := history.Record{Finding: history.Finding{Rule: "PXA101", Subject: s, Name: s, Site: s, Cluster: s, Title: s}, Why: s}
	return &FindingList{
		Envelope: &audit.Envelope{GeneratedAt: collected, Coverage: []inventory.Coverage{{Source: s, Scope: s, State: inventory.Failed, Reason: s, Remedy: s}},
			Requests: []inventory.Requests{{Source: s, Count: 1}}},
		Summary: &audit.Summary{}, Findings: []*audit.Finding{f}, Unverified: []history.Record{r}, Resolved: []history.Record{r},
		Clusters: []audit.ClusterProgress{{Key: s, State: progress.Stuck}},
	}
}

// isInvisible leaves out the line break, which whole documents are made of.
func isInvisible(r rune) bool { return r != '\n' && invisible.Is(r) }
