package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/render"
)

// undefined is how package flag says that it does not know a flag.
const undefined = "flag provided but not defined: -"

// onUsageError turns what the flag parser says into a UsageError with a suggestion.
func onUsageError(c *cli.Context, err error, _ bool) error {
	u := usagef("%s", err.Error())
	name, ok := strings.CutPrefix(err.Error(), undefined)
	if !ok {
		return u.hint("See %s --help.", c.Command.HelpName)
	}
	name = strings.TrimLeft(name, "-")
	u.Msg = "there is no flag " + dashes(name)
	isRoot := c.Command.Name == c.App.Name
	switch {
	case isRoot && definesFlag(sharedFlags(), name):
		return u.hint("Flags come behind the command: %s orphans %s", c.App.Name, dashes(name))
	case strings.HasPrefix(name, "o") && slices.Contains(render.Formats(), name[1:]):
		return u.hint("Write -o %s.", name[1:])
	}
	if s := cli.SuggestFlag(c.Command.Flags, name, false); s != "" {
		return u.hint("Did you mean %s? See %s --help.", s, c.Command.HelpName)
	}
	return u.hint("See %s --help.", c.Command.HelpName)
}

func dashes(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func definesFlag(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}

// positionals checks the number of arguments. The parser stops at the first one, so that a flag behind it would be
// ignored: an -o json or an --exit-zero that does nothing is worse than an error.
func positionals(c *cli.Context, want ...string) ([]string, error) {
	args := c.Args().Slice()
	for i, a := range args {
		if i > 0 && strings.HasPrefix(a, "-") && len(a) > 1 {
			line := append(slices.Clone(args[i:]), args[:i]...)
			return nil, usagef("the flag %s stands behind the argument %s, where it would be ignored", a, args[i-1]).
				hint("Flags come first: %s %s", c.Command.HelpName, strings.Join(line, " "))
		}
	}
	switch {
	case len(args) < len(want):
		return nil, usagef("%s is missing", want[len(args)]).hint("Usage: %s", usageLine(c.Command))
	case len(args) > len(want) && len(want) == 0:
		return nil, usagef("%s takes no argument, and got %q", c.Command.Name, args[0]).hint("Usage: %s", usageLine(c.Command))
	case len(args) > len(want):
		return nil, usagef("%s takes one %s, and got %d arguments", c.Command.Name, want[0], len(args)).
			hint("Usage: %s", usageLine(c.Command))
	}
	return args, nil
}

func usageLine(cmd *cli.Command) string {
	s := cmd.HelpName + " [flags]"
	if cmd.ArgsUsage != "" {
		s += " " + cmd.ArgsUsage
	}
	return s
}

// unknownCommand is what the program says to a word that is no command.
func unknownCommand(c *cli.Context, name string) error {
	u := usagef("there is no command %q", name)
	if s := cli.SuggestCommand(c.App.Commands, name); s != "" {
		return u.hint("%s See %s --help.", s, c.App.Name)
	}
	return u.hint("See %s --help.", c.App.Name)
}
