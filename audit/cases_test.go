package audit_test

import (
	"testing"

	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// check runs one small fleet through the analysis.
func check(t *testing.T, fixture string) *identity.Graph {
	t.Helper()
	f, err := inventorytest.Parse([]byte(fixture))
	if err != nil {
		t.Fatal(err)
	}
	return audittest.Check(t, f)
}

// checkFixture is check for a fixture that a test has changed.
func checkFixture(t *testing.T, f *inventorytest.Fixture) { t.Helper(); audittest.Check(t, f) }
