package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagInFront is the error about a command's flag that stands in front of the command, where most programs take it. It
// shows the line as it has to be, with all that was given. It is nil if the flag is one of no command. Args are as in
// os.Args.
func flagInFront(app *cli.App, args []string) error {
	var moved []string
	first := ""
	rest := args[min(1, len(args)):]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-" && rest[0] != "--" {
		name, _, hasValue := strings.Cut(strings.TrimLeft(rest[0], "-"), "=")
		n := 1
		if findFlag(app.Flags, name) == nil {
			f := offered(app, name)
			if f == nil {
				return nil
			}
			if first == "" {
				first = dashes(name)
			}
			if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() && !hasValue {
				n = min(2, len(rest))
			}
		}
		moved, rest = append(moved, rest[:n]...), rest[n:]
	}
	if first == "" {
		return nil
	}
	line := append([]string{"COMMAND"}, moved...)
	if len(rest) > 0 {
		if app.Command(rest[0]) == nil {
			return unknownCommand(app, rest[0])
		}
		line = slices.Concat(rest[:1], moved, rest[1:])
	}
	return usagef("the flag %s belongs behind the command, not in front of it", first).
		hint("Write %s %s", app.Name, shellLine(line))
}

// offered is the flag of that name that some command has a meaning for.
func offered(app *cli.App, name string) cli.Flag {
	for _, cmd := range app.Commands {
		if f := findFlag(cmd.Flags, name); f != nil && visible(f) {
			return f
		}
	}
	return nil
}

// plainWord is what a shell takes as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellLine is words as a shell has to be given them.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if !plainWord.MatchString(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
