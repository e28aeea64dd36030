package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	record "github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/ignore"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/internal/history"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/render"
)

func ignoreCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "ignore", Usage: "add a rule that hides a finding, or list the rules", HideHelpCommand: true,
		ArgsUsage: "add|list",
		Description: `The rules are in a file that orphans and report read. Each has a reason, an owner
and an end, and hides what it names until then.

Examples:
  proxaudit ignore add --fingerprint 1c7945bc --from monday.json --reason "spare host" --owner storage --expires 2027-01-31
  proxaudit ignore list --from monday.json
  proxaudit ignore add --help`,
		Subcommands:  []*cli.Command{ignoreAddCommand(env), ignoreListCommand(env)},
		BashComplete: func(c *cli.Context) { words(c.App.Writer, "add", "list") },
		OnUsageError: onUsageError,
		Action: func(c *cli.Context) error {
			u := usagef("ignore what? add writes a rule, list shows them")
			if c.Args().Present() {
				u = usagef("there is no command %q", "ignore "+c.Args().First())
			}
			return u.hint("Write %[1]s add or %[1]s list; each has --help.", c.Command.HelpName)
		},
	}
}

func ignoreAddCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "add",
		Usage: "write a rule that hides one finding",
		Description: `With --from, --history or --report the rule says what it is about, and the
beginning of a fingerprint is enough. The rest of the file stays as it is.

Examples:
  proxaudit ignore add --fingerprint 1c7945bc --history history.db --reason "spare host" --owner storage --expires 2027-01-31
  proxaudit ignore add --fingerprint 1c7945bc --report report.json --reason "migration, JIRA-12" --owner lab --expires never`,
	}, []cli.Flag{
		&cli.StringFlag{Name: "fingerprint", Category: catCommand, Usage: "`FINGERPRINT` of the finding (-o wide and json show it)"},
		&cli.StringFlag{Name: "reason", Category: catCommand, Usage: "`TEXT` that says why it is left alone"},
		&cli.StringFlag{Name: "owner", Category: catCommand, Usage: "`WHO` is asked when the rule expires"},
		&cli.StringFlag{Name: "expires", Category: catCommand, Usage: "last `DAY` of the rule, like 2027-01-31; a time in RFC 3339; or never"},
		&cli.StringFlag{Name: "ignore", Category: catCommand, Usage: "`FILE` of ignore rules, which is made if there is none; else that of the configuration (ignore)"},
		&cli.StringFlag{Name: "history", Category: catCommand, Usage: "look the finding up in the `FILE` that proxaudit report --history keeps"},
		&cli.StringFlag{Name: "report", Category: catCommand, Usage: "look the finding up in the JSON `FILE` of a report or orphans"},
	}, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		rule, err := ruleAsked(c, r.env.Now())
		if err != nil {
			return err
		}
		path, err := rulesPath(c, r.env)
		if err != nil {
			return err
		}
		found, known, err := lookUp(c, r)
		if err != nil {
			return interrupted(c.Context, err)
		}
		about := ""
		if known {
			f, err := oneFinding(found, rule.Fingerprint)
			if err != nil {
				return err
			}
			rule.Fingerprint, rule.Rule, rule.Subject = f.Fingerprint, f.Rule, f.Subject
			about = strings.TrimSpace(f.Class + " " + f.Name + ": " + f.Title)
		} else {
			r.warnf("nobody has looked whether there is such a finding: --from, --history or --report would")
		}
		if _, bad := ignore.New(path, []ignore.Rule{*rule}); len(bad) > 0 {
			return usagef("--%s %s", bad[0].Field, bad[0].Msg)
		}
		line, err := config.AddIgnore(path, *rule, about)
		if errors.Is(err, config.ErrIgnored) {
			return usagef("%v", err).hint("Change its expires there.")
		}
		if err != nil {
			return err
		}
		if !r.quiet {
			r.tell(fmt.Sprintf("%s:%d hides it until %s", path, line, rule.Expires))
		}
		return nil
	})
}

// ruleAsked is what the flags say, as far as that can be checked without looking anywhere.
func ruleAsked(c *cli.Context, now time.Time) (*ignore.Rule, error) {
	for _, name := range []string{"fingerprint", "reason", "owner", "expires"} {
		if c.String(name) == "" {
			return nil, usagef("--%s is missing", name).hint("A rule has a fingerprint, a reason, an owner and an end: see %s --help.", c.Command.HelpName)
		}
	}
	r := &ignore.Rule{Fingerprint: strings.ToLower(strings.TrimSpace(c.String("fingerprint"))), Reason: c.String("reason"), Owner: c.String("owner"), Expires: c.String("expires")}
	end, err := ignore.End(r.Expires)
	switch {
	case err != nil:
		return nil, usagef("--expires: %v", err)
	case !end.IsZero() && !now.Before(end):
		return nil, usagef("--expires: %s is over", r.Expires)
	case strings.Trim(r.Fingerprint, "0123456789abcdef") != "":
		return nil, usagef("--fingerprint: want hexadecimal digits").hint("proxaudit report -o wide shows the fingerprints.")
	}
	return r, nil
}

// rulesPath is the file that --ignore or the configuration names.
func rulesPath(c *cli.Context, env *Env) (string, error) {
	if path := c.String("ignore"); path != "" {
		return path, nil
	}
	cfg, err := config.Load(c.String("config"), config.ForRules, env.Getenv)
	if err != nil {
		return "", err
	}
	if cfg.Ignore == "" {
		return "", usagef("which file of ignore rules? --ignore FILE is missing, and no configuration names one (ignore)")
	}
	return cfg.Ignore, nil
}

// lookUp reads the findings of the one source that the flags name; known is false if they name none.
func lookUp(c *cli.Context, r *run) (found []record.Finding, known bool, err error) {
	var given []string
	for _, name := range []string{"from", "history", "report"} {
		if c.IsSet(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return nil, false, usagef("%s exclude each other: a finding is looked up in one place", strings.Join(given, " and "))
	}
	records := func(list []record.Record) {
		for i := range list {
			found = append(found, list[i].Finding)
		}
	}
	switch {
	case c.IsSet("from"):
		snap, err := r.given(c)
		if err != nil {
			return nil, true, err
		}
		return audit.NewReport(snap, audit.Options{}).Run().Findings, true, nil
	case c.IsSet("history"):
		store, err := history.Existing(c.Context, c.String("history"))
		if err != nil {
			return nil, true, err
		}
		list, _, err := store.Load(c.Context)
		if err = errors.Join(err, store.Close()); err != nil {
			return nil, true, err
		}
		records(list)
		return found, true, nil
	case c.IsSet("report"):
		data, err := os.ReadFile(c.String("report"))
		if err != nil {
			return nil, true, usagef("--report: %v", err)
		}
		list, _, err := audit.ReadBaseline(data)
		if err != nil {
			return nil, true, usagef("--report %s: %v", c.String("report"), err)
		}
		records(list)
		return found, true, nil
	}
	return nil, false, nil
}

// given is the Snapshot that --from names, under the configuration.
func (r *run) given(c *cli.Context) (*inventory.Snapshot, error) {
	s, err := readSettings(c, r.env)
	if err != nil {
		return nil, err
	}
	return r.readFiles(s)
}

// oneFinding is the one whose fingerprint begins so.
func oneFinding(found []record.Finding, begins string) (*record.Finding, error) {
	var of []string
	var one *record.Finding
	for i := range found {
		if strings.HasPrefix(found[i].Fingerprint, begins) {
			one, of = &found[i], append(of, found[i].Fingerprint)
		}
	}
	slices.Sort(of)
	switch {
	case one == nil:
		return nil, usagef("--fingerprint %s: there is no such finding", begins).hint("proxaudit report -o wide shows the fingerprints.")
	case len(of) > 1:
		return nil, usagef("--fingerprint %s: %d findings begin with that", begins, len(of)).hint("They are %s.", join(of[:min(len(of), 10)]))
	}
	return one, nil
}

func ignoreListCommand(env *Env) *cli.Command {
	return command(env, &cli.Command{
		Name:  "list",
		Usage: "show the rules, and which of them are expired or not needed",
		Description: `With --from it says how many findings of the snapshot each is about. It asks no
server.

Examples:
  proxaudit ignore list --ignore ignore.yaml
  proxaudit ignore list --from monday.json`,
	}, []cli.Flag{
		&cli.StringFlag{Name: "ignore", Category: catCommand, Usage: "`FILE` of ignore rules; else that of the configuration (ignore)"},
	}, func(c *cli.Context, r *run) error {
		if _, err := positionals(c); err != nil {
			return err
		}
		targets, err := outputs(c, "table", r.env.Getenv)
		if err != nil {
			return err
		}
		path, err := rulesPath(c, r.env)
		if err != nil {
			return err
		}
		set, err := config.LoadIgnore(path)
		if err != nil {
			return err
		}
		l := audit.NewIgnoreList(set, r.env.Now().Truncate(time.Second))
		if c.IsSet("from") {
			snap, err := r.given(c)
			if err != nil {
				return interrupted(c.Context, err)
			}
			l = audit.NewIgnoreList(set, snap.CollectedAt)
			l.Look(audit.NewReport(snap, audit.Options{Ignore: set}))
		}
		doc := render.IgnoreRules(l)
		return r.write(targets, doc)
	})
}
