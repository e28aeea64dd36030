package adopt_test

import (
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// A second run knows how far the first one went. What somebody else made under a name of the bundle's is none of it.
func TestAppliedBefore(t *testing.T) {
	if got := plan(t, inventorytest.ScriptBuilt("prod", 3, 3), options()).Applied(); got.Objects != 0 || got.All == 0 || got.Finished {
		t.Errorf("nothing is there: %+v", got)
	}
	s := appliedProd(t)
	if got := plan(t, s, options()).Applied(); got.Objects != got.All || got.Finished {
		t.Errorf("all of it is: %+v", got)
	}
	delete(metadataOf(s, "Cluster", "prod")["annotations"].(map[string]any), adopt.BlockMove)
	if got := plan(t, s, options()).Applied(); !got.Finished {
		t.Errorf("its last step is done: %+v", got)
	}
}

// Verify and the runbook call a step the same: the one says which is next, and the other has to have it.
func TestStepsAreCalledTheSame(t *testing.T) {
	s := appliedProd(t)
	p := plan(t, s, options())
	for _, v := range verify(t, s).Steps {
		if step := stepOf(t, p, v.ID); step.Title != v.Title {
			t.Errorf("%s is %q here and %q in verify", v.ID, step.Title, v.Title)
		}
	}
}
