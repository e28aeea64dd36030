package audit_test

import (
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// narrow is a run that read one namespace only, and in which all that was seen is declared there.
const narrow = `
management: {namespaces: [prod]}
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, name: w-1, uuid: $u1, tags: [prod]}
nodes: [{name: w-1, uuid: $u1, providerID: "proxmox://$u1"}]
machines: [{name: prod/w-1, uuid: $u1}]
proxmoxMachines: [{name: prod/w-1, vmid: 101, uuid: $u1}]
want: {vm/lab/101: {class: managed}}
`

func optional(s *inventory.Snapshot) {
	s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ManagementSource, Scope: inventory.ScopeOtherNamespaces,
		State: inventory.NotAsked, Optional: true, Reason: "only prod was read", Remedy: "leave out -n"})
}

func coverageOf(all []inventory.Coverage, source, scope string) *inventory.Coverage {
	for i := range all {
		if all[i].Source == source && all[i].Scope == scope {
			return &all[i]
		}
	}
	return nil
}

// TestWhatAVerdictLacksIsAGap: an entry that nobody needs stays optional. As soon as a verdict names it as missing, it is
// a gap in every report, and keeps its reason and remedy.
func TestWhatAVerdictLacksIsAGap(t *testing.T) {
	for name, tc := range map[string]struct {
		spec string
		gap  bool
	}{
		"nothing hangs on it": {narrow, false},
		"an undeclared Node": {`
management: {namespaces: [prod]}
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 101, name: w-1, uuid: $u1, tags: [prod]}]
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/101: {class: unknown, missing: [management other namespaces]}}
`, true},
	} {
		f := fixture(t, tc.spec)
		audittest.Check(t, f)
		optional(f.Snapshot)
		for kind, all := range map[string][]inventory.Coverage{
			audit.KindOrphanReport: audit.Orphans(f.Snapshot, audit.Options{}).Coverage,
			audit.KindInventory:    audit.Inventory(f.Snapshot, audit.Options{}).Coverage,
			audit.KindExplanation:  explain(t, f, "vm/lab/101").Coverage,
		} {
			c := coverageOf(all, inventory.ManagementSource, inventory.ScopeOtherNamespaces)
			if c == nil || c.Missing() != tc.gap || c.State != inventory.NotAsked || c.Reason != "only prod was read" || c.Remedy != "leave out -n" {
				t.Errorf("%s, %s: %+v, want a gap: %v", name, kind, c, tc.gap)
			}
		}
		if c := f.Snapshot.CoverageOf(inventory.ManagementSource, inventory.ScopeOtherNamespaces); !c.Optional {
			t.Errorf("%s: the Snapshot itself was changed", name)
		}
	}
}

// TestEverythingMissingIsInTheCoverage: what a verdict names is found there, also if it was never asked, and is a gap,
// also if its entry says that all is well.
func TestEverythingMissingIsInTheCoverage(t *testing.T) {
	f := fixture(t, `
management: {namespaces: [prod]}
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 101, name: w-1, uuid: $u1, tags: [prod]}, {id: 102, name: w-2, uuid: $u2, tags: [prod]}]
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/102: {class: unknown, missing: [management other namespaces]}}
`)
	for _, state := range []inventory.State{"", inventory.Complete} {
		s := *f.Snapshot
		if state != "" {
			optional(&s)
			s.Coverage[len(s.Coverage)-1].State = state
		}
		r := audit.Orphans(&s, audit.Options{})
		missing := 0
		for i := range r.Findings {
			for _, m := range r.Findings[i].Missing {
				missing++
				found := false
				for _, c := range r.Coverage {
					found = found || (c.Source+" "+c.Scope == m && c.Missing() && c.Reason != "")
				}
				if !found {
					t.Errorf("state %q: %s lacks %q, and the coverage is %+v", state, r.Findings[i].Subject.ID, m, r.Coverage)
				}
			}
		}
		if missing == 0 || r.Summary.Classes[identity.Unknown] == 0 {
			t.Fatalf("state %q: no verdict lacks anything: %+v", state, r.Findings)
		}
		for i := 1; i < len(r.Coverage); i++ {
			if a, b := &r.Coverage[i-1], &r.Coverage[i]; a.Source > b.Source || (a.Source == b.Source && a.Scope > b.Scope) {
				t.Errorf("state %q: %+v stands before %+v", state, a, b)
			}
		}
	}
}
