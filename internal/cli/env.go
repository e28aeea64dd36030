package cli

import (
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"github.com/proxaudit/proxaudit/internal/config"
)

// Env is the world outside: everything that a run reads or writes beside files and the network.
type Env struct {
	Stdout io.Writer
	Stderr io.Writer
	Getenv config.Getenv
	// StdoutTerminal and StderrTerminal say whether a person watches.
	StdoutTerminal, StderrTerminal bool
	// StdoutNowhere is true if the standard output was closed when the program started.
	StdoutNowhere bool
	// Width is the terminal's width; 0 where there is none.
	Width int
	// StderrWidth is that of the terminal which standard error is, or of COLUMNS; 0 where there is neither.
	StderrWidth int
	// Now is the clock.
	Now func() time.Time
	// Version is the program's; empty for a build without one.
	Version string
	// Deps are the collectors.
	Deps Deps
}

// System is the Env of the process. The version may be empty.
func System(version string) Env {
	stdout, stderr := int(os.Stdout.Fd()), int(os.Stderr.Fd())
	e := Env{Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.LookupEnv, Now: time.Now, Version: version,
		StdoutTerminal: term.IsTerminal(stdout), StderrTerminal: term.IsTerminal(stderr), Deps: Collectors()}
	e.StdoutNowhere = closedAtStart(stdout)
	if e.StdoutTerminal {
		if w, _, err := term.GetSize(stdout); err == nil {
			e.Width = w
		}
	}
	if e.StderrTerminal {
		if w, _, err := term.GetSize(stderr); err == nil {
			e.StderrWidth = w
		}
	}
	// COLUMNS counts where it is exported: a person or a test that sets it wants that width, on a pipe too.
	if v, ok := os.LookupEnv("COLUMNS"); ok {
		if w, err := strconv.Atoi(v); err == nil && w > 0 {
			e.Width, e.StderrWidth = w, w
		}
	}
	return e
}

// dumbTerminal is a terminal that obeys no escape sequences.
func (e *Env) dumbTerminal() bool {
	v, _ := e.Getenv("TERM")
	return v == "dumb"
}

// noColour follows no-color.org: the variable counts if it is not empty.
func (e *Env) noColour() bool {
	v, _ := e.Getenv("NO_COLOR")
	return v != ""
}
