package snapfile

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// cut finds what was taken out of a file after it was written: its coverage says that the Nodes of a cluster or the guests
// of a site were read, and there are none. Taken at its word, such a file makes an orphan of every machine.
func cut(s *inventory.Snapshot) error {
	nodes, guests := map[string]bool{}, map[string]bool{}
	for i := range s.Nodes {
		nodes[s.Nodes[i].Cluster] = true
	}
	for i := range s.VMs {
		guests[s.VMs[i].Site] = true
	}
	for i := range s.Coverage {
		c := &s.Coverage[i]
		if c.Got == 0 {
			continue
		}
		cluster, isCluster := strings.CutPrefix(c.Source, inventory.ClusterSource(""))
		site, isSite := strings.CutPrefix(c.Source, inventory.SiteSource(""))
		switch {
		case isCluster && c.Scope == inventory.ScopeNodes && !nodes[cluster]:
			return missingFrom("Nodes of cluster", cluster, c.Got)
		case isSite && c.Scope == inventory.ScopeGuests && !guests[site]:
			return missingFrom("guests of site", site, c.Got)
		}
	}
	return nil
}

func missingFrom(what, name string, n int) error {
	return fmt.Errorf("its coverage says that %d %s %q were read, and it has none of them: something was taken out of it; scan again", n, what, name)
}
