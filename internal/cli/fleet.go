package cli

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

// readFiles makes one Snapshot of the files and folders of --from, and puts the configuration's word over it.
func (r *run) readFiles(s *settings) (*inventory.Snapshot, error) {
	files, err := snapfile.ReadFiles(s.from)
	if err != nil {
		return nil, err
	}
	workloads := make([]collect.Workload, 0, len(s.cfg.Clusters))
	for i := range s.cfg.Clusters {
		w := workload(&s.cfg.Clusters[i], s)
		w.Target = nil
		workloads = append(workloads, w)
	}
	snap, err := collect.Merge(scanned(files), collect.MergeOptions{MaxAge: s.maxAge, Workloads: workloads, Logf: r.verbosef})
	if err != nil {
		return nil, err
	}
	if age := r.env.Now().Sub(snap.LastReadAt()); s.within > 0 && age > s.within {
		return nil, usagef("%s: the newest snapshot was collected at %s, and --within allows %s", strings.Join(s.from, ", "),
			snap.LastReadAt().UTC().Format(time.RFC3339), s.within).hint("No scan has run since: look at why.")
	}
	r.verbosef("read %s, collected at %s", strings.Join(s.from, ", "), snap.CollectedAt.UTC().Format(time.RFC3339))
	for _, p := range snap.Parts {
		r.sayPart(&p)
	}
	if len(snap.Parts) > 0 || slices.ContainsFunc(s.from, isFolder) {
		// A folder, or several files, is what a fleet's scans wrote, and the configuration says which they are.
		m := s.cfg.Management
		collect.Expect(snap, leftOutSites(s.cfg.Sites), workloads, m != nil && !m.None)
	}
	if unknown := s.cfg.Apply(snap); len(unknown) > 0 {
		r.warnf("%s names what the snapshot does not have: %s", s.cfg.Path, strings.Join(unknown, ", "))
	}
	return snap, nil
}

func (r *run) sayPart(p *inventory.Part) {
	switch {
	case p.CollectedAt == nil:
		r.verbosef("%s: cannot be read", p.File)
	case p.Stale:
		r.verbosef("%s: collected at %s, which is too old to count", p.File, p.CollectedAt.Format(time.RFC3339))
	default:
		r.verbosef("%s: collected at %s, has %s", p.File, p.CollectedAt.Format(time.RFC3339), strings.Join(p.Sources, ", "))
	}
}

func scanned(files []snapfile.File) []collect.Scanned {
	out := make([]collect.Scanned, 0, len(files))
	for _, f := range files {
		out = append(out, collect.Scanned{Name: f.Name, Snapshot: f.Snapshot, Err: f.Err})
	}
	return out
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return path != "-" && err == nil && st.IsDir()
}

func leftOutSites(sites []config.Site) []collect.LeftOutSite {
	out := make([]collect.LeftOutSite, 0, len(sites))
	for i := range sites {
		out = append(out, collect.LeftOutSite{Name: sites[i].Name, URL: sites[i].URL, Regions: sites[i].Regions})
	}
	return out
}
