package collect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Scanned is the file of one scan, or what is known of one that could not be read.
type Scanned struct {
	Name     string
	Snapshot *inventory.Snapshot
	Err      error
}

// DefaultMaxAge is how much older than the newest a scan may be. Scans that one schedule starts are minutes apart; what was
// deleted between two of them is there for the one and gone for the other, so that less is better.
const DefaultMaxAge = time.Hour

// MergeOptions say how scans are put together.
type MergeOptions struct {
	// MaxAge is how much older than the newest scan another may be; 0 for any. An older one counts as sources that did not
	// answer: what it has says nothing about tonight.
	MaxAge time.Duration
	// Workloads are the configuration's clusters, for the names of Cluster objects that it gives them.
	Workloads []Workload
	// Logf takes what a person may want to know; nil drops it.
	Logf func(format string, args ...any)
}

// Merge makes one Snapshot of the scans of one fleet, as if one scan had read it all: a cluster that one of them declares
// and another has read is one. What no scan has read is left unread, and a Snapshot of the files says why. The error is
// for scans that are no parts of one fleet: two of the same site, say.
func Merge(scans []Scanned, opt MergeOptions) (*inventory.Snapshot, error) {
	if len(scans) == 1 && scans[0].Err == nil {
		scans[0].Snapshot.Sort()
		return scans[0].Snapshot, nil
	}
	m := &merger{opt: opt, s: &inventory.Snapshot{FormatVersion: inventory.FormatVersion, Coverage: []inventory.Coverage{}}}
	// Which of two names of one cluster is kept must not depend on the order in which files were named.
	scans = slices.Clone(scans)
	slices.SortStableFunc(scans, compareScans)
	if err := m.sort(scans); err != nil {
		return nil, err
	}
	if err := m.once(); err != nil {
		return nil, err
	}
	m.sites()
	if err := sitesDiffer(m.s); err != nil {
		return nil, err
	}
	m.management()
	m.clusters()
	m.rest()
	m.s.Requests = sumRequests(m.s.Requests)
	m.s.Sort()
	return m.s, nil
}

// compareScans orders by name. Of two folders both may have a dc1.json: then by what else there is to tell them by.
func compareScans(a, b Scanned) int {
	if c := cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(reason(a.Err), reason(b.Err))); c != 0 || a.Err != nil {
		return c
	}
	return cmp.Or(a.Snapshot.CollectedAt.Compare(b.Snapshot.CollectedAt),
		slices.Compare(sources(newPart(a).read), sources(newPart(b).read)), cmp.Compare(a.Snapshot.ToolVersion, b.Snapshot.ToolVersion))
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// merger is one merging at work.
type merger struct {
	opt MergeOptions
	s   *inventory.Snapshot
	// fresh are the scans that count, stale those that are too old.
	fresh, stale []*part
}

// part is one scan with what it has read itself.
type part struct {
	name string
	s    *inventory.Snapshot
	// read has the sources that it has asked, whatever came back. What it only knows of is not among them.
	read map[string]bool
}

func newPart(sc Scanned) *part {
	p := &part{name: sc.Name, s: sc.Snapshot, read: map[string]bool{}}
	for i := range p.s.Sites {
		p.note(inventory.SiteSource(p.s.Sites[i].Name), inventory.ScopeGuests)
	}
	for i := range p.s.VMs {
		p.read[inventory.SiteSource(p.s.VMs[i].Site)] = true
	}
	for i := range p.s.Nodes {
		p.read[inventory.ClusterSource(p.s.Nodes[i].Cluster)] = true
	}
	if p.s.Management != nil {
		p.note(inventory.ManagementSource, inventory.ScopeClusters)
	}
	for _, c := range p.s.Coverage {
		// A cluster that could not be reached, and a site without a name, have no more than this.
		if c.State != inventory.NotAsked && (c.Scope == inventory.ScopeNodes || c.Scope == inventory.ScopeGuests) {
			p.read[c.Source] = true
		}
	}
	return p
}

// note takes a source as read unless its main list was never asked for.
func (p *part) note(source, scope string) {
	if c := p.s.CoverageOf(source, scope); c == nil || c.State != inventory.NotAsked {
		p.read[source] = true
	}
}

// sort tells the scans that count from those that are too old or could not be read.
func (m *merger) sort(scans []Scanned) error {
	var newest time.Time
	var failed []error
	for _, sc := range scans {
		if sc.Err != nil {
			failed = append(failed, fmt.Errorf("snapshot %s: %w", sc.Name, sc.Err))
		} else if sc.Snapshot.CollectedAt.After(newest) {
			newest = sc.Snapshot.CollectedAt
		}
	}
	if len(failed) == len(scans) {
		return fmt.Errorf("none of the %d snapshots can be read (is it the right folder?):\n%w", len(failed), errors.Join(failed...))
	}
	for _, sc := range scans {
		if sc.Err != nil {
			m.s.Parts = append(m.s.Parts, inventory.Part{File: sc.Name})
			m.s.Coverage = append(m.s.Coverage, inventory.Coverage{Source: inventory.FileSource(sc.Name), Scope: inventory.ScopeSnapshot,
				State: inventory.Failed, Asked: 1, Failed: 1, Reason: "the file cannot be read: " + sc.Err.Error(),
				Remedy: "look at why its scan did not end, and scan again; a file that is none of the fleet's does not belong in the folder"})
			continue
		}
		p := newPart(sc)
		at := sc.Snapshot.CollectedAt.UTC()
		old := m.opt.MaxAge > 0 && newest.Sub(at) > m.opt.MaxAge
		m.s.Parts = append(m.s.Parts, inventory.Part{File: sc.Name, CollectedAt: &at, ToolVersion: sc.Snapshot.ToolVersion,
			Sources: sources(p.read), Stale: old})
		if old {
			m.stale = append(m.stale, p)
			continue
		}
		m.fresh = append(m.fresh, p)
		// The earliest counts: what was made since was not there for all of them, and is young by it.
		if m.s.CollectedAt.IsZero() || at.Before(m.s.CollectedAt) {
			m.s.CollectedAt = at
		}
		if len(m.fresh) == 1 {
			m.s.ToolVersion = sc.Snapshot.ToolVersion
		} else if m.s.ToolVersion != sc.Snapshot.ToolVersion {
			m.s.ToolVersion = ""
		}
	}
	return nil
}

func sources(read map[string]bool) []string {
	out := make([]string, 0, len(read))
	for s := range read {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// once refuses what two scans have read: two views of one thing at two moments would make conflicts of what is one machine.
func (m *merger) once() error {
	from := map[string]*part{}
	for _, p := range m.fresh {
		if err := p.twice(); err != nil {
			return err
		}
		for _, source := range sources(p.read) {
			first := from[source]
			switch {
			case first == nil:
				from[source] = p
			case source == inventory.ManagementSource:
				return fmt.Errorf("a management cluster is in %s and in %s: read it in one scan (proxaudit scan --rest) and leave it out of the others "+
					"(--site NAME), and give each site and cluster once", first.name, p.name)
			case first.isSelf(source) != p.isSelf(source):
				// A context of the management cluster that is called like another cluster: see selfKey.
			default:
				return fmt.Errorf("%s is in %s and in %s: give each site and cluster once (proxaudit scan --site reads the clusters whose "+
					"clusters[].site it is, and scan --rest those of no site)", strings.Replace(source, "/", " ", 1), first.name, p.name)
			}
		}
	}
	return nil
}

// isSelf is true for the source of the management cluster's own Nodes.
func (p *part) isSelf(source string) bool {
	return p.s.Management != nil && p.s.Management.ClusterName != "" && inventory.ClusterSource(p.s.Management.ClusterName) == source
}

// twice finds what stands twice in one file.
func (p *part) twice() error {
	seen := map[string]bool{}
	for i := range p.s.Sites {
		name := inventory.SiteSource(p.s.Sites[i].Name)
		if seen[name] {
			return fmt.Errorf("site %s occurs twice in %s: it was not written by proxaudit scan", p.s.Sites[i].Name, p.name)
		}
		seen[name] = true
	}
	for i := range p.s.Clusters {
		name := inventory.ClusterSource(p.s.Clusters[i].Key)
		if seen[name] {
			return fmt.Errorf("cluster %s occurs twice in %s: it was not written by proxaudit scan", p.s.Clusters[i].Key, p.name)
		}
		seen[name] = true
	}
	return nil
}

// readBy is the scan that has read a source, or nil.
func readBy(parts []*part, source string) *part {
	for _, p := range parts {
		if p.read[source] {
			return p
		}
	}
	return nil
}

// late is the entry of a source whose scan is too old.
func (m *merger) late(p *part, source, scope string) inventory.Coverage {
	behind := m.s.LastReadAt().Sub(p.s.CollectedAt)
	return inventory.Coverage{Source: source, Scope: scope, State: inventory.Failed, Asked: 1, Failed: 1,
		Reason: fmt.Sprintf("%s was collected %s before the newest of the others: its scan did not run since, and nothing in it counts", p.name, spell(behind)),
		Remedy: "look at why its scan did not run; --max-age TIME says how much older a file may be (0: any)"}
}

// spell is a duration in hours and minutes.
func spell(d time.Duration) string {
	switch h := int(d / time.Hour); {
	case h >= 48:
		return fmt.Sprintf("%d days", h/24)
	case d < time.Minute:
		return d.Round(time.Second).String()
	default:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
}
