package cli

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func explainCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:      "explain",
		Usage:     "show all evidence about one machine, for and against",
		ArgsUsage: "SUBJECT",
		Description: `SUBJECT is vm/SITE/VMID, machine/NAMESPACE/NAME, proxmoxmachine/NAMESPACE/NAME
or node/CLUSTER/NAME: what -o name prints.

Examples:
  proxaudit explain vm/lab/105
  proxaudit explain -o json node/prod/prod-w-3`,
	}, nil, func(c *cli.Context, r *run) error {
		args, err := positionals(c, argNames(c)...)
		if err != nil {
			return err
		}
		sub, err := inventory.ParseSubject(args[0])
		if err != nil {
			return usagef("%v", err)
		}
		if sub.Kind == inventory.SubjectCluster {
			return usagef("explain is about one machine, and %s is a cluster", sub).
				hint("proxaudit inventory --cluster %s lists its machines.", sub.Name)
		}
		return r.analyse(c, func(snap *inventory.Snapshot, s *settings) (*render.Document, *Verdict, error) {
			x, err := audit.Explain(snap, sub, s.options())
			var missing *audit.NotFoundError
			if errors.As(err, &missing) && missing.Incomplete {
				// It may be there and not have been seen: that is no error of the person who asks.
				Say(r.env.Stderr, err.Error())
				if sub.Kind == inventory.SubjectVM && !slices.ContainsFunc(snap.Sites, func(s inventory.Site) bool { return s.Name == sub.Scope }) {
					r.sayNameless(sub.Scope, snap)
				}
				return nil, &Verdict{Gaps: gaps(snap.Coverage), Coverage: snap.Coverage}, nil
			}
			if err != nil {
				return nil, nil, err
			}
			doc := render.Explain(x)
			return &doc, s.explained(x), nil
		})
	})
}

// explained is about one machine: other machines' findings and gaps are none of its business.
func (s *settings) explained(x *audit.Explanation) *Verdict {
	v := &Verdict{FailOn: s.failOn, Gaps: len(x.Missing), Coverage: x.Coverage}
	if len(x.Missing) > 0 {
		v.Unknown = 1
	}
	if f := x.Finding; f != nil && x.Item.Class.IsFinding() && f.Severity.Rank() <= s.failOn.Rank() {
		v.Findings = 1
	}
	return v
}
