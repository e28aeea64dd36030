package audit

import (
	"maps"
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
			{Rule: "R1", Severity: Critical, Class: identity.Conflict, Subject: vm("a", "1"), Others: []SubjectRef{node("x", "n"), vm("c", "9")}},
			{Rule: "R2", Severity: Warning, Class: identity.OrphanVM, Subject: vm("a", "2"), Holds: holds},
			{Rule: "R2", Severity: Warning, Class: identity.OrphanVM, Subject: vm("b", "3"), Holds: holds},
			{Class: identity.Managed, Subject: node("y", "4")},
		}}
	orphans.Summary.Count(orphans.Findings)
	list := &InventoryReport{Summary: orphans.Summary, Items: []Item{
		{Class: identity.Conflict, Subject: vm("a", "1"), VMs: []SubjectRef{vm("a", "1")}, Nodes: []SubjectRef{node("x", "n")}, Rivals: []SubjectRef{vm("c", "9")}, severity: Critical},
		{Class: identity.OrphanVM, Subject: vm("a", "2"), Cluster: "x", Holds: holds, severity: Warning},
		{Class: identity.OrphanVM, Subject: vm("b", "3"), Holds: holds, severity: Warning},
		{Class: identity.Managed, Subject: node("y", "4"), VMs: []SubjectRef{vm("b", "5")}},
	}}
	list.Summary.countItems(list.Items)
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
		"by the rival":  {Filter{Sites: []string{"c"}}, "1", "1", 0, 0},
		"nothing":       {Filter{Sites: []string{"d"}}, "", "", 0, 0},
	} {
		before, beforeList := slices.Clone(orphans.Findings), slices.Clone(list.Items)
		sum, listSum := orphans.Summary, list.Summary
		o, l := tc.filter.Orphans(orphans), tc.filter.Inventory(list)
		if got := ids(o.Findings, func(f *Finding) string { return f.Subject.ID }); got != tc.orphans {
			t.Errorf("%s: findings %q, want %q", name, got, tc.orphans)
		}
		if got := ids(l.Items, func(i *Item) string { return i.Subject.ID }); got != tc.items {
			t.Errorf("%s: items %q, want %q", name, got, tc.items)
		}
		s := o.Summary
		if s.Findings != found(o.Findings) || s.Severities[Critical]+s.Severities[Warning] != s.Findings || s.Reclaimable.VCPU != tc.vcpu || s.Severities[Warning] != tc.warnings || o.Findings == nil || l.Items == nil {
			t.Errorf("%s: counted %+v", name, s)
		}
		if !s.Incomplete || s.NoVerdict != 1 || s.VMs != 7 {
			t.Errorf("%s: what was looked at changed: %+v", name, s)
		}
		if tc.filter.IsEmpty() {
			if s.Hidden != nil || l.Summary.Hidden != nil || !reflect.DeepEqual(s.Classes, orphans.Summary.Classes) {
				t.Errorf("%s: nothing is hidden, and counted is %+v and %+v", name, s, l.Summary)
			}
		} else {
			counted(t, name, &s, len(o.Findings), len(orphans.Findings), classes(o.Findings, func(f *Finding) identity.Class { return f.Class }))
			counted(t, name, &l.Summary, len(l.Items), len(list.Items), classes(l.Items, func(i *Item) identity.Class { return i.Class }))
		}
		if v := vcpu(l.Items); l.Summary.Reclaimable.VCPU != v || l.Summary.Findings != severe(l.Items) {
			t.Errorf("%s: of the items %+v is counted, want %d vCPU", name, l.Summary, v)
		}
		if !reflect.DeepEqual(before, orphans.Findings) || !reflect.DeepEqual(beforeList, list.Items) || !reflect.DeepEqual(sum, orphans.Summary) ||
			!reflect.DeepEqual(listSum, list.Summary) {
			t.Errorf("%s: the report itself changed", name)
		}
	}
}

// counted: what a filter leaves is counted, and so is what it hides.
func counted(t *testing.T, name string, s *Summary, listed, all int, want map[identity.Class]int) {
	t.Helper()
	if s.Hidden == nil || *s.Hidden != all-listed {
		t.Errorf("%s: hidden %v, want %d", name, s.Hidden, all-listed)
	}
	if !maps.Equal(s.Classes, want) {
		t.Errorf("%s: counted %v, listed is %v", name, s.Classes, want)
	}
}

func classes[T any](list []T, class func(*T) identity.Class) map[identity.Class]int {
	out := map[identity.Class]int{}
	for i := range list {
		out[class(&list[i])]++
	}
	return out
}

func vcpu(items []Item) int {
	sum := 0
	for i := range items {
		if items[i].Holds != nil {
			sum += *items[i].Holds.VCPU
		}
	}
	return sum
}

func severe(items []Item) int {
	n := 0
	for i := range items {
		if items[i].severity != "" {
			n++
		}
	}
	return n
}

// found counts those of a class that is a finding.
func found(fs []Finding) int {
	n := 0
	for i := range fs {
		if fs[i].Class.IsFinding() {
			n++
		}
	}
	return n
}
