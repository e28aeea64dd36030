package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/render"
)

// Every command declares the shared flags, so that they stand in the same place everywhere. Those that mean nothing to one
// are not in its help, and an error: a --fail-on that does nothing is worse than one that is refused.
var meaningless = map[string][]string{
	"scan":       {"from", "grace", "fail-on", "no-headers", "no-color"},
	"doctor":     {"from", "grace"},
	"history":    slices.Concat(names(inputFlags()), names(verdictFlags())),
	"add":        slices.Concat(collectionFlags, []string{"grace", "fail-on", "exit-zero", "output", "no-headers", "no-color"}),
	"list":       slices.Concat(collectionFlags, names(verdictFlags())),
	"version":    slices.Concat(names(inputFlags()), names(verdictFlags())),
	"completion": names(sharedFlags()),
}

// adoptionCommands ask the servers for more than who is who: what adoption needs. A snapshot is for every command.
var adoptionCommands = []string{"adopt", "verify", "scan"}

// progressCommands ask for what says whose turn it is: the controllers' Pods and leases, Events, tasks.
var progressCommands = []string{"why", "report", "scan"}

// formatsOf are the formats in which a command has something to say: only machines have names, and a snapshot is a file.
func formatsOf(command string) []string {
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(render.Formats()), func(f string) bool { return slices.Contains(names, f) })
	}
	switch command {
	case "scan":
		return []string{"json"}
	case "orphans", "report":
		return render.Formats()
	case "doctor", "version", "list":
		return without(append(render.FindingFormats(), "name")...)
	default:
		return without(render.FindingFormats()...)
	}
}

// sayFormats puts them into the help of -o.
func sayFormats(c *cli.Command) {
	if f, ok := findFlag(c.Flags, "output").(*cli.StringSliceFlag); ok {
		formats := formatsOf(c.Name)
		f.Usage = "`FORMAT` or FORMAT=FILE; repeatable, at most one goes to standard output. The formats are " + strings.Join(formats, ", ")
		if len(formats) == 1 {
			f.Usage = "`FORMAT` or FORMAT=FILE; repeatable, at most one goes to standard output. The format is " + formats[0]
		}
	}
}

// hideMeaningless takes them out of a command's help.
func hideMeaningless(c *cli.Command) {
	for _, f := range c.Flags {
		if !slices.Contains(meaningless[c.Name], f.Names()[0]) {
			continue
		}
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Hidden = true
		case *cli.StringSliceFlag:
			f.Hidden = true
		case *cli.BoolFlag:
			f.Hidden = true
		}
	}
}

// refuseMeaningless is the error about the first of them that was given.
func refuseMeaningless(c *cli.Context) error {
	for _, name := range meaningless[c.Command.Name] {
		switch {
		case !c.IsSet(name):
		case name == "from" && !slices.Contains(meaningless[c.Command.Name], "config"):
			return usagef("%s asks the servers, and --from asks none", c.Command.Name)
		default:
			return usagef("%s means nothing to %s", dashes(name), c.Command.Name).hint("See %s --help.", c.Command.HelpName)
		}
	}
	return nil
}

func names(flags []cli.Flag) []string {
	out := make([]string, 0, len(flags))
	for _, f := range flags {
		out = append(out, f.Names()[0])
	}
	return out
}
