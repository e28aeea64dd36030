// Proxaudit finds Proxmox VE guests, Cluster API Machines and Kubernetes Nodes that do not belong together.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
	context.AfterFunc(ctx, stop)

	err := cli.Run(ctx, os.Args, cli.System(version))
	code := exitCode(err)
	if code == exitError || code == exitInterrupted {
		cli.Say(os.Stderr, fmt.Sprintf("proxaudit: %v", err))
	}
	return code
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
