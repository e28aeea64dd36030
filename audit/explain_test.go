package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/audittest"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

func explain(t *testing.T, f *inventorytest.Fixture, id string) *audit.Explanation {
	t.Helper()
	sub, err := inventory.ParseSubject(id)
	if err != nil {
		t.Fatal(err)
	}
	x, err := audit.Explain(f.Snapshot, sub, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func fixture(t *testing.T, spec string) *inventorytest.Fixture {
	t.Helper()
	f, err := inventorytest.Parse([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestExplainEverySubject: each of the four names of one machine leads to the same verdict, and is the one asked for.
func TestExplainEverySubject(t *testing.T) {
	f := fixture(t, lab+whole)
	for id, says := range map[string]string{
		"vm/lab/101": "are one", "machine/default/prod-1": "are one", "proxmoxmachine/default/prod-1": "are one", "node/prod/prod-1": "are one",
		"vm/lab/103": "belongs to cluster prod", "machine/default/gone": "VM is gone", "node/prod/ghost": "VM is gone",
		"proxmoxmachine/default/ownerless": "no Machine owns", "node/prod/prod-2": "no Machine declares",
	} {
		x := explain(t, f, id)
		if x.Subject.ID != id || !strings.Contains(x.Verdict, says) || x.Kind != audit.KindExplanation {
			t.Errorf("%s: subject %q, verdict %q, want one with %q", id, x.Subject.ID, x.Verdict, says)
		}
		for _, ev := range x.For {
			if ev.Against {
				t.Errorf("%s: %+v argues against and stands with what argues for", id, ev)
			}
		}
		if (x.Finding != nil) != (x.Item.Class != identity.Managed) {
			t.Errorf("%s: finding %v for class %s", id, x.Finding, x.Item.Class)
		}
	}
}

// TestExplainConflict: who it is in conflict with stands beside its own parts, with the name that a person knows it by.
func TestExplainConflict(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, declared: true}]
vms: [{id: 301, name: nas, uuid: $u9}]
machines: [{name: prod-9}]
proxmoxMachines: [{name: prod-9, vmid: 301}]
want: {machine/default/prod-9: {class: conflict, rivals: [vm/lab/301]}}
`)
	audittest.Check(t, f)
	x := explain(t, f, "proxmoxmachine/default/prod-9")
	if len(x.Item.VMs) != 0 || len(x.Item.Rivals) != 1 || x.Item.Rivals[0].ID != "vm/lab/301" || x.Item.Rivals[0].Name != "nas" ||
		x.Item.Rivals[0].UUID == "" {
		t.Errorf("%+v", x.Item)
	}
	// The other one is no finding of its own, and is told what threatens it.
	x = explain(t, f, "vm/lab/301")
	if len(x.Item.Rivals) != 1 || x.Item.Rivals[0].ID != "proxmoxmachine/default/prod-9" || x.Finding != nil ||
		!slices.Contains(x.Item.Notes, "proxmoxmachine/default/prod-9 names this VMID: deleting that would destroy this guest") {
		t.Errorf("the other one: %+v", x.Item)
	}
}

// TestExplanationSaysThingsOnce: a reader of the JSON finds each fact in one place.
func TestExplanationSaysThingsOnce(t *testing.T) {
	x := explain(t, fixture(t, lab+whole), "machine/default/gone")
	if x.Finding == nil || x.Finding.Rule == "" || x.Finding.Severity != audit.Warning {
		t.Fatalf("finding %+v", x.Finding)
	}
	keys := func(v any) []string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(maps.Keys(m))
	}
	finding, item, outer := keys(x.Finding), keys(x.Item), keys(x)
	for _, k := range finding {
		if slices.Contains(item, k) || slices.Contains(outer, k) {
			t.Errorf("%s is in the finding and stands elsewhere too", k)
		}
	}
	for _, k := range item {
		if k != "subject" && slices.Contains(outer, k) {
			t.Errorf("%s is in the item and beside it", k)
		}
	}
}

func TestExplainHarmless(t *testing.T) {
	f := fixture(t, `
vms: [{id: 101, name: nas}, {id: 102, name: ct, type: lxc}, {id: 9000, name: tpl, template: true}]
machines: [{name: aws, infra: AWSMachine/aws}]
want: {vm/lab/101: unrelated}
`)
	for id, says := range map[string]string{"vm/lab/101": "Nothing that was seen", "vm/lab/102": "container", "vm/lab/9000": "template", "machine/default/aws": "another infrastructure provider"} {
		if x := explain(t, f, id); !strings.Contains(x.Verdict, says) || x.Finding != nil || x.For == nil || x.Against == nil {
			t.Errorf("%s: verdict %q, finding %v; want %q and no finding", id, x.Verdict, x.Finding, says)
		}
	}
}

// TestExplainBothSides: what argues against the verdict stands there too.
func TestExplainBothSides(t *testing.T) {
	f := fixture(t, `
vms: [{id: 101, name: a, uuid: $u1}, {id: 102, name: w-1, uuid: $u2}]
nodes: [{name: w-1, uuid: $u1}]
want: {node/prod/w-1: adoptable}
`)
	x := explain(t, f, "node/prod/w-1")
	if len(x.For) == 0 || x.For[0].Kind != identity.KindSystemUUID || x.For[0].Strength != identity.Proof {
		t.Errorf("for: %+v, want the UUID first", x.For)
	}
	if len(x.Against) != 1 || x.Against[0].Kind != identity.KindName || !strings.Contains(x.Against[0].Note, inventorytest.UUID(2)) {
		t.Errorf("against: %+v, want the name, with the UUID that rules it out", x.Against)
	}
}

func TestExplainUnknownNamesWhatIsMissing(t *testing.T) {
	f := fixture(t, `
clusters: [{name: prod, unread: true, selector: {tags: [k8s]}}]
vms: [{id: 101, name: w-1, uuid: $u1, tags: [k8s]}]
want: {vm/lab/101: unknown}
`)
	x := explain(t, f, "vm/lab/101")
	if len(x.Missing) != 1 || x.Missing[0].String() != "cluster/prod nodes" || !strings.Contains(x.Remedy, "cluster/prod nodes") {
		t.Errorf("missing %q, remedy %q", x.Missing, x.Remedy)
	}
}

func TestExplainNotFound(t *testing.T) {
	f := fixture(t, `
sites: [a, b]
vms: [{id: a/101, name: x}, {id: b/101, name: x}]
machines: [{name: one/m}, {name: two/m}]
proxmoxMachines: [{name: one/m}]
nodes: [{name: prod/n1}]
want: {vm/a/101: unrelated}
`)
	for id, says := range map[string][]string{
		"vm/c/101":               {"vm/c/101 was not seen", "vm/a/101, vm/b/101"},
		"machine/three/m":        {"machine/one/m, machine/two/m"},
		"proxmoxmachine/three/m": {"proxmoxmachine/one/m"},
		"node/stage/n1":          {"node/prod/n1"},
		"vm/a/999":               {"inventory -o name"},
		"cluster/prod":           {"was not seen"},
	} {
		sub, err := inventory.ParseSubject(id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = audit.Explain(f.Snapshot, sub, audit.Options{})
		var missing *audit.NotFoundError
		if !errors.As(err, &missing) {
			t.Errorf("%s: got the error %v, want a NotFoundError", id, err)
			continue
		}
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", id, err, s)
			}
		}
	}
	f.Snapshot.Coverage[0].State = inventory.Failed
	if _, err := audit.Explain(f.Snapshot, inventory.Subject{Kind: inventory.SubjectVM, Scope: "a", Name: "999"}, audit.Options{}); err == nil || !strings.Contains(err.Error(), "incomplete") {
		t.Errorf("%v does not say that the run is incomplete", err)
	}
}

// TestReferencesAreCalledWhatTheyAre: what only the ownerReference says is not shown as the Machine's infrastructureRef.
func TestReferencesAreCalledWhatTheyAre(t *testing.T) {
	for name, tc := range map[string]struct{ infra, owner, want string }{
		"both say it":                 {"w-1", "w-1", "infrastructure-ref machine/default/w-1 proxmoxmachine/default/w-1"},
		"the infrastructureRef alone": {"w-1", "none", "infrastructure-ref machine/default/w-1 proxmoxmachine/default/w-1"},
		"the ownerReference alone":    {"none", "w-1", "owner-ref proxmoxmachine/default/w-1 machine/default/w-1"},
		"a broken infrastructureRef":  {"w-0", "w-1", "owner-ref proxmoxmachine/default/w-1 machine/default/w-1"},
	} {
		f := fixture(t, fmt.Sprintf(`
vms: [{id: 101, name: w-1, uuid: $u1}]
machines: [{name: w-1, uuid: $u1, infra: %s}]
proxmoxMachines: [{name: w-1, vmid: 101, uuid: $u1, owner: %s}]
nodes: [{name: w-1, uuid: $u1}]
want: {vm/lab/101: {class: mismatched, with: [proxmoxmachine/default/w-1, machine/default/w-1]}}
`, tc.infra, tc.owner))
		var got []string
		for _, ev := range explain(t, f, "vm/lab/101").For {
			if ev.Strength == identity.Declared {
				got = append(got, fmt.Sprintf("%s %s %s", ev.Kind, ev.From, ev.To))
			}
		}
		if len(got) != 1 || got[0] != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
