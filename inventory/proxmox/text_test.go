package proxmox

import (
	"fmt"
	"strconv"
	"testing"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func itoa(n int) string { return strconv.Itoa(n) }

func TestTally(t *testing.T) {
	var why tally
	for i := range 7 {
		why.add(110-i, "595 No route to host")
	}
	why.add(101, "403 no")
	why.add(300, "x")
	why.add(301, "y")
	const want = "101: 403 no; 104, 105, 106, 107, 108 and 2 more: 595 No route to host; 300: x; and 1 other reasons"
	if got := why.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (&tally{}).String(); got != "" {
		t.Errorf("nothing gives %q", got)
	}
}
