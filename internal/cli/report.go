package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	record "github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/internal/history"
	"github.com/proxaudit/proxaudit/internal/notify"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func reportCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "report",
		Usage: "say what is new, what is gone and what is still there since the last run",
		Description: `For every night: the findings of orphans with since when each is there, what was
resolved, what could not be looked at, and whom the clusters wait for. A finding
whose source does not answer is never called resolved.

Examples:
  proxaudit report --history /var/lib/proxaudit/history.db
  proxaudit report --history history.db -o table -o json=report.json
  proxaudit report --history history.db --keep 400d --quiet-unchanged
  proxaudit report --history history.db --notify-url-file webhook.url
  proxaudit report --baseline monday.json`,
	}, append([]cli.Flag{
		&cli.StringFlag{Name: "history", Category: catCommand, Usage: "`FILE` that keeps the runs (SQLite); it is made if there is none"},
		&cli.StringFlag{Name: "keep", Category: catCommand, Usage: "`TIME` for which the history keeps runs and resolved findings, like 400d (default: for ever)"},
		&cli.StringFlag{Name: "baseline", Category: catCommand, Usage: "compare with the JSON `FILE` of an earlier report or orphans, instead of a history"},
		&cli.BoolFlag{Name: "quiet-unchanged", Category: catCommand, Usage: "nothing on standard output if nothing changed (for cron, which mails what it sees)"},
		&cli.StringFlag{Name: "notify-url-file", Category: catCommand, Usage: "post what changed, if something did, to the webhook whose URL this `FILE` has"},
	}, ignoreFlags()...), func(c *cli.Context, r *run) error {
		h := &nightly{run: r, quietUnchanged: c.Bool("quiet-unchanged"), history: c.String("history")}
		if err := h.read(c); err != nil {
			return interrupted(c.Context, err)
		}
		err := h.report(c)
		if h.store != nil {
			if closing := h.store.Close(); closing != nil && (err == nil || isVerdict(err)) {
				return closing
			}
		}
		return err
	})
}

// trendRuns is how many runs a page draws: more than a year of nights.
const trendRuns = 400

// nightly is one report at work.
type nightly struct {
	*run
	history string
	store   *history.Store
	keep    time.Duration
	before  []record.Record
	// runs are the newest that the history has, the oldest first.
	runs           []record.Kept
	since          *audit.Since
	quietUnchanged bool
	// webhook is told what changed; nil for none.
	webhook *notify.Target
}

// read gets what the run is compared with, before any server is asked: a history that cannot be read costs no night.
func (n *nightly) read(c *cli.Context) error {
	baseline := c.String("baseline")
	switch {
	case n.history != "" && baseline != "":
		return usagef("--history and --baseline exclude each other: a run is compared with one of them")
	case c.IsSet("keep") && n.history == "":
		return usagef("--keep says how long a history is kept, and --history is missing")
	case c.IsSet("notify-url-file") && n.history == "" && baseline == "":
		return usagef("--notify-url-file posts what changed, and there is nothing to compare with").hint("Give --history FILE or --baseline FILE.")
	case n.quietUnchanged && n.history == "" && baseline == "":
		return usagef("--quiet-unchanged wants something to compare with").hint("Give --history FILE or --baseline FILE.")
	}
	if err := n.readWebhook(c); err != nil {
		return err
	}
	switch {
	case baseline != "":
		data, err := os.ReadFile(baseline) //nolint:gosec // the path is the user's own
		if err != nil {
			return usagef("--baseline: %v", err)
		}
		before, since, err := audit.ReadBaseline(data)
		if err != nil {
			return usagef("--baseline %s: %v", baseline, err)
		}
		since.Source = baseline
		n.before, n.since = before, &since
	case n.history != "":
		return n.readHistory(c)
	}
	return nil
}

func (n *nightly) readHistory(c *cli.Context) (err error) {
	if v := c.String("keep"); c.IsSet("keep") {
		if n.keep, err = config.ParseDays(v); err != nil || n.keep < 24*time.Hour {
			return usagef("--keep: want a day or more, like 400d")
		}
	}
	if n.store, err = history.Open(c.Context, n.history); err != nil {
		return err
	}
	before, newest, err := n.store.Load(c.Context)
	if err != nil {
		return errors.Join(err, n.store.Close())
	}
	if n.runs, err = n.store.Runs(c.Context, trendRuns); err != nil {
		return errors.Join(err, n.store.Close())
	}
	slices.Reverse(n.runs)
	n.before, n.since = before, &audit.Since{Source: n.history}
	if newest != nil {
		n.since.At, n.since.Run = newest.At, newest.ID
	}
	n.remembered = record.VMs(before)
	return nil
}

func (n *nightly) report(c *cli.Context) error {
	return n.conduct(c, func(snap *inventory.Snapshot, s *settings) (*result, error) {
		report := audit.NewReport(snap, s.options())
		ahead := n.ahead(report)
		switch {
		case ahead != nil:
			report.NotCompared = ahead.Msg
		case n.since != nil:
			report.Compare(n.before, *n.since)
			report.SetTrend(n.runs)
		}
		doc := render.Report(report)
		showIgnored(c, &doc, &report.Ignores)
		v := s.verdict(&report.Summary.Summary, report.Coverage)
		return &result{doc: &doc, verdict: v, silent: n.quietUnchanged && !report.HasNews(),
			after: func() error {
				if ahead != nil {
					return ahead
				}
				added, err := n.keepRun(c.Context, report)
				if !added {
					// What the history could not keep, the next run tells; what it has already, was told.
					return err
				}
				return errors.Join(err, n.tellWebhook(c.Context, report))
			}}, nil
	})
}

// ahead is the error about a run that is older than what it would be compared with. The report of the night is not lost for it: it
// comes without a comparison, and the exit code is the error's.
func (n *nightly) ahead(r *audit.Report) *UsageError {
	if n.since == nil || !r.GeneratedAt.Before(n.since.At) {
		return nil
	}
	return usagef("%s has a run of %s, and this one is of %s: it cannot be compared with what came after it, and is not kept", n.since.Source,
		n.since.At.Format(time.RFC3339), r.GeneratedAt.Format(time.RFC3339)).
		hint("Was a clock wrong, then begin a new history: give another file. proxaudit history lists the runs that this one has.")
}

// keepRun takes the history further once the report is out: a night whose report could not be written is told again. Added is false if
// the history has the run already.
func (n *nightly) keepRun(ctx context.Context, report *audit.Report) (added bool, err error) {
	if n.store == nil {
		return true, nil
	}
	if added, err = n.store.Record(ctx, report.Run(), report.Kept()); err != nil {
		return false, err
	}
	if !added {
		n.verbosef("history %s has this run already", n.history)
	}
	if n.keep > 0 {
		return added, n.store.Prune(ctx, report.GeneratedAt.Add(-n.keep))
	}
	return added, nil
}

func isVerdict(err error) bool {
	var v *Verdict
	return errors.As(err, &v)
}
