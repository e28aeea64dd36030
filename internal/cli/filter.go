package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/internal/nearest"
	"github.com/proxaudit/proxaudit/inventory"
)

func filterFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "cluster", Category: catCommand, Usage: "list this `CLUSTER` only; repeatable"},
		&cli.StringSliceFlag{Name: "site", Category: catCommand, Usage: "list VMs of this `SITE` only; repeatable"},
		&cli.StringSliceFlag{Name: "class", Category: catCommand, Usage: "list this `CLASS` only; repeatable"},
	}
}

// readFilter checks the classes, which are known before any work.
func readFilter(c *cli.Context) (*audit.Filter, error) {
	f := &audit.Filter{Clusters: c.StringSlice("cluster"), Sites: c.StringSlice("site")}
	for _, v := range c.StringSlice("class") {
		class := identity.Class(v)
		if !slices.Contains(identity.Classes(), class) {
			return nil, usagef("--class: there is no class %q", v).
				hint("%sThe classes are %s.", didYouMean(v, identity.Classes()), join(identity.Classes()))
		}
		f.Classes = append(f.Classes, class)
	}
	return f, nil
}

// checkFilter refuses sites and clusters that the Snapshot does not know: a typing error must not look like a clean
// report. A site's name is not known either where the site did not answer: that is a gap, and no error of the person who
// asks.
func (r *run) checkFilter(f *audit.Filter, s *inventory.Snapshot) error {
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
	for _, asked := range f.Sites {
		if len(nameless(s)) > 0 && !slices.Contains(sites, asked) {
			r.sayNameless(asked, s)
			sites = append(sites, asked)
		}
	}
	if err := known("site", f.Sites, sites); err != nil {
		return err
	}
	return known("cluster", f.Clusters, clusters)
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
			return u.hint("%sThere is %s.", didYouMean(a, have), join(have))
		}
	}
	return nil
}

// didYouMean is a question, with a blank behind it, if a known word is near.
func didYouMean[T ~string](word string, known []T) string {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	if s := nearest.Of(word, names); s != "" {
		return "Did you mean " + s + "? "
	}
	return ""
}

func join[T ~string](items []T) string {
	s := make([]string, len(items))
	for i, v := range items {
		s[i] = string(v)
	}
	return strings.Join(s, ", ")
}
