package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func inventoryCommand(env *Env) *cli.Command {
	cmd := command(env, &cli.Command{
		Name:  "inventory",
		Usage: "list every machine with what it is called on each side",
		Description: `One row is one machine: its VM, ProxmoxMachine, Machine and Node, as far as they
exist. A list is no audit: findings make the exit code 1 only with --fail-on.

Examples:
  proxaudit inventory -o wide
  proxaudit inventory --class adoptable -o name`,
	}, filterFlags(), func(c *cli.Context, r *run) error {
		f, err := readFilter(c)
		if err != nil {
			return err
		}
		return r.analyse(c, func(snap *inventory.Snapshot, s *settings) (*render.Document, *Verdict, error) {
			if err := r.checkFilter(f, snap); err != nil {
				return nil, nil, err
			}
			report := f.Inventory(audit.Inventory(snap, s.options()))
			v := s.verdict(&report.Summary, report.Coverage)
			if !s.failOnGiven {
				v.Findings = 0
			}
			doc := render.Inventory(report)
			return &doc, v, nil
		})
	})
	if f, ok := findFlag(cmd.Flags, "fail-on").(*cli.StringFlag); ok {
		f.Usage = failOnUsage + " (default: none does)"
	}
	return cmd
}
