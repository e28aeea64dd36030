package identity

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStem(t *testing.T) {
	for name, want := range map[string]string{
		"prod-worker-3":               "prod-worker",
		"prod-worker-11":              "prod-worker",
		"PROD-Worker-3.example.com":   "prod-worker",
		"prod-md-0-x7k2p-9qz4d":       "prod-md-0",
		"prod-cp-6v5tk":               "prod-cp",
		"node7":                       "node",
		"node-7":                      "node",
		"vm1":                         "",
		"db-1":                        "",
		"db1":                         "",
		"prod":                        "",
		"prod-nodes":                  "",
		"12345":                       "",
		"":                            "",
		".":                           "",
		"---":                         "",
		"abc-12345":                   "abc",
		"worker-nodes-bcdfg":          "worker-nodes",
		"prod-w-99999999999999999999": "prod-w",
	} {
		if got := stem(name); got != want {
			t.Errorf("stem(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzStem(f *testing.F) {
	for _, s := range []string{"", "prod-worker-3", "a-b-c", "prod-md-0-x7k2p-9qz4d", "-", "ä-1", "x.y.z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := stem(name)
		if s == "" {
			return
		}
		if len(s) < minStem || !strings.HasPrefix(shortName(foldName(name)), s) || s == shortName(foldName(name)) {
			t.Fatalf("stem(%q) = %q", name, s)
		}
		if utf8.ValidString(name) && !utf8.ValidString(s) {
			t.Fatalf("stem(%q) = %q is no text", name, s)
		}
	})
}
