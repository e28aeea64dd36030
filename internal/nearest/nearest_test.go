package nearest

import "testing"

func TestOf(t *testing.T) {
	commands := []string{"orphans", "inventory", "explain", "scan", "doctor", "version", "completion", "help"}
	keys := []string{"kubeconfig", "context", "tags", "names", "pools", "name", "none"}
	for _, tc := range []struct {
		word  string
		known []string
		want  string
	}{
		{"orfans", commands, "orphans"}, {"orphan", commands, "orphans"}, {"Orphans", commands, "orphans"},
		{"docter", commands, "doctor"}, {"sacn", commands, "scan"}, {"hlep", commands, "help"},
		{"get", commands, ""}, {"list", commands, ""}, {"nope", commands, ""}, {"", commands, ""}, {"orphans", nil, ""},
		{"tag", keys, "tags"}, {"kubconfg", keys, "kubeconfig"}, {"frobnicate", keys, ""},
		// Two at the same distance: the first in the alphabet, in whatever order they come.
		{"nome", keys, "name"}, {"nome", []string{"none", "name"}, "name"},
	} {
		if got := Of(tc.word, tc.known); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.word, got, tc.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3},
		{"output", "outptu", 1},
	} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
