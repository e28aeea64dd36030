package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// port finds the only thing in an output that changes from run to run: a loopback port.
var port = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

// sameAsGolden compares an output, byte for byte, with testdata/golden/NAME. With -update it writes the file.
func sameAsGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	got = port.ReplaceAll(got, []byte("127.0.0.1:PORT"))
	path := filepath.Join("..", "testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it, then read it)", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, cmp.Diff(string(want), string(got)))
	}
}
