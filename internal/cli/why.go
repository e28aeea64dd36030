package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func whyCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "why",
		Usage: "say who a cluster is waiting for, and where to look next",
		Description: `Names the phase that a cluster is in, the controller that has to act there, the
object and condition that say why, and the next commands. Exit 1 if one is
stuck. What is on its way for less than --grace is converging: exit 0.

Examples:
  proxaudit why --cluster prod
  proxaudit why --machine prod-worker-3
  proxaudit why --cluster prod --watch
  proxaudit why --all
  proxaudit why --from monday.json.zst --all -o json`,
	}, []cli.Flag{
		&cli.StringFlag{Name: "cluster", Category: catCommand, Usage: "`NAME` of the cluster, or NAMESPACE/NAME (not needed if there is one)"},
		&cli.StringFlag{Name: "machine", Category: catCommand, Usage: "`NAME` of one Machine, or NAMESPACE/NAME"},
		&cli.StringFlag{Name: "node", Category: catCommand, Usage: "`NAME` of one Node, or CLUSTER/NAME"},
		&cli.BoolFlag{Name: "all", Category: catCommand, Usage: "every cluster, one line each"},
		&cli.BoolFlag{Name: "watch", Category: catCommand, Usage: "look again and again until nobody waits: redraws a terminal, and appends what changed elsewhere"},
		&cli.StringFlag{Name: "interval", Category: catCommand, Usage: "`TIME` between two looks of --watch (default: 10s)"},
	}, func(c *cli.Context, r *run) error {
		scope := audit.WhyScope{Cluster: c.String("cluster"), Machine: c.String("machine"), Node: c.String("node")}
		all := c.Bool("all")
		if err := oneScope(scope, all); err != nil {
			return err
		}
		if c.Bool("watch") {
			if _, err := positionals(c); err != nil {
				return err
			}
			w, err := readWhyWatch(c, r, scope)
			if err != nil {
				return err
			}
			return w.watch(c.Context)
		}
		if c.IsSet("interval") {
			return usagef("--interval says how often --watch looks, and --watch is missing")
		}
		return r.analyse(c, func(snap *inventory.Snapshot, s *settings) (*render.Document, *Verdict, error) {
			report, err := audit.Why(snap, s.options(), scope)
			if err != nil {
				return nil, nil, whyError(err)
			}
			doc := render.Why(report, all)
			return &doc, s.why(report), nil
		})
	})
}

// whyError is the user's error about a name that nothing has.
func whyError(err error) error {
	var none *audit.NoSuchError
	switch {
	case !errors.As(err, &none):
		return err
	case none.Several:
		return usagef("%v", none).hint("Name one of them in full.")
	case none.Kind == "cluster":
		return known("cluster", []string{none.Name}, none.Known)
	default:
		return usagef("%v", none)
	}
}

// oneScope refuses two that contradict each other.
func oneScope(s audit.WhyScope, all bool) error {
	n := 0
	for _, given := range []bool{s.Cluster != "", s.Machine != "", s.Node != "", all} {
		if given {
			n++
		}
	}
	if n > 1 {
		return usagef("--cluster, --machine, --node and --all exclude each other")
	}
	return nil
}

// why is what a report means for the exit code: stuck is a finding, and what moves is none.
func (s *settings) why(r *audit.WhyReport) *Verdict {
	v := &Verdict{Findings: r.Summary.Stuck, FailOn: s.failOn, Text: count(r.Summary.Stuck, "cluster is stuck", "clusters are stuck")}
	if r.Summary.Incomplete {
		v.NoVerdict = "nothing can be said of " + count(r.Summary.Unknown, "cluster", "clusters")
		v.Gaps, v.Coverage = max(1, gaps(r.Coverage)), r.Coverage
	}
	return v
}
