package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

// result is what a command makes of a Snapshot.
type result struct {
	// doc is written if there is one.
	doc     *render.Document
	verdict *Verdict
	// silent is a result of which only the exit code and the files tell.
	silent bool
	// after is done once all is written; it may be nil.
	after func() error
}

// analyse is what the commands share that start from a Snapshot: settings, data, result, output. What do returns is
// written if there is a document.
func (r *run) analyse(c *cli.Context, do func(*inventory.Snapshot, *settings) (*render.Document, *Verdict, error)) error {
	return r.conduct(c, func(snap *inventory.Snapshot, s *settings) (*result, error) {
		doc, verdict, err := do(snap, s)
		return &result{doc: doc, verdict: verdict}, err
	})
}

// conduct is analyse for a command that has more to say of its result.
func (r *run) conduct(c *cli.Context, do func(*inventory.Snapshot, *settings) (*result, error)) error {
	if _, err := positionals(c, argNames(c)...); err != nil {
		return err
	}
	targets, err := outputs(c, "table", r.env.Getenv)
	if err != nil {
		return err
	}
	s, err := readSettings(c, r.env)
	if err != nil {
		return err
	}
	if err := overConfiguration(targets, s, r.env.Getenv); err != nil {
		return err
	}
	snap, err := r.snapshot(c.Context, s)
	if err != nil {
		return err
	}
	res, err := do(snap, s)
	if err := interrupted(c.Context, err); err != nil {
		return err
	}
	if res.silent {
		r.quiet = true
		targets = slices.DeleteFunc(targets, func(t target) bool { return t.path == "" })
	}
	if res.doc != nil {
		if err := r.write(targets, *res.doc); err != nil {
			return err
		}
	}
	if res.verdict.Incomplete() {
		if res.doc == nil {
			// There is no result that could show it.
			targets = nil
		}
		r.sayGaps(targets, res.verdict.Coverage)
	}
	if res.after != nil {
		if err := interrupted(c.Context, res.after()); err != nil {
			return err
		}
	}
	return res.verdict.orNil()
}
