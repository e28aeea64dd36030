package exampletest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the recorded files")

// Golden compares with a recorded file, or records it.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		write(t, path, got)
	}
	same(t, path, got, func(text string) string { return text })
}

// SameAs compares with a file that another test records, the number of requests aside: a scan asks for what all commands want.
func SameAs(t *testing.T, path, got string) {
	t.Helper()
	same(t, path, got, Comparable)
}

var requests = regexp.MustCompile(`(?m)^requests: .*$`)

// Comparable is a result without the number of requests that it cost.
func Comparable(text string) string { return requests.ReplaceAllString(text, "") }

func same(t *testing.T, path, got string, seen func(string) string) {
	t.Helper()
	want, err := os.ReadFile(path) //nolint:gosec // a file of the example
	if err != nil {
		t.Fatal(err)
	}
	if seen(got) != seen(string(want)) {
		t.Errorf("%s differs (go test ./examples/... -update rewrites it) %s", path, firstDifference(seen(string(want)), seen(got)))
	}
}

// firstDifference shows the first line in which two texts differ. A Snapshot has thousands.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "(no such line)", "(no such line)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("at line %d:\nrecorded: %s\nnow:      %s", i+1, a, b)
		}
	}
	return "nowhere"
}
