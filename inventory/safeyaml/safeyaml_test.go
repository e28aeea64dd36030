package safeyaml

import (
	"encoding/json"
	"strings"
	"testing"

	sigs "sigs.k8s.io/yaml"
)

const nasty = "a\u202eb\u200bc\x1bd\x7fe\u0085f\u2028g\U000e0041h\ti\rj"

// The value stays, nothing invisible is on the page, and every reader takes it.
func TestMarshal(t *testing.T) {
	in := map[string]any{"z": nasty, "k" + nasty: "v", "list": []any{"x", nasty, 5.0, true, nil}, "lines": "one\ntwo\n", "mixed": "one\n" + nasty, "yes": "no"}
	out, err := Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(string(out), hidden) {
		t.Errorf("%q", out)
	}
	var back map[string]any
	if err := sigs.UnmarshalStrict(out, &back); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a, _ := json.Marshal(in)
	b, _ := json.Marshal(back)
	if string(a) != string(b) {
		t.Errorf("%s\n%s", a, b)
	}
	again, err := Marshal(in)
	if err != nil || string(again) != string(out) {
		t.Errorf("a second time: %v\n%s", err, again)
	}
}

// What hides nothing is written as ever.
func TestMarshalPlain(t *testing.T) {
	for _, in := range []any{map[string]any{"b": "é 日 🚀", "a": []string{"on", "1"}}, struct {
		Z int
		A string
	}{1, "x\ny"}} {
		want, err := sigs.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Marshal(in); err != nil || string(got) != string(want) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function is no value")
	}
}
