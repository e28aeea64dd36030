package audit_test

import (
	"slices"
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
				c := coverageOf(r.Coverage, m.Source, m.Scope)
				if c == nil || !c.Missing() || c.Reason == "" {
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

// TestNeedsAreNotText: the name of a kubeconfig context may hold blanks. What is lacking of it is its own entry and no
// other.
func TestNeedsAreNotText(t *testing.T) {
	const key = "our prod (old)"
	f := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms: [{id: 101, name: w-1, uuid: $u1, tags: [prod]}, {id: 102, name: w-2, uuid: $u2, tags: [prod]}]
want: {vm/lab/101: orphan-vm}
`)
	s := *f.Snapshot
	s.Clusters[0].Key = key
	for i := range s.Coverage {
		if c := &s.Coverage[i]; c.Source == inventory.ClusterSource("prod") {
			c.Source = inventory.ClusterSource(key)
			if c.Scope == inventory.ScopeNodes {
				c.State, c.Reason, c.Remedy = inventory.Refused, "403", "give it the right"
			}
		}
	}
	r := audit.Orphans(&s, audit.Options{})
	want := inventory.Need{Source: "cluster/our prod (old)", Scope: inventory.ScopeNodes}
	lacking := 0
	for i := range r.Findings {
		if slices.Contains(r.Findings[i].Missing, want) {
			lacking++
		}
	}
	if lacking != 2 {
		t.Errorf("%d verdicts lack %q, want 2: %+v", lacking, want, r.Findings)
	}
	if c := coverageOf(r.Coverage, want.Source, want.Scope); c == nil || c.State != inventory.Refused || c.Remedy != "give it the right" {
		t.Errorf("the entry is %+v", c)
	}
	if len(r.Coverage) != len(s.Coverage) {
		t.Errorf("%d entries, want the %d of the Snapshot: %+v", len(r.Coverage), len(s.Coverage), r.Coverage)
	}
}

// TestNoSiteIsAnEntryToo: what a run lacks without any site has a name that a reader and a script can find.
func TestNoSiteIsAnEntryToo(t *testing.T) {
	f := fixture(t, `
sites: []
machines: [{name: m, nodeRef: nn}]
proxmoxMachines: [{name: m, vmid: 100}]
nodes: [{name: nn}]
want: {node/prod/nn: unknown}
`)
	s := *f.Snapshot
	s.Sites = nil
	r := audit.Orphans(&s, audit.Options{})
	if len(r.Findings) != 1 || !slices.Contains(r.Findings[0].Missing, inventory.AnySite) {
		t.Fatalf("%+v", r.Findings)
	}
	if c := coverageOf(r.Coverage, inventory.AnySite.Source, inventory.AnySite.Scope); c == nil || !c.Missing() || c.Remedy == "" {
		t.Errorf("the entry is %+v", c)
	}
}
