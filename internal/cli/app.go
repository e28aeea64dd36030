package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
)

const description = `Reads Proxmox VE, a Cluster API management cluster and workload clusters, links
VM, Machine and Node, and lists what does not fit: orphan VMs, machines that
never became nodes, ghosts, conflicts. It changes nothing.

Without configuration it takes kubectl's current context and PROXMOX_URL,
PROXMOX_TOKEN (the token's ID) and PROXMOX_SECRET.

Exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage or error, 3
incomplete (something that a verdict needs was not seen), 130 interrupted.`

// Run is the whole program: args as in os.Args. The error is a *Verdict, ErrInterrupted, or a failure.
func Run(ctx context.Context, args []string, env Env) error {
	env.Stderr = &lockedWriter{w: env.Stderr}
	var unwritten error
	err := newApp(&env, programName(args), args, &unwritten).RunContext(ctx, args)
	if err == nil && unwritten != nil {
		err = stdoutError(unwritten)
	}
	// Whatever else there is to tell: an interrupt has precedence over a verdict and over an error.
	return interrupted(ctx, err)
}

// programName follows the name under which kubectl starts plugins.
func programName(args []string) string {
	if len(args) > 0 {
		if plugin, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(args[0]), ".exe"), "kubectl-"); ok {
			return "kubectl " + plugin
		}
	}
	return "proxaudit"
}

func newApp(env *Env, name string, args []string, unwritten *error) *cli.App {
	return &cli.App{
		Name: name, HelpName: name,
		Usage:       "proxaudit finds VMs, Machines and Nodes that do not belong together",
		Description: description,
		Commands: []*cli.Command{
			orphansCommand(env), inventoryCommand(env), explainCommand(env), whyCommand(env), reportCommand(env), historyCommand(env), ignoreCommand(env), adoptCommand(env), verifyCommand(env), scanCommand(env), doctorCommand(env),
			versionCommand(env), completionCommand(env), helpCommand(),
		},
		// The library adds --help by itself only where its own help command is.
		Flags:                     []cli.Flag{cli.HelpFlag, &cli.BoolFlag{Name: "version", Usage: "say which version this is"}},
		HideVersion:               true,
		HideHelpCommand:           true,
		EnableBashCompletion:      true,
		DisableSliceFlagSeparator: true,
		Writer:                    pipe{env.Stdout, unwritten},
		ErrWriter:                 env.Stderr,
		OnUsageError: func(c *cli.Context, err error, sub bool) error {
			if u := flagInFront(c.App, args); u != nil {
				return u
			}
			return onUsageError(c, err, sub)
		},
		// The library would exit the process here.
		ExitErrHandler: func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			switch {
			case c.Args().Present():
				return unknownCommand(c.App, c.Args().First())
			case c.Bool("version"):
				r, err := newRun(c, env)
				if err != nil {
					return err
				}
				return r.writeVersion()
			}
			return cli.ShowAppHelp(c)
		},
	}
}

// command completes a command with what all of them share.
func command(env *Env, c *cli.Command, own []cli.Flag, action func(*cli.Context, *run) error) *cli.Command {
	c.Flags = slices.Concat(own, sharedFlags())
	hideMeaningless(c)
	sayFormats(c)
	c.HideHelpCommand = true
	c.OnUsageError = onUsageError
	c.BashComplete = complete(c)
	c.Action = func(cc *cli.Context) error {
		r, err := newRun(cc, env)
		if err != nil {
			return err
		}
		if err = checkFlags(cc); err == nil {
			err = action(cc, r)
		}
		return r.conclude(cc, err)
	}
	return c
}

// conclude says what the exit code will stand for, and applies --exit-zero.
func (r *run) conclude(c *cli.Context, err error) error {
	var v *Verdict
	if c.Err() != nil || !errors.As(err, &v) {
		return interrupted(c.Context, err)
	}
	if !r.quiet {
		r.tell(v.Error())
	}
	if c.Bool("exit-zero") {
		return nil
	}
	return err
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "show the commands, or the flags of one", ArgsUsage: "[COMMAND]", HideHelpCommand: true,
		Description:  "Examples:\n  proxaudit help orphans",
		OnUsageError: onUsageError,
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return cli.ShowAppHelp(c)
			}
			cmd := c.App.Command(c.Args().First())
			if cmd == nil {
				return unknownCommand(c.App, c.Args().First())
			}
			for _, sub := range cmd.Subcommands {
				if sub.Name == c.Args().Get(1) {
					sub.HelpName = cmd.HelpName + " " + sub.Name
					cmd = sub
					break
				}
			}
			cli.HelpPrinter(c.App.Writer, "", cmd)
			return nil
		},
	}
}

// lockedWriter lets several goroutines write whole messages.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
