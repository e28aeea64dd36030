package cli

import (
	"net/url"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// nameless are the sites that go by their address because they did not say what they are called: any name that is asked
// for may be theirs. A site that a person called by its own address may be among them, and for that one the exit code is
// 3 instead of 2: it did not answer either.
func nameless(s *inventory.Snapshot) []string {
	var out []string
	for i := range s.Sites {
		site := &s.Sites[i]
		if site.ClusterName != "" || len(site.Nodes) > 0 {
			continue
		}
		if u, err := url.Parse(site.URL); err != nil || u.Hostname() != site.Name {
			continue
		}
		if c := s.CoverageOf(inventory.SiteSource(site.Name), inventory.ScopeClusterStatus); c != nil && c.Missing() {
			out = append(out, site.Name)
		}
	}
	return out
}

// sayNameless tells which sites may be the one that was asked for.
func (r *run) sayNameless(asked string, s *inventory.Snapshot) {
	if names := nameless(s); len(names) > 0 && !slices.Contains(names, asked) {
		r.warnf("there is no site %q in this run: it may be %s, which did not say its name (PROXMOX_SITE or sites[].name "+
			"in proxaudit.yaml gives it one)", asked, join(names))
	}
}
