package audit

import (
	"slices"

	"github.com/proxaudit/proxaudit/audit/identity"
)

// Filter selects from a report. An empty list selects all. It decides what is listed and what is counted; what was looked
// at and what was not seen stays as it was, in the coverage, in the counts of missing verdicts, and in Incomplete.
type Filter struct {
	// Clusters and Sites are kept by any side of a machine: one whose VM is in the site, or whose Node in the cluster.
	Clusters, Sites []string
	Classes         []identity.Class
}

// IsEmpty is true if the Filter selects all.
func (f *Filter) IsEmpty() bool { return len(f.Clusters)+len(f.Sites)+len(f.Classes) == 0 }

// Orphans is the report with what the Filter selects, counted again. The report that it is given stays as it is.
func (f *Filter) Orphans(r *OrphanReport) *OrphanReport {
	out := *r
	if f.IsEmpty() {
		return &out
	}
	out.Findings = []Finding{}
	for i := range r.Findings {
		x := &r.Findings[i]
		if f.keeps(x.Class, x.Subject.Cluster, []SubjectRef{x.Subject}, x.Others) {
			out.Findings = append(out.Findings, *x)
		}
	}
	out.Summary.Count(out.Findings)
	if r.Ignored != nil {
		out.Ignored = []IgnoredFinding{}
		for i := range r.Ignored {
			if x := &r.Ignored[i]; f.keeps(x.Class, x.Subject.Cluster, []SubjectRef{x.Subject}, x.Others) {
				out.Ignored = append(out.Ignored, *x)
			}
		}
		out.Summary.countIgnores(&out.Ignores)
	}
	filtered(&out.Summary, out.Findings, len(r.Findings), func(x *Finding) identity.Class { return x.Class })
	return &out
}

// Inventory is the report with the items that the Filter selects, counted again. The report that it is given stays as it
// is.
func (f *Filter) Inventory(r *InventoryReport) *InventoryReport {
	out := *r
	if f.IsEmpty() {
		return &out
	}
	out.Items = []Item{}
	for i := range r.Items {
		x := &r.Items[i]
		if f.keeps(x.Class, x.Cluster, []SubjectRef{x.Subject}, x.VMs, x.Infra, x.Machines, x.Nodes, x.Rivals) {
			out.Items = append(out.Items, *x)
		}
	}
	out.Summary.countItems(out.Items)
	filtered(&out.Summary, out.Items, len(r.Items), func(x *Item) identity.Class { return x.Class })
	return &out
}

func (f *Filter) keeps(class identity.Class, cluster string, sides ...[]SubjectRef) bool {
	refs := slices.Concat(sides...)
	if len(f.Classes) > 0 && !slices.Contains(f.Classes, class) {
		return false
	}
	if len(f.Clusters) > 0 && !slices.Contains(f.Clusters, cluster) &&
		!slices.ContainsFunc(refs, func(r SubjectRef) bool { return slices.Contains(f.Clusters, r.Cluster) }) {
		return false
	}
	return len(f.Sites) == 0 || slices.ContainsFunc(refs, func(r SubjectRef) bool { return slices.Contains(f.Sites, r.Site) })
}
