package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/internal/nearest"
	"github.com/proxaudit/proxaudit/render"
)

// What package flag says.
var (
	undefinedFlag = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	flagNoValue   = regexp.MustCompile(`^flag needs an argument: -+(.*)$`)
	flagBadValue  = regexp.MustCompile(`^invalid value "(.*)" for flag -+(.*?):`)
	flagNotBool   = regexp.MustCompile(`^invalid boolean value "(.*)" for -+(.*?):`)
)

// onUsageError turns what the flag parser says into a UsageError with a way out.
func onUsageError(c *cli.Context, err error, _ bool) error {
	see := fmt.Sprintf("See %s --help.", c.Command.HelpName)
	switch text := err.Error(); {
	case undefinedFlag.MatchString(text):
		return unknownFlag(c, undefinedFlag.FindStringSubmatch(text)[1])
	case flagNoValue.MatchString(text):
		name := flagNoValue.FindStringSubmatch(text)[1]
		return usagef("%s needs a value behind it", dashes(name)).hint("%s", see)
	case flagNotBool.MatchString(text):
		m := flagNotBool.FindStringSubmatch(text)
		return usagef("%s is on or off, and %q is neither", dashes(m[2]), m[1]).
			hint("Write %[1]s alone, %[1]s=true or %[1]s=false.", dashes(m[2]))
	case flagBadValue.MatchString(text):
		m := flagBadValue.FindStringSubmatch(text)
		u := usagef("%s: %q cannot be its value", dashes(m[2]), m[1])
		if f, ok := findFlag(c.Command.Flags, m[2]).(*cli.IntFlag); ok {
			what, _ := placeholder(f.Usage)
			u = usagef("%s: %q is no number (%s)", dashes(m[2]), m[1], what)
		}
		return u.hint("%s", see)
	default:
		return usagef("%s", text).hint("%s", see)
	}
}

func unknownFlag(c *cli.Context, name string) error {
	u := usagef("there is no flag %s", dashes(name))
	see := fmt.Sprintf("See %s --help.", c.Command.HelpName)
	for _, format := range []string{name, strings.TrimPrefix(name, "o")} {
		if slices.Contains(render.Formats(), format) && findFlag(c.Command.Flags, "output") != nil {
			return u.hint("Write -o %s.", format)
		}
	}
	var names []string
	for _, f := range c.Command.Flags {
		if visible(f) {
			names = append(names, f.Names()...)
		}
	}
	if s := nearest.Of(name, names); s != "" {
		return u.hint("Did you mean %s? %s", dashes(s), see)
	}
	return u.hint("%s", see)
}

func dashes(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func findFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// visible is false for a flag that means nothing to its command.
func visible(f cli.Flag) bool {
	v, ok := f.(cli.VisibleFlag)
	return !ok || v.IsVisible()
}

// positionals checks the number of arguments. The parser stops at the first one, so that a flag behind it would be
// ignored: an -o json or an --exit-zero that does nothing is worse than an error.
func positionals(c *cli.Context, want ...string) ([]string, error) {
	args := c.Args().Slice()
	for i, a := range args {
		if i > 0 && strings.HasPrefix(a, "-") && len(a) > 1 {
			line := append(slices.Clone(args[i:]), args[:i]...)
			return nil, usagef("the flag %s stands behind the argument %s, where it would be ignored", a, args[i-1]).
				hint("Flags come first: %s %s", c.Command.HelpName, shellLine(line))
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
func unknownCommand(app *cli.App, name string) error {
	u := usagef("there is no command %q", name)
	var names []string
	for _, cmd := range app.Commands {
		names = append(names, cmd.Name)
	}
	if s := nearest.Of(name, names); s != "" {
		return u.hint("Did you mean %q? See %s --help.", s, app.Name)
	}
	return u.hint("The commands are %s. See %s --help.", join(names), app.Name)
}
