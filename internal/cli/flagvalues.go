package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/internal/config"
)

// checkFlags refuses flags that mean nothing to a command, and values that mean nothing to a flag.
func checkFlags(c *cli.Context) error {
	if err := refuseMeaningless(c); err != nil {
		return err
	}
	return checkValues(c)
}

// checkValues refuses what no flag can mean. An empty value is a script's variable that was not set: --cluster "" would
// list nothing, --config "" would take another file, and both look like an answer.
func checkValues(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		for _, v := range valuesGiven(c, f) {
			if strings.TrimSpace(v) == "" {
				return usagef("%s is empty: an unset variable?", dashes(name)).hint("Give it a value, or leave it out.")
			}
			if config.CertainSecret(v) {
				// Names of files and contexts are in the coverage of every result.
				return usagef("%s has a token's secret or a URL's password in it", dashes(name)).
					hint("Secrets go into PROXMOX_SECRET or the configuration file. The command line is seen by every user of this machine.")
			}
		}
	}
	for _, ns := range c.StringSlice("namespace") {
		if err := config.CheckNamespace(ns); err != nil {
			return usagef("--namespace: %v", err).hint("For several namespaces give the flag several times.")
		}
	}
	return nil
}

// valuesGiven are the texts that the command line has for a flag.
func valuesGiven(c *cli.Context, f cli.Flag) []string {
	name := f.Names()[0]
	if !c.IsSet(name) {
		return nil
	}
	switch f.(type) {
	case *cli.StringFlag:
		return []string{c.String(name)}
	case *cli.StringSliceFlag:
		return c.StringSlice(name)
	default:
		return nil
	}
}
