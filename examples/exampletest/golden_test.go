package exampletest

import (
	"strings"
	"testing"
)

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ want, got, says string }{
		{"a\nb\nc", "a\nx\nc", "line 2:\nrecorded: b\nnow:      x"},
		{"a", "a\nb", "line 2:\nrecorded: (no such line)\nnow:      b"},
		{"a\nb", "a", "line 2:\nrecorded: b\nnow:      (no such line)"},
	} {
		if got := firstDifference(c.want, c.got); !strings.Contains(got, c.says) {
			t.Errorf("%q against %q: %s", c.want, c.got, got)
		}
	}
}
