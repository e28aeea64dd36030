package invisible

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

func TestIs(t *testing.T) {
	for _, r := range "\x00\a\b\n\r\t\x1b\x7f\u0085\u009b\u00a0\u00ad\u061c\u200b\u200d\u200e\u202e\u2028\u2066\u2800\u3164\ufeff\ue000\U000e0041" {
		if !Is(r) {
			t.Errorf("%U is said to be visible", r)
		}
	}
	for _, r := range " azAZ09~\"\\<&é日🚀\u0301\ufffd" {
		if Is(r) {
			t.Errorf("%U is said to be invisible", r)
		}
	}
}

// escaped writes a document in pieces of n bytes.
func escaped(t *testing.T, doc []byte, n int) string {
	t.Helper()
	var b bytes.Buffer
	j := NewJSON(&b)
	for p := doc; len(p) > 0; p = p[min(n, len(p)):] {
		piece := bytes.Clone(p[:min(n, len(p))])
		if k, err := j.Write(piece); err != nil || k != len(piece) {
			t.Fatalf("Write: %d of %d, %v", k, len(piece), err)
		}
		// The caller may use its bytes again.
		clear(piece)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"{\n \"a\": 1\n}\n":      "{\n \"a\": 1\n}\n",
		`"a<b>&é日🚀"`:             `"a<b>&é日🚀"`,
		"\"csi\u009bdel\x7f\"":   `"csi\u009bdel\u007f"`,
		"\"rlo\u202e zw\u200b\"": `"rlo\u202e zw\u200b"`,
		"\"tag\U000e0041\"":      `"tag\udb40\udc41"`,
		"\"bad\xff\"":            "\"bad\xff\"",
		"\"cut\xe2\x80":          "\"cut\xe2\x80",
		`"\u001b\\"`:             `"\u001b\\"`,
	} {
		for n := 1; n <= len(in)+1; n++ {
			if got := escaped(t, []byte(in), n); got != want {
				t.Errorf("%q in pieces of %d is %q, want %q", in, n, got, want)
			}
		}
	}
}

// TestJSONLarge: a document of any size goes through in pieces.
func TestJSONLarge(t *testing.T) {
	doc := strings.Repeat("x", 3*chunk) + strings.Repeat("é\u202e", chunk)
	want := strings.Repeat("x", 3*chunk) + strings.Repeat(`é\u202e`, chunk)
	if got := escaped(t, []byte(doc), len(doc)); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	j := NewJSON(failing{errors.New("full")})
	if _, err := j.Write([]byte(doc)); err == nil || cap(j.buf) > 4*chunk {
		t.Errorf("%v, with a buffer of %d bytes", err, cap(j.buf))
	}
}

func TestJSONSaysWhatFails(t *testing.T) {
	full := errors.New("no space left")
	j := NewJSON(failing{full})
	if n, err := j.Write([]byte("\"a\"")); n != 0 || !errors.Is(err, full) {
		t.Errorf("%d, %v", n, err)
	}
	j = NewJSON(&once{})
	if _, err := j.Write([]byte("\"\xe2")); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err == nil {
		t.Error("Close wrote to a full disk without an error")
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// once takes one Write.
type once struct{ used bool }

func (o *once) Write(p []byte) (int, error) {
	if o.used {
		return 0, errors.New("full")
	}
	o.used = true
	return len(p), nil
}

// FuzzJSON: any text comes back as it was, and nothing invisible is in the document.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "web\x1b[2J\u009b31m", "invoice\u202egnp.exe", "zero\u200bwidth\ufeff", "bad\xff\xfe", "🚀-日本語\U000e0041", `\u202e`} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		doc, err := json.MarshalIndent(map[string]any{"k": s, "list": []string{s, "x"}}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out := escaped(t, doc, 1+max(0, n%64))
		if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && (Is(r) || unicode.IsControl(r)) }); i >= 0 {
			t.Fatalf("%q has an invisible rune at %d", out, i)
		}
		var got, want any
		if err := errors.Join(json.Unmarshal([]byte(out), &got), json.Unmarshal(doc, &want)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %v", s, got)
		}
	})
}
