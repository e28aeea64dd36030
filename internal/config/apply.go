package config

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// Apply puts the configuration's word about clusters and sites (selectors, sites, regions) over a Snapshot. It returns
// what the configuration names and the Snapshot does not have, like site "lab".
func (c *Config) Apply(snap *inventory.Snapshot) (unknown []string) {
	for i := range c.Clusters {
		cl, hit := &c.Clusters[i], false
		for k := range snap.Clusters {
			if snap.Clusters[k].Key != cl.Name {
				continue
			}
			hit = true
			if !cl.Selector.IsZero() {
				snap.Clusters[k].Selector = cl.Selector
			}
			if cl.Site != "" {
				snap.Clusters[k].Site = cl.Site
			}
		}
		if !hit {
			unknown = append(unknown, fmt.Sprintf("cluster %q", cl.Name))
		}
	}
	for i := range c.Sites {
		site, hit := &c.Sites[i], false
		for k := range snap.Sites {
			if snap.Sites[k].Name == site.Name {
				hit = true
				if len(site.Regions) > 0 {
					snap.Sites[k].Regions = site.Regions
				}
			}
		}
		if !hit {
			unknown = append(unknown, fmt.Sprintf("site %q", site.Name))
		}
	}
	return unknown
}
