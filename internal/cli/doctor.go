package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func doctorCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "doctor",
		Usage: "check access to every source, and say what to do",
		Description: `Checks reachability, TLS, the token's shape and permissions, and the API groups.
A failed check counts as critical for --fail-on, a warning as warning.`,
	}, nil, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		if c.IsSet("from") {
			return usagef("doctor asks the servers, and --from asks none")
		}
		targets, err := outputs(c, "table")
		if err != nil {
			return err
		}
		s, err := readSettings(c, r.env)
		if err != nil {
			return err
		}
		p, err := r.plan(s)
		if err != nil {
			return err
		}
		checks := r.env.Deps.Doctor(c.Context, *p)
		if c.Err() != nil {
			return ErrInterrupted
		}
		report := doctorReport(s, checks)
		if err := r.write(targets, render.Doctor(report)); err != nil {
			return err
		}
		found := map[audit.Severity]int{audit.Critical: report.Summary.Failed, audit.Warning: report.Summary.Warnings}
		return (&Verdict{Findings: s.failing(found), FailOn: s.failOn}).orNil()
	})
}

func doctorReport(s *settings, checks []inventory.Check) *audit.DoctorReport {
	r := &audit.DoctorReport{
		Envelope: audit.Envelope{FormatVersion: audit.FormatVersion, Kind: audit.KindDoctorReport, GeneratedAt: s.now,
			Coverage: []inventory.Coverage{}, Requests: []inventory.Requests{}},
		Checks: append([]inventory.Check{}, checks...),
	}
	for _, c := range checks {
		switch c.Status {
		case inventory.CheckOK:
			r.Summary.OK++
		case inventory.CheckWarning:
			r.Summary.Warnings++
		case inventory.CheckFailed:
			r.Summary.Failed++
		default:
			r.Summary.Skipped++
		}
	}
	return r
}
