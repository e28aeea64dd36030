package collect

import (
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// With -n, what the verdicts say is missing stands in the coverage, under the very name.
func TestOtherNamespaces(t *testing.T) {
	l := newLab(t)
	l.plan.Namespaces = []string{"team", "other"}
	s := l.run(t)
	c := coverage(t, s, inventory.ManagementSource, inventory.ScopeOtherNamespaces)
	if c.State != inventory.NotAsked || !c.Optional || !strings.Contains(c.Reason, "only other, team was read") || !strings.Contains(c.Remedy, "--namespace") {
		t.Errorf("%+v", c)
	}
	// 105 may be declared in a namespace that was not read.
	missing := false
	for _, f := range audit.Orphans(s, audit.Options{}).Findings {
		missing = missing || f.Subject.ID == "vm/home/105" && slices.Contains(f.Missing, c.Need())
	}
	if !missing {
		t.Error("no verdict names the coverage entry")
	}
	if got := serious(s); slices.Contains(got, orphan) {
		t.Errorf("findings %q", got)
	}
	if sum := summary(s); !sum.Incomplete {
		t.Errorf("the run counts as complete: %+v", sum)
	}
}

// With -n and nothing that hangs on other namespaces, nothing is missing.
func TestOtherNamespacesNeededByNobody(t *testing.T) {
	l := newLab(t, func(s *settings) {
		dev := strings.Replace(machine("dev", "dev-1", 201, "dev-1"), "virtualMachineID: 201", "virtualMachineID: 101", 1)
		s.management += cluster("mgmt", "192.0.2.70") + machine("mgmt", "mgmt-1", 104, "mgmt-1") + cluster("dev", "192.0.2.71") + dev
		s.home.ACL = nil
		delete(s.home.VMs, 105)
	})
	l.plan.Namespaces = []string{"team"}
	s := l.run(t)
	coverage(t, s, inventory.ManagementSource, inventory.ScopeOtherNamespaces)
	if len(s.Incomplete()) != 0 {
		t.Errorf("incomplete: %+v", s.Incomplete())
	}
	if sum := summary(s); sum.Incomplete || sum.NoVerdict != 0 || sum.VMs == 0 {
		t.Errorf("%+v", sum)
	}
}

// Without -n there is no such entry.
func TestNoOtherNamespaces(t *testing.T) {
	l := newLab(t)
	if c := l.run(t).CoverageOf(inventory.ManagementSource, inventory.ScopeOtherNamespaces); c != nil {
		t.Errorf("%+v", c)
	}
}
