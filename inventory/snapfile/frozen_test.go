package snapfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
)

// frozen are files as a version of the program wrote them. Nobody makes them again, whatever changes: that files which
// people keep can be read is what they are here for, and a checksum that is adapted to a new file proves nothing.
var frozen = map[string]string{
	"testdata/v1/homelab.json": "c82ad6ccff836f47ec057b280f14b70360279b506ba6a56d5f5fbc0ba777db33",
	// The same, compressed by zstd 1 itself and not by this program.
	"testdata/v1/homelab.json.zst": "90be377ef836a80a988d54f469dab3d00b5c94ef5e33d00cce0ec9075439d19d",
}

// TestFrozen: an old file is read, plain and compressed, and nothing that stands in it is lost.
func TestFrozen(t *testing.T) {
	for path, want := range frozen {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Fatalf("%s is not the file that was kept: take it back out of the repository's history, and do not make it again", path)
		}
		s, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		plain := data
		if strings.HasSuffix(path, ".zst") {
			if plain, err = os.ReadFile(strings.TrimSuffix(path, ".zst")); err != nil {
				t.Fatal(err)
			}
		}
		var before, after any
		if err := errors.Join(json.Unmarshal(plain, &before), json.Unmarshal(encoded(t, s), &after)); err != nil {
			t.Fatal(err)
		}
		if lost := lost("", before, after); len(lost) > 0 {
			t.Errorf("%s: read and written again it lacks %.500q", path, lost)
		}
		if r := audit.Orphans(s, audit.Options{}); len(r.Findings) == 0 {
			t.Errorf("%s: nothing is found in it", path)
		}
	}
}

// lost is what stands in one document and not in another. What the other has beside it is no loss.
func lost(at string, before, after any) []string {
	var out []string
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		for k, v := range b {
			out = append(out, lost(at+"."+k, v, a[k])...)
		}
	case []any:
		a, _ := after.([]any)
		if len(a) != len(b) {
			return []string{fmt.Sprintf("%s: %d elements for %d", at, len(a), len(b))}
		}
		for i, v := range b {
			out = append(out, lost(fmt.Sprintf("%s[%d]", at, i), v, a[i])...)
		}
	default:
		if !reflect.DeepEqual(before, after) {
			return []string{at}
		}
	}
	return out
}
