package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func orphansCommand(env *Env) *cli.Command {
	own := append([]cli.Flag{
		&cli.BoolFlag{Name: "all", Category: catCommand, Usage: "list the classes that are no findings as well, as a --class that names one does"},
	}, append(filterFlags(), ignoreFlags()...)...)
	return command(env, &cli.Command{
		Name:  "orphans",
		Usage: "list VMs, Machines and Nodes that do not belong together",
		Description: `Examples:
  proxaudit orphans
  proxaudit orphans -o wide --cluster prod
  proxaudit orphans -o table -o json=orphans.json --fail-on critical
  proxaudit orphans --from monday.json.zst`,
	}, own, func(c *cli.Context, r *run) error {
		f, err := readFilter(c)
		if err != nil {
			return err
		}
		return r.analyse(c, func(snap *inventory.Snapshot, s *settings) (*render.Document, *Verdict, error) {
			if err := r.checkFilter(f, snap); err != nil {
				return nil, nil, err
			}
			opt := s.options()
			// A class that is no finding is listed with --all only, and who names it wants to see it.
			opt.All = c.Bool("all") || slices.ContainsFunc(f.Classes, func(cl identity.Class) bool { return !cl.IsFinding() })
			report := f.Orphans(audit.Orphans(snap, opt))
			doc := render.Orphans(report)
			showIgnored(c, &doc, &report.Ignores)
			return &doc, s.verdict(&report.Summary, report.Coverage), nil
		})
	})
}

// argNames are the arguments that a command wants: its ArgsUsage, which is one word or none.
func argNames(c *cli.Context) []string {
	if c.Command.ArgsUsage == "" {
		return nil
	}
	return []string{c.Command.ArgsUsage}
}

// verdict is what a report means for the exit code.
func (s *settings) verdict(sum *audit.Summary, coverage []inventory.Coverage) *Verdict {
	v := &Verdict{Findings: s.failing(sum.Severities), FailOn: s.failOn}
	if sum.Incomplete {
		v.Unknown = sum.NoVerdict
		v.Gaps, v.Coverage = gaps(coverage), coverage
	}
	return v
}

func gaps(coverage []inventory.Coverage) int {
	n := 0
	for _, c := range coverage {
		if c.Missing() {
			n++
		}
	}
	return n
}
