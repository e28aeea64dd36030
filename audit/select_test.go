package audit

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit/identity"
)

func ids[T any](list []T, id func(*T) string) string {
	var out []string
	for i := range list {
		out = append(out, id(&list[i]))
	}
	return strings.Join(out, " ")
}

// TestFilter: any side of a machine can be what was asked for, all three kinds have to agree, and what was not seen stays.
func TestFilter(t *testing.T) {
	vm := func(site, id string) SubjectRef { return SubjectRef{Kind: "vm", Site: site, ID: id} }
	node := func(cluster, id string) SubjectRef { return SubjectRef{Kind: "node", Cluster: cluster, ID: id} }
	cores, size := 4, int64(8)
	holds := &Holds{VCPU: &cores, MemoryMiB: &size, DiskGiB: &size}
	orphans := &OrphanReport{Summary: Summary{VMs: 7, NoVerdict: 1, Incomplete: true, Classes: map[identity.Class]int{identity.OrphanVM: 2}},
		Findings: []Finding{
			{Rule: "R1", Severity: Critical, Class: identity.Conflict, Subject: vm("a", "1"), Others: []SubjectRef{node("x", "n")}},
			{Rule: "R2", Severity: Warning, Class: identity.OrphanVM, Subject: vm("a", "2"), Holds: holds},
			{Rule: "R2", Severity: Warning, Class: identity.OrphanVM, Subject: vm("b", "3"), Holds: holds},
			{Class: identity.Managed, Subject: node("y", "4")},
		}}
	orphans.Summary.Count(orphans.Findings)
	list := &InventoryReport{Summary: orphans.Summary, Items: []Item{
		{Class: identity.Conflict, Subject: vm("a", "1"), VMs: []SubjectRef{vm("a", "1")}, Nodes: []SubjectRef{node("x", "n")}},
		{Class: identity.OrphanVM, Subject: vm("a", "2"), Cluster: "x"},
		{Class: identity.OrphanVM, Subject: vm("b", "3")},
		{Class: identity.Managed, Subject: node("y", "4"), VMs: []SubjectRef{vm("b", "5")}},
	}}
	for name, tc := range map[string]struct {
		filter         Filter
		orphans, items string
		vcpu, warnings int
	}{
		"all":           {Filter{}, "1 2 3 4", "1 2 3 4", 8, 2},
		"a class":       {Filter{Classes: []identity.Class{identity.OrphanVM}}, "2 3", "2 3", 8, 2},
		"a site":        {Filter{Sites: []string{"a"}}, "1 2", "1 2", 4, 1},
		"by the VM":     {Filter{Sites: []string{"b"}}, "3", "3 4", 4, 1},
		"two sites":     {Filter{Sites: []string{"a", "b"}}, "1 2 3", "1 2 3 4", 8, 2},
		"by the Node":   {Filter{Clusters: []string{"x"}}, "1", "1 2", 0, 0},
		"its cluster":   {Filter{Clusters: []string{"y"}}, "4", "4", 0, 0},
		"all must hold": {Filter{Sites: []string{"a"}, Classes: []identity.Class{identity.OrphanVM}}, "2", "2", 4, 1},
		"nothing":       {Filter{Sites: []string{"c"}}, "", "", 0, 0},
	} {
		before, beforeList := slices.Clone(orphans.Findings), slices.Clone(list.Items)
		sum := orphans.Summary
		o, l := tc.filter.Orphans(orphans), tc.filter.Inventory(list)
		if got := ids(o.Findings, func(f *Finding) string { return f.Subject.ID }); got != tc.orphans {
			t.Errorf("%s: findings %q, want %q", name, got, tc.orphans)
		}
		if got := ids(l.Items, func(i *Item) string { return i.Subject.ID }); got != tc.items {
			t.Errorf("%s: items %q, want %q", name, got, tc.items)
		}
		s := o.Summary
		if s.Findings != len(o.Findings) || s.Reclaimable.VCPU != tc.vcpu || s.Severities[Warning] != tc.warnings || o.Findings == nil || l.Items == nil {
			t.Errorf("%s: counted %+v", name, s)
		}
		if !s.Incomplete || s.NoVerdict != 1 || s.VMs != 7 || s.Classes[identity.OrphanVM] != 2 {
			t.Errorf("%s: what was looked at changed: %+v", name, s)
		}
		if !reflect.DeepEqual(before, orphans.Findings) || !reflect.DeepEqual(beforeList, list.Items) || !reflect.DeepEqual(sum, orphans.Summary) ||
			!reflect.DeepEqual(l.Summary, list.Summary) {
			t.Errorf("%s: the report itself changed", name)
		}
	}
}
