package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/render"
)

// whyWatch looks again and again who a cluster waits for.
type whyWatch struct {
	*run
	settings *settings
	scope    audit.WhyScope
	all      bool
	interval time.Duration
	// said is the last line of each cluster, so that only changes are told where nobody sees a screen.
	said map[string]string
	// seen is true once what is watched was there.
	seen bool
}

// readWhyWatch checks the flags that belong to --watch.
func readWhyWatch(c *cli.Context, r *run, scope audit.WhyScope) (*whyWatch, error) {
	w := &whyWatch{run: r, scope: scope, all: c.Bool("all"), interval: 10 * time.Second, said: map[string]string{}}
	var err error
	if w.settings, err = readSettings(c, r.env); err != nil {
		return nil, err
	}
	if c.IsSet("interval") {
		if w.interval, err = config.ParseDuration(c.String("interval")); err != nil || w.interval < time.Second {
			return nil, usagef("--interval: want a time of a second or more, like 10s")
		}
	}
	if len(w.settings.from) > 0 {
		return nil, usagef("--watch looks at the servers again and again, and --from asks none")
	}
	if c.IsSet("output") {
		return nil, usagef("--watch draws what it sees, and writes no result: leave out -o")
	}
	return w, nil
}

// watch ends when nobody waits any more, or somebody stops it.
func (w *whyWatch) watch(ctx context.Context) error {
	plan, err := w.plan(w.settings)
	if err != nil {
		return err
	}
	for {
		p := *plan
		p.Now = w.env.Now()
		snap, _, err := w.env.Deps.Collect(ctx, p)
		if err := interrupted(ctx, err); err != nil {
			return err
		}
		report, err := audit.Why(snap, w.settings.options(), w.scope)
		if err != nil {
			return w.gone(err)
		}
		w.seen = true
		if err := w.show(report); err != nil {
			return err
		}
		if s := report.Summary; s.Stuck+s.Converging+s.Unknown == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ErrInterrupted
		case <-time.After(w.interval):
		}
	}
}

// gone ends a watch whose cluster or machine is not there: if it was before, that is what a deletion ends with.
func (w *whyWatch) gone(err error) error {
	var none *audit.NoSuchError
	if !w.seen || !errors.As(err, &none) || none.Several {
		return whyError(err)
	}
	_, err = fmt.Fprintf(w.stdout(), "%s %s\n", w.env.Now().UTC().Format(time.RFC3339), render.Visible(none.Kind+" "+none.Name+" is gone"))
	return stdoutError(err)
}

// show redraws a terminal, and appends what changed elsewhere.
func (w *whyWatch) show(report *audit.WhyReport) error {
	if w.env.StdoutTerminal && !w.env.dumbTerminal() {
		if _, err := fmt.Fprint(w.stdout(), "\x1b[H\x1b[2J"); err != nil {
			return stdoutError(err)
		}
		table, err := render.Lookup("table")
		if err != nil {
			return err
		}
		return table.Write(w.stdout(), render.Why(report, w.all), render.Options{Colour: w.colour, Width: w.env.Width, NoHeaders: w.noHeaders})
	}
	for i := range report.Items {
		c := &report.Items[i]
		line := whyLine(c)
		if w.said[c.Key] == line {
			continue
		}
		w.said[c.Key] = line
		if _, err := fmt.Fprintf(w.stdout(), "%s %s\n", report.GeneratedAt.Format(time.RFC3339), render.Visible(line)); err != nil {
			return stdoutError(err)
		}
	}
	return nil
}

// whyLine is a cluster's state without what grows by itself.
func whyLine(c *audit.ClusterProgress) string {
	line := fmt.Sprintf("cluster %s: %s", c.Key, c.State)
	if b := c.Baton; b != nil {
		line += fmt.Sprintf(", %s: waits for %s: %s %s: %s", c.Phase, b.Holder, b.Object.Kind, b.Object.Name, b.Detail)
	}
	for _, n := range c.Missing {
		line += ", not seen: " + n.String()
	}
	return line
}
