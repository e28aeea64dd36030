package normalize

import (
	"encoding/json"
	"math"
	"testing"
)

// decode reads JSON as the client does.
func decode(t testing.TB, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("the test's own JSON %s: %v", s, err)
	}
	return v
}

func TestNumber(t *testing.T) {
	for in, want := range map[string]float64{`0.4`: 0.4, `"0.4"`: 0.4, `"2"`: 2, `" 1.5 "`: 1.5, `65536`: 65536, `-1`: -1} {
		if got, ok := Number(decode(t, in)); !ok || got != want {
			t.Errorf("Number(%s) = %v, %v; want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{`""`, `"x"`, `"NaN"`, `"Inf"`, `true`, `null`, `[]`, `{}`, `"1,5"`} {
		if got, ok := Number(decode(t, in)); ok {
			t.Errorf("Number(%s) = %v: it is no number", in, got)
		}
	}
	if got, ok := Number(json.Number("12.5")); !ok || got != 12.5 {
		t.Errorf("json.Number: %v, %v", got, ok)
	}
	if _, ok := Number(math.Inf(1)); ok {
		t.Error("an infinity is no number")
	}
}

func TestInteger(t *testing.T) {
	for in, want := range map[string]int64{`100`: 100, `"100"`: 100, `"1e3"`: 1000, `1712345678`: 1712345678,
		`"9223372036854775807"`: math.MaxInt64, `-3`: -3} {
		if got, ok := Integer(decode(t, in)); !ok || got != want {
			t.Errorf("Integer(%s) = %v, %v; want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{`1.5`, `"1.5"`, `1e300`, `""`, `"abc"`, `true`, `null`, `[1]`} {
		if got, ok := Integer(decode(t, in)); ok {
			t.Errorf("Integer(%s) = %v: it is no whole number", in, got)
		}
	}
}

func TestBool(t *testing.T) {
	for _, in := range []string{`1`, `"1"`, `true`, `"true"`, `"on"`, `"Yes"`, `2`} {
		if got, ok := Bool(decode(t, in)); !ok || !got {
			t.Errorf("Bool(%s) = %v, %v; want true", in, got, ok)
		}
	}
	for _, in := range []string{`0`, `"0"`, `""`, `false`, `"false"`, `"off"`, `"no"`, `null`} {
		if got, ok := Bool(decode(t, in)); !ok || got {
			t.Errorf("Bool(%s) = %v, %v; want false", in, got, ok)
		}
	}
	for _, in := range []string{`"perhaps"`, `[]`, `{}`} {
		if _, ok := Bool(decode(t, in)); ok {
			t.Errorf("Bool(%s) is readable", in)
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{`"web01"`: "web01", `12345`: "12345", `""`: "", `1.5`: "1.5"} {
		if got, ok := Text(decode(t, in)); !ok || got != want {
			t.Errorf("Text(%s) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{`null`, `true`, `[]`, `{}`} {
		if _, ok := Text(decode(t, in)); ok {
			t.Errorf("Text(%s) is readable", in)
		}
	}
	if got, ok := Text(json.Number("7")); !ok || got != "7" {
		t.Errorf("json.Number: %q, %v", got, ok)
	}
}

func TestKindNamesEveryJSONType(t *testing.T) {
	for in, want := range map[string]string{`null`: "null", `true`: "a boolean", `"s"`: "a string", `1`: "a number",
		`[]`: "a list", `{}`: "an object"} {
		if got := kind(decode(t, in)); got != want {
			t.Errorf("kind(%s) = %q, want %q", in, got, want)
		}
	}
	if got := kind(1); got != "a int" {
		t.Errorf("kind of a Go int: %q", got)
	}
}

func TestSize(t *testing.T) {
	for in, want := range map[string]int64{"32G": 32 << 30, "528K": 528 << 10, "2252M": 2252 << 20, "1T": 1 << 40,
		"1.5G": 3 << 29, "1073741824": 1 << 30, "0": 0, "4M": 4 << 20} {
		if got, ok := Size(in); !ok || got != want {
			t.Errorf("Size(%q) = %d, %v; want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "G", "1P", "-1G", "1g", "1 G", "x", "99999999999999999999T", "99999999999999999999"} {
		if got, ok := Size(in); ok {
			t.Errorf("Size(%q) = %d: it is no size", in, got)
		}
	}
}

func TestTags(t *testing.T) {
	for in, want := range map[string][]string{
		"":                      nil,
		" ;, ":                  nil,
		"a;b":                   {"a", "b"},
		"b,a":                   {"a", "b"},
		"b a":                   {"a", "b"},
		"Zeta,alpha beta;Alpha": {"alpha", "beta", "zeta"},
		"K8S":                   {"k8s"},
		"go-proxmox+cloud-init": {"go-proxmox+cloud-init"},
		"2024":                  {"2024"},
	} {
		if got := Tags(in); !equal(got, want) {
			t.Errorf("Tags(%q) = %q, want %q", in, got, want)
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
