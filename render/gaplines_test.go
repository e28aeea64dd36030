package render

import (
	"slices"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestGapLines(t *testing.T) {
	got := GapLines([]inventory.Coverage{
		{Source: "site/lab", Scope: "version", State: inventory.Failed, Reason: "no", Optional: true},
		{Source: "site/lab", Scope: "guests", State: inventory.Refused, Reason: "403", Remedy: "pveum acl modify /vms"},
		{Source: "cluster/a", Scope: "nodes", State: inventory.Failed, Reason: "down"},
		{Source: "cluster/a", Scope: "pods", State: inventory.Failed, Reason: "down"},
		{Source: "cluster/b", Scope: "nodes", State: inventory.Failed, Reason: "down"},
		{Source: "management", Scope: "x", State: inventory.Absent}, {Source: "management", Scope: "y", State: inventory.Complete},
	})
	want := []string{"incomplete: site/lab guests: refused: 403", "  pveum acl modify /vms",
		"incomplete: 3 answers of cluster/a and cluster/b (nodes and pods): failed: down"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := GapLines(nil); got != nil {
		t.Errorf("%q", got)
	}
}
