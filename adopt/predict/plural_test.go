package predict

import "testing"

func TestMachinesThat(t *testing.T) {
	for want, names := range map[string][]string{"the Machine cp-1 has a Node": {"cp-1"}, "the Machines cp-1, cp-2 have Nodes": {"cp-1", "cp-2"}} {
		if got := machinesThat(names, "has a Node", "have Nodes"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
