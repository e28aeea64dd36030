package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

// filter is what --cluster, --site and --class select. Empty lists select all. It decides what is listed and what
// counts for exit code 1; what a run did not see stays in the coverage and in exit code 3.
type filter struct {
	clusters, sites []string
	classes         []identity.Class
}

func filterFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "cluster", Category: catCommand, Usage: "list this `CLUSTER` only; repeatable"},
		&cli.StringSliceFlag{Name: "site", Category: catCommand, Usage: "list VMs of this `SITE` only; repeatable"},
		&cli.StringSliceFlag{Name: "class", Category: catCommand, Usage: "list this `CLASS` only; repeatable"},
	}
}

// readFilter checks the classes, which are known before any work.
func readFilter(c *cli.Context) (*filter, error) {
	f := &filter{clusters: c.StringSlice("cluster"), sites: c.StringSlice("site")}
	for _, v := range c.StringSlice("class") {
		class := identity.Class(v)
		if !slices.Contains(identity.Classes(), class) {
			return nil, usagef("--class: there is no class %q", v).hint("The classes are %s.", join(identity.Classes()))
		}
		f.classes = append(f.classes, class)
	}
	return f, nil
}

// check refuses sites and clusters that the Snapshot does not know: a typing error must not look like a clean report.
func (f *filter) check(s *inventory.Snapshot) error {
	var sites, clusters []string
	for i := range s.Sites {
		sites = append(sites, s.Sites[i].Name)
	}
	for i := range s.Clusters {
		clusters = append(clusters, s.Clusters[i].Key)
	}
	// A source that did not answer is known by its coverage only.
	for _, c := range s.Coverage {
		if name, ok := strings.CutPrefix(c.Source, inventory.SiteSource("")); ok {
			sites = append(sites, name)
		}
		if name, ok := strings.CutPrefix(c.Source, inventory.ClusterSource("")); ok {
			clusters = append(clusters, name)
		}
	}
	if err := known("site", f.sites, sites); err != nil {
		return err
	}
	return known("cluster", f.clusters, clusters)
}

func known(flag string, asked, have []string) error {
	slices.Sort(have)
	have = slices.Compact(have)
	for _, a := range asked {
		if !slices.Contains(have, a) {
			u := usagef("--%s: there is no %s %q in this run", flag, flag, a)
			if len(have) == 0 {
				return u.hint("There is none at all.")
			}
			return u.hint("There is %s.", join(have))
		}
	}
	return nil
}

func (f *filter) keeps(class identity.Class, cluster string, refs ...audit.SubjectRef) bool {
	if len(f.classes) > 0 && !slices.Contains(f.classes, class) {
		return false
	}
	if len(f.clusters) > 0 && !slices.Contains(f.clusters, cluster) &&
		!slices.ContainsFunc(refs, func(r audit.SubjectRef) bool { return slices.Contains(f.clusters, r.Cluster) }) {
		return false
	}
	return len(f.sites) == 0 || slices.ContainsFunc(refs, func(r audit.SubjectRef) bool { return slices.Contains(f.sites, r.Site) })
}

func (f *filter) isEmpty() bool { return len(f.clusters)+len(f.sites)+len(f.classes) == 0 }

// orphans takes out what is not selected and counts again.
func (f *filter) orphans(r *audit.OrphanReport) {
	if f.isEmpty() {
		return
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(x audit.Finding) bool {
		return !f.keeps(x.Class, x.Subject.Cluster, append([]audit.SubjectRef{x.Subject}, x.Others...)...)
	})
	r.Summary.Count(r.Findings)
}

// inventory takes out what is not selected. The summary keeps its counts of the whole.
func (f *filter) inventory(r *audit.InventoryReport) {
	if f.isEmpty() {
		return
	}
	r.Items = slices.DeleteFunc(r.Items, func(x audit.Item) bool {
		return !f.keeps(x.Class, x.Cluster, slices.Concat([]audit.SubjectRef{x.Subject}, x.VMs, x.Infra, x.Machines, x.Nodes)...)
	})
}

func join[T ~string](items []T) string {
	s := make([]string, len(items))
	for i, v := range items {
		s[i] = string(v)
	}
	return strings.Join(s, ", ")
}
