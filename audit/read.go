package audit

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
)

// settling are the lists on which verdicts rest. What a host of a site did not tell shows in the run itself, and a host may leave
// its cluster for good.
var settling = []string{inventory.ScopeGuests, inventory.ScopeAgent, inventory.ScopeNodes, inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines}

// sourcesRead are the sources of which a Snapshot has all of such a list. A guest list counts if the token may see all of it.
func sourcesRead(s *inventory.Snapshot) []history.Source {
	return readOf(s.Coverage, func(source string) []string { return marks(s, source) })
}

// readOf is the same of a coverage alone.
func readOf(coverage []inventory.Coverage, marks func(source string) []string) []history.Source {
	found := map[string]*history.Source{}
	for i := range coverage {
		c := &coverage[i]
		if !slices.Contains(settling, c.Scope) || c.State != inventory.Complete && c.State != inventory.Absent {
			continue
		}
		if found[c.Source] == nil {
			found[c.Source] = &history.Source{Name: c.Source, Marks: marks(c.Source)}
		}
		found[c.Source].Scopes = append(found[c.Source].Scopes, c.Scope)
	}
	out := []history.Source{}
	for _, src := range found {
		out = append(out, *src)
	}
	history.SortSources(out)
	return out
}

// marks tell a source from another of the same name.
func marks(s *inventory.Snapshot, source string) []string {
	if name, ok := strings.CutPrefix(source, inventory.SiteSource("")); ok {
		for i := range s.Sites {
			if s.Sites[i].Name == name {
				return siteMarks(&s.Sites[i])
			}
		}
		return nil
	}
	name, ok := strings.CutPrefix(source, inventory.ClusterSource(""))
	if source == inventory.ManagementSource && s.Management != nil {
		name, ok = s.Management.ClusterName, s.Management.ClusterName != ""
	}
	if !ok {
		return nil
	}
	var out []string
	for i := range s.Clusters {
		c := &s.Clusters[i]
		if c.Key != name {
			continue
		}
		for _, ca := range c.ServingCAs {
			out = append(out, "ca:"+ca)
		}
		if c.Server != "" {
			out = append(out, "server:"+c.Server)
		}
	}
	return out
}

func siteMarks(site *inventory.Site) []string {
	var out []string
	if site.URL != "" {
		out = append(out, "server:"+site.URL)
	}
	for i := range site.Nodes {
		out = append(out, "host:"+site.Nodes[i].Name)
	}
	return out
}
