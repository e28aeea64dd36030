package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/render"
)

// The scripts ask the program itself: with --generate-bash-completion behind what was typed so far it prints the words
// that can follow, one a line.
const (
	bashCompletion = `_proxaudit() {
    local cur="${COMP_WORDS[COMP_CWORD]}"
    local words
    words=$("${COMP_WORDS[@]:0:COMP_CWORD}" "$cur" --generate-bash-completion 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o bashdefault -o default -F _proxaudit proxaudit
`
	zshCompletion = `#compdef proxaudit
_proxaudit() {
    local -a candidates
    candidates=("${(@f)$("${(@)words[1,CURRENT]}" --generate-bash-completion 2>/dev/null)}")
    if [[ -n "${candidates[1]}" ]]; then
        compadd -- "${candidates[@]}"
    else
        _files
    fi
}
compdef _proxaudit proxaudit
`
)

func completionCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print the completion script of a shell", ArgsUsage: "SHELL", HideHelpCommand: true,
		OnUsageError: onUsageError,
		Description: `SHELL is bash, zsh or fish.

Examples:
  source <(proxaudit completion bash)
  proxaudit completion fish > ~/.config/fish/completions/proxaudit.fish`,
		BashComplete: func(c *cli.Context) { words(c.App.Writer, "bash", "zsh", "fish") },
		Action: func(c *cli.Context) error {
			args, err := positionals(c, "SHELL")
			if err != nil {
				return err
			}
			script := ""
			switch args[0] {
			case "bash":
				script = bashCompletion
			case "zsh":
				script = zshCompletion
			case "fish":
				if script, err = c.App.ToFishCompletion(); err != nil {
					return err
				}
			default:
				return usagef("there is no completion for %q: want bash, zsh or fish", args[0])
			}
			_, err = io.WriteString(pipe{w: env.Stdout}, script)
			return stdoutError(err)
		},
	}
}

// complete prints what can follow: the values of a flag, where they are known, else the flags.
func complete(cmd *cli.Command) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		// The library has no other way to the words: in front of --generate-bash-completion stands the word that is
		// being typed, which may be empty, and in front of that the one before.
		typed, before := lastWords(os.Args)
		for _, flag := range []string{typed, before} {
			if values, ok := valuesOf(cmd.Flags, flag); ok {
				words(c.App.Writer, values...)
				return
			}
		}
		for _, f := range cmd.Flags {
			for _, n := range f.Names() {
				if len(n) > 1 && visible(f) && (!strings.HasPrefix(typed, "-") || strings.HasPrefix(dashes(n), typed)) {
					words(c.App.Writer, dashes(n))
				}
			}
		}
	}
}

func lastWords(args []string) (typed, before string) {
	if n := len(args); n > 2 {
		typed = args[n-2]
		if n > 3 {
			before = args[n-3]
		}
	}
	return typed, before
}

// valuesOf are the values that a flag may have; none where nobody can guess them, and the shell offers files. The second
// result is false for a word that is no flag with a value.
func valuesOf(flags []cli.Flag, word string) ([]string, bool) {
	switch word {
	case "-o", "--output":
		return render.Formats(), true
	case "--class":
		return strings.Split(join(identity.Classes()), ", "), true
	case "--fail-on":
		return []string{string(audit.Critical), string(audit.Warning), string(audit.Info)}, true
	}
	for _, f := range flags {
		if takes, ok := f.(cli.DocGenerationFlag); ok && takes.TakesValue() && isFlag(f, word) {
			return nil, true
		}
	}
	return nil, false
}

func isFlag(f cli.Flag, typed string) bool {
	return strings.HasPrefix(typed, "-") && slices.Contains(f.Names(), strings.TrimLeft(typed, "-"))
}

func words(w io.Writer, all ...string) {
	for _, s := range all {
		// Completion that cannot be written helps nobody and hurts nobody.
		_, _ = fmt.Fprintln(w, s)
	}
}
