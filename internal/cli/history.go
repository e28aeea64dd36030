package cli

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	record "github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/internal/history"
	"github.com/proxaudit/proxaudit/render"
)

func historyCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "history",
		Usage: "list the runs that report has kept, or the life of one finding",
		Description: `Examples:
  proxaudit history --history history.db
  proxaudit history --history history.db --fingerprint 1c7945bc`,
	}, []cli.Flag{
		&cli.StringFlag{Name: "history", Category: catCommand, Usage: "`FILE` that proxaudit report --history keeps"},
		&cli.StringFlag{Name: "fingerprint", Category: catCommand, Usage: "`FINGERPRINT` of a finding (-o wide and json show it), or its beginning"},
		&cli.IntFlag{Name: "limit", Category: catCommand, Usage: "list the newest `N` runs", Value: 30},
	}, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		path := c.String("history")
		if path == "" {
			return usagef("which history? --history FILE is missing")
		}
		if c.Int("limit") < 1 {
			return usagef("--limit wants a number from 1")
		}
		targets, err := outputs(c, "table", r.env.Getenv)
		if err != nil {
			return err
		}
		store, err := history.Existing(c.Context, path)
		if err != nil {
			return interrupted(c.Context, err)
		}
		doc, err := historyOf(c, store)
		if err = errors.Join(err, store.Close()); err != nil {
			return interrupted(c.Context, err)
		}
		return r.write(targets, *doc)
	})
}

// historyOf is the list of runs, or the life of the finding that was asked for.
func historyOf(c *cli.Context, store *history.Store) (*render.Document, error) {
	asked := strings.ToLower(strings.TrimSpace(c.String("fingerprint")))
	if asked == "" {
		runs, err := store.Runs(c.Context, c.Int("limit"))
		if err != nil {
			return nil, err
		}
		if runs == nil {
			runs = []record.Kept{}
		}
		doc := render.Runs(&audit.HistoryReport{FormatVersion: audit.FormatVersion, Kind: audit.KindHistory, Runs: runs})
		return &doc, nil
	}
	found, events, matches, err := store.Life(c.Context, asked)
	switch {
	case err != nil:
		return nil, err
	case found == nil && len(matches) > 1:
		return nil, usagef("--fingerprint %s: %d findings begin with that", asked, len(matches)).hint("They are %s.", join(matches[:min(len(matches), 10)]))
	case found == nil:
		return nil, usagef("--fingerprint %s: the history has no such finding", asked).hint("proxaudit report -o wide shows the fingerprints.")
	}
	if events == nil {
		events = []record.Event{}
	}
	doc := render.FindingLife(&audit.FindingLife{FormatVersion: audit.FormatVersion, Kind: audit.KindFindingLife, Record: *found, Events: events})
	return &doc, nil
}
