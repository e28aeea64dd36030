package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/render"
)

func doctorCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "doctor",
		Usage: "check access to every source, and say what to do",
		Description: `Checks reachability, TLS, the token's shape and permissions, and the API groups.
A failed check counts as critical for --fail-on, a warning as warning.

Examples:
  proxaudit doctor
  proxaudit doctor --fail-on critical -o json`,
	}, nil, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
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
		p, err := r.plan(s)
		if err != nil {
			return err
		}
		checks, requests := r.env.Deps.Doctor(c.Context, *p)
		if c.Err() != nil {
			return ErrInterrupted
		}
		report := audit.Doctor(checks, requests, s.now)
		if err := r.write(targets, render.Doctor(report)); err != nil {
			return err
		}
		return (&Verdict{Findings: s.failing(report.Summary.Severities()), FailOn: s.failOn}).orNil()
	})
}
