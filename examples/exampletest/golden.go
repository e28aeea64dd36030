package exampletest

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the recorded files")

// Updating is true in a run that records anew.
func Updating() bool { return *update }

// Golden compares with a recorded file, or records it.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		write(t, path, []byte(got))
	}
	want, err := os.ReadFile(path) //nolint:gosec // a file of the example
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./examples/... -update rewrites it); got:\n%s", path, got)
	}
}

// Recorded compares a Snapshot's file with nothing, for each recording has certificates and durations of its own: it records
// it when asked to, and else reads what was recorded.
func Recorded(t *testing.T, path string, record func() string) {
	t.Helper()
	if *update {
		write(t, path, []byte(record()))
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}
