package audit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// spoil takes out of a fixture what a fault does not deliver: its coverage alone is not the whole fault.
func spoil(t *testing.T, fault string, f *inventorytest.Fixture) {
	t.Helper()
	s := f.Snapshot
	switch fault {
	case "a host is off":
		for _, v := range inventorytest.Degrade(s, rand.New(rand.NewPCG(1, 1))) {
			if v.Fault == "host pve2 of lab is off" {
				f.Snapshot = v.Snapshot
				return
			}
		}
		t.Fatal("no such view")
	case "403 on the permissions":
		s.Sites[0].Visibility = inventory.Visibility{Reasons: []string{"403"}}
	case "the workload API is down":
		s.Nodes = nil
	case "a 595 in the middle of the probes":
		for i := range s.Probes {
			s.Probes[i].Existence, s.Probes[i].Reason = inventory.ExistenceUnknown, "595 Connection refused"
		}
	}
}
