package exampletest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/cli"
)

// Result is what a run printed, and how it ended.
type Result struct {
	Stdout, Stderr string
	// Verdict is nil for a run that ended with exit code 0.
	Verdict *cli.Verdict
}

// Code is the exit code: 0, 1 or 3. A run that ends with 2 fails the test.
func (r *Result) Code() int {
	switch {
	case r.Verdict == nil:
		return 0
	case r.Verdict.Incomplete():
		return 3
	default:
		return 1
	}
}

// Run runs a command against the simulators, at the example's moment.
func (w *World) Run(t *testing.T, args ...string) *Result {
	t.Helper()
	r := run(t, w.env, append(args, "--config", w.config, "--now", w.example.Now)...)
	r.Stdout, r.Stderr = w.shown(r.Stdout), w.shown(r.Stderr)
	return r
}

// Record takes a Snapshot of the simulators with scan and returns it as it would be if they had the example's addresses.
func (w *World) Record(t *testing.T, args ...string) string {
	t.Helper()
	return w.Run(t, append([]string{"scan"}, args...)...).Stdout
}

// FromFile runs a command on a recorded Snapshot, without any server.
func FromFile(t *testing.T, snapshot string, args ...string) *Result {
	t.Helper()
	return run(t, nil, append(args, "--config", "proxaudit.yaml", "--from", snapshot)...)
}

func run(t *testing.T, vars map[string]string, args ...string) *Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := cli.Env{Stdout: &stdout, Stderr: &stderr, Width: 100, Now: time.Now, Deps: cli.Collectors(),
		Getenv: func(k string) (string, bool) { v, ok := vars[k]; return v, ok }}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := cli.Run(ctx, append([]string{"proxaudit"}, args...), env)
	out := &Result{Stdout: stdout.String(), Stderr: stderr.String()}
	if err != nil && !errors.As(err, &out.Verdict) {
		t.Fatalf("proxaudit %s: %v\n%s", strings.Join(args, " "), err, out.Stderr)
	}
	return out
}
