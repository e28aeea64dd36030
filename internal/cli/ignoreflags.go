package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/internal/config"
	"github.com/proxaudit/proxaudit/render"
)

// ignoreFlags are those of the commands that list findings.
func ignoreFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ignore", Category: catVerdict, Usage: "`FILE` of ignore rules; else that of the configuration (ignore)"},
		&cli.BoolFlag{Name: "show-ignored", Category: catOutput, Usage: "list what the ignore rules hide, with who wants it so and why"},
	}
}

// readIgnore reads the rules before any server is asked. Commands without those flags have none.
func (s *settings) readIgnore(c *cli.Context) (err error) {
	if findFlag(c.Command.Flags, "show-ignored") == nil {
		return nil
	}
	path := c.String("ignore")
	if path == "" {
		path = s.cfg.Ignore
	}
	if path == "" {
		if c.Bool("show-ignored") {
			return usagef("--show-ignored: there are no ignore rules").hint("Give --ignore FILE, or name the file in proxaudit.yaml (ignore).")
		}
		return nil
	}
	s.ignore, err = config.LoadIgnore(path)
	return err
}

// showIgnored adds to a document what the rules hide, if somebody asked.
func showIgnored(c *cli.Context, d *render.Document, ig *audit.Ignores) {
	if c.Bool("show-ignored") {
		d.ShowIgnored(ig)
	}
}
