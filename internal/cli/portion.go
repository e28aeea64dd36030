package cli

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
	"github.com/proxaudit/proxaudit/render"
)

// portion is what one scan reads of a fleet that is configured in one file. What it leaves to others is in the snapshot as
// not read.
type portion struct {
	sites []string
	// rest is the management cluster, and the clusters of no site.
	rest bool
}

func portionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "site", Category: catCommand, Usage: "read this `SITE` of the configuration only, and the clusters " +
			"whose clusters[].site it is; repeatable"},
		&cli.BoolFlag{Name: "rest", Category: catCommand, Usage: "read the management cluster and the clusters of no site only"},
		&cli.StringFlag{Name: "site-index", Category: catCommand, Usage: "read the site with this `NUMBER` in the configuration, from 0; " +
			"the number of sites stands for --rest (for an Indexed Job)"},
		&cli.StringSliceFlag{Name: "probe-from", Category: catCommand, Usage: "ask also for the VMIDs that the Machines and Nodes of this " +
			"snapshot `FILE` or folder name; repeatable. One that is not there yet is no error"},
		&cli.StringFlag{Name: "into", Category: catCommand, Usage: "write the snapshot into this `FOLDER`, compressed and named after what it " +
			"has: site-SITE.json.zst, rest.json.zst, fleet.json.zst"},
	}
}

// dividesFleet is true if the flags ask for a portion.
func dividesFleet(c *cli.Context) bool {
	return c.IsSet("site") || c.IsSet("rest") || c.IsSet("site-index")
}

// file is the name of a portion's snapshot in a folder that the scans of one fleet share: by it the next night's replaces
// it, whichever Pod writes it. Sites are called after letters and digits, and nothing that leads out of a folder.
func (o *portion) file() string {
	switch {
	case o == nil:
		return "fleet.json.zst"
	case len(o.sites) == 0:
		return "rest.json.zst"
	}
	names := slices.Clone(o.sites)
	slices.Sort(names)
	if o.rest {
		names = append(names, "rest")
	}
	return "site-" + strings.Join(slices.Compact(names), "+") + ".json.zst"
}

// into is the target that --into names; nil without it.
func into(c *cli.Context, o *portion) (*target, error) {
	folder := c.String("into")
	if folder == "" {
		return nil, nil //nolint:nilnil // no flag is no target
	}
	if !isFolder(folder) {
		return nil, usagef("--into %s: there is no such folder", folder)
	}
	f, err := render.Lookup("json")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, o.file())
	if isFolder(path) {
		return nil, usagef("--into %s: %s is a folder there", folder, o.file())
	}
	return &target{format: f, path: path}, nil
}

// readPortion is nil for a scan of everything.
func readPortion(c *cli.Context, cfg *config.Config) (*portion, error) {
	given := &portion{sites: c.StringSlice("site"), rest: c.Bool("rest")}
	index := c.String("site-index")
	if len(given.sites) == 0 && !given.rest && index == "" {
		return nil, nil //nolint:nilnil // everything is no portion
	}
	var names []string
	for i := range cfg.Sites {
		names = append(names, cfg.Sites[i].Name)
	}
	if len(names) == 0 || slices.Contains(names, "") {
		return nil, usagef("--site, --site-index and --rest divide the sites of a configuration").
			hint("Write them into %s (sites[]), each with a name.", config.FileName)
	}
	if index != "" {
		n, err := strconv.Atoi(index)
		switch {
		case len(given.sites) > 0 || given.rest:
			return nil, usagef("--site-index and --site or --rest say the same in two ways: give one")
		case err != nil || n < 0 || n > len(names):
			return nil, usagef("--site-index: want a number from 0 to %d, and this is %q", len(names), index).
				hint("0 to %d are the sites of the configuration (%s), %d is the management cluster with the clusters of no site.",
					len(names)-1, join(names), len(names))
		case n == len(names):
			return &portion{rest: true}, nil
		}
		return &portion{sites: names[n : n+1]}, nil
	}
	return given, known("site", given.sites, names)
}

// take cuts a plan down to the portion.
func (o *portion) take(p *collect.Plan, s *settings) error {
	if o == nil {
		return nil
	}
	if !o.rest && (s.kubeconfig != "" || s.context != "" || s.allNamespaces || len(s.namespaces) > 0) {
		return usagef("--kubeconfig, --context, --namespace and --all-namespaces are about the management cluster, which --site leaves out").
			hint("--rest reads it.")
	}
	all := p.Sites
	p.Sites = nil
	for _, site := range all {
		if slices.Contains(o.sites, site.Site) {
			p.Sites = append(p.Sites, site)
		} else {
			p.LeftOut.Sites = append(p.LeftOut.Sites, collect.LeftOutSite{Name: site.Site, URL: site.URL, Regions: site.Regions})
		}
	}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		// Without access of its own it can be read by way of the management cluster only.
		if own := w.Site != "" && w.Target != nil; own && slices.Contains(o.sites, w.Site) || !own && o.rest {
			continue
		}
		w.Target, w.ReadSecret, w.LeftOut = nil, false, true
	}
	if !o.rest && p.Management != nil {
		p.Management, p.ManagementIfServed, p.ReadSecrets, p.LeftOut.Management = nil, false, false, true
	}
	return nil
}

// readOthers reads the files of --probe-from. They are questions and prove nothing, so that neither their age nor what is
// missing in them matters.
func (r *run) readOthers(paths []string) {
	for _, path := range paths {
		files, err := snapfile.ReadFiles([]string{path})
		if err != nil {
			r.verbosef("--probe-from: %v", err)
			continue
		}
		for _, f := range files {
			if f.Err != nil {
				r.verbosef("--probe-from: snapshot %s: %v", f.Name, f.Err)
				continue
			}
			if r.others == nil {
				r.others = f.Snapshot
				continue
			}
			r.others.Append(f.Snapshot)
		}
	}
}
