// Proxaudit finds Proxmox VE guests, Cluster API Machines and Kubernetes Nodes that do not belong together.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/proxaudit/proxaudit/internal/cli"
)

// The exit codes. Where several hold, the first of 130, 2, 3, 1, 0 counts.
const (
	exitClean       = 0
	exitFindings    = 1
	exitError       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// version is set by the linker for releases (-X main.version=v1.2.3).
var version string

func main() { os.Exit(run()) }

func run() int {
	// A reader that has seen enough (| head) shows as an error of the write and ends nothing else. Not signal.Ignore,
	// which the exec auth plugins of a kubeconfig would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	// The first Ctrl-C ends the run in order: requests are cancelled, no file is left half-written. Then the signals
	// get their old meaning back, so that a second one ends it at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		stop()
		time.AfterFunc(patience, giveUp)
	})

	err := cli.Run(ctx, os.Args, cli.System(version))
	code := exitCode(err)
	if code == exitError || code == exitInterrupted {
		cli.Say(os.Stderr, fmt.Sprintf("proxaudit: %v", err))
	}
	return code
}

// patience is how long an interrupted run has to end in order. Requests end at once; what does not is a read or write of
// a file (a named pipe, a dead network drive, a full pipe that nobody reads), which no context reaches.
const patience = 2 * time.Second

// giveUp ends a run that an interrupt did not end. Files are replaced whole, so that none is half-written; the temporary
// file beside one may stay.
func giveUp() {
	said := make(chan struct{})
	go func() {
		defer close(said)
		cli.Say(os.Stderr, fmt.Sprintf("proxaudit: %v", cli.ErrInterrupted))
	}()
	select {
	case <-said:
	case <-time.After(patience / 10): // standard error may be what is stuck
	}
	os.Exit(exitInterrupted)
}

// exitCode is the one place where an error becomes a number.
func exitCode(err error) int {
	var verdict *cli.Verdict
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, cli.ErrInterrupted):
		return exitInterrupted
	case !errors.As(err, &verdict):
		return exitError
	case verdict.Incomplete():
		return exitIncomplete
	default:
		return exitFindings
	}
}
