package collect

import (
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestNamedManagementClusterWithoutClusterAPI(t *testing.T) {
	entry := func(scope string, state inventory.State) inventory.Coverage {
		return inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, State: state}
	}
	wrong := &inventory.Snapshot{Coverage: []inventory.Coverage{entry(inventory.ScopeClusters, inventory.Absent),
		entry(inventory.ScopeMachines, inventory.Absent), entry(inventory.ScopeProxmoxMachines, inventory.Absent)}}
	refuseNoManagement(wrong)
	if n := len(wrong.Incomplete()); n != 3 {
		t.Errorf("%d entries are missing, want all three: %+v", n, wrong.Coverage)
	}
	// CAPMOX alone is not installed: known to be empty.
	right := &inventory.Snapshot{Coverage: []inventory.Coverage{entry(inventory.ScopeClusters, inventory.Complete),
		entry(inventory.ScopeMachines, inventory.Complete), entry(inventory.ScopeProxmoxMachines, inventory.Absent)}}
	refuseNoManagement(right)
	if n := len(right.Incomplete()); n != 0 {
		t.Errorf("%d entries are missing: %+v", n, right.Coverage)
	}
}
