package collect

import (
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// sites takes the sites with all that was seen of them. One that only an old scan has read is a site that did not answer; one
// that every scan left to another is known by name.
func (m *merger) sites() {
	have := map[string]bool{}
	for _, p := range m.fresh {
		for _, site := range p.s.Sites {
			if p.read[inventory.SiteSource(site.Name)] {
				m.s.Sites = append(m.s.Sites, site)
				have[site.Name] = true
			}
		}
		m.s.VMs = append(m.s.VMs, p.s.VMs...)
		m.s.Tasks = append(m.s.Tasks, p.s.Tasks...)
		for _, c := range p.s.Coverage {
			if isSite(c.Source) && p.read[c.Source] {
				m.s.Coverage = append(m.s.Coverage, c)
				have[strings.TrimPrefix(c.Source, inventory.SiteSource(""))] = true
			}
		}
	}
	m.probes()
	for _, p := range m.stale {
		for i := range p.s.Sites {
			source := inventory.SiteSource(p.s.Sites[i].Name)
			if p.read[source] && !have[p.s.Sites[i].Name] {
				m.unreadSite(&p.s.Sites[i], m.late(p, source, inventory.ScopeGuests))
				have[p.s.Sites[i].Name] = true
			}
		}
	}
	for _, p := range append(m.fresh, m.stale...) {
		for i := range p.s.Sites {
			if name := p.s.Sites[i].Name; !have[name] {
				m.unreadSite(&p.s.Sites[i], inventory.LeaveOut(inventory.SiteSource(name), inventory.ScopeGuests))
				have[name] = true
			}
		}
	}
}

func isSite(source string) bool { return strings.HasPrefix(source, inventory.SiteSource("")) }

func isCluster(source string) bool { return strings.HasPrefix(source, inventory.ClusterSource("")) }

func (m *merger) unreadSite(site *inventory.Site, c inventory.Coverage) {
	m.s.Sites = append(m.s.Sites, unreadSite(site.Name, site.ClusterName, site.URL, site.Regions, c.Reason))
	m.s.Coverage = append(m.s.Coverage, c)
}

// unreadSite is a site of which no more is known than what it is called.
func unreadSite(name, cluster, url string, regions []string, reason string) inventory.Site {
	return inventory.Site{Name: name, ClusterName: cluster, URL: url, Regions: regions,
		Visibility: inventory.Visibility{Reasons: []string{reason}}}
}

// probes takes each answer once: two scans may have asked for one VMID, and one that says something is better.
func (m *merger) probes() {
	at := map[inventory.Key]int{}
	for _, p := range m.fresh {
		for _, pr := range p.s.Probes {
			k := inventory.Key{Site: pr.Site, VMID: pr.VMID}
			i, known := at[k]
			switch {
			case !known:
				at[k] = len(m.s.Probes)
				m.s.Probes = append(m.s.Probes, pr)
			case m.s.Probes[i].Existence == inventory.ExistenceUnknown:
				m.s.Probes[i] = pr
			}
		}
	}
}
