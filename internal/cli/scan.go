package cli

import (
	"bufio"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

func scanCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "scan",
		Usage: "read all sources and write the snapshot, for --from",
		Description: `The snapshot is JSON, the one format that -o takes here, and compressed (zstd)
where the file ends in .zst. It holds no secrets. Several scans can divide a
fleet (--site, --rest), and --from puts their files together.

Examples:
  proxaudit scan -o json=monday.json.zst
  proxaudit scan | ssh other-host proxaudit orphans --from -
  proxaudit scan --site edge --into snapshots
  proxaudit scan --rest --into snapshots`,
	}, portionFlags(), func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		s, err := readSettings(c, r.env)
		if err != nil {
			return err
		}
		if s.portion, err = readPortion(c, s.cfg); err != nil {
			return err
		}
		if s.portion != nil {
			if err := s.cfg.ResolveSites(s.portion.sites, r.env.Getenv); err != nil {
				return err
			}
		}
		targets, err := scanTargets(c, r.env, s.portion)
		if err != nil {
			return err
		}
		r.readOthers(c.StringSlice("probe-from"))
		if err := overConfiguration(targets, s, r.env.Getenv); err != nil {
			return err
		}
		snap, err := r.collect(c.Context, s)
		if err != nil {
			return err
		}
		for _, t := range targets {
			if err := r.writeSnapshot(t.path, snap); err != nil {
				return err
			}
		}
		// What the scan was told to leave to others is no gap of this one.
		own := slices.DeleteFunc(slices.Clone(snap.Coverage), inventory.Coverage.LeftOut)
		r.sayGaps(targets, own)
		return (&Verdict{FailOn: s.failOn, Gaps: gaps(own)}).orNil()
	})
}

// scanTargets are the files of -o and of --into; standard output without either.
func scanTargets(c *cli.Context, env *Env, o *portion) ([]target, error) {
	extra, err := into(c, o)
	if err != nil {
		return nil, err
	}
	if extra != nil && !c.IsSet("output") {
		return []target{*extra}, nil
	}
	targets, err := outputs(c, "json", env.Getenv)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if t.format.Name != "json" {
			return nil, usagef("-o %s: a snapshot is written as json only", t.format.Name)
		}
	}
	if extra != nil {
		targets = append(targets, *extra)
	}
	return targets, nil
}

// writeSnapshot streams: a large fleet's snapshot has hundreds of megabytes.
func (r *run) writeSnapshot(path string, snap *inventory.Snapshot) error {
	if path == "" {
		return r.printSnapshot(snap)
	}
	if err := snapfile.WriteFile(path, snap); err != nil {
		return err
	}
	r.verbosef("wrote %s", path)
	return nil
}

func (r *run) printSnapshot(snap *inventory.Snapshot) error {
	w := bufio.NewWriterSize(r.stdout(), 1<<16)
	if err := snapfile.Write(w, snap); err != nil {
		return stdoutError(err)
	}
	return stdoutError(w.Flush())
}
