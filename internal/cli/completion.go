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
    words=$("${COMP_WORDS[@]:0:COMP_CWORD}" ${cur:+"$cur"} --generate-bash-completion 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o bashdefault -o default -F _proxaudit proxaudit
`
	zshCompletion = `#compdef proxaudit
_proxaudit() {
    local -a words_so_far candidates
    words_so_far=("${(@)words[1,CURRENT]}")
    [[ -z "${words_so_far[-1]}" ]] && words_so_far[-1]=()
    candidates=("${(@f)$("${words_so_far[@]}" --generate-bash-completion 2>/dev/null)}")
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
			_, err = io.WriteString(pipe{env.Stdout}, script)
			return stdoutError(err)
		},
	}
}

// complete prints what can follow: the values of the flag that was typed last, where they are known, else the flags.
func complete(cmd *cli.Command) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		last := ""
		if n := len(os.Args); n > 2 {
			// The last word is --generate-bash-completion itself.
			last = os.Args[n-2]
		}
		switch last {
		case "-o", "--output":
			words(c.App.Writer, render.Formats()...)
		case "--class":
			for _, class := range identity.Classes() {
				words(c.App.Writer, string(class))
			}
		case "--fail-on":
			words(c.App.Writer, string(audit.Critical), string(audit.Warning), string(audit.Info))
		default:
			flagWords(c.App.Writer, cmd.Flags, last)
		}
	}
}

func flagWords(w io.Writer, flags []cli.Flag, typed string) {
	for _, f := range flags {
		if takes, ok := f.(cli.DocGenerationFlag); ok && takes.TakesValue() && isFlag(f, typed) {
			// A value that nobody can guess: the shell offers files.
			return
		}
	}
	for _, f := range flags {
		for _, n := range f.Names() {
			if d := dashes(n); len(n) > 1 && strings.HasPrefix(d, typed) || !strings.HasPrefix(typed, "-") && len(n) > 1 {
				words(w, d)
			}
		}
	}
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
