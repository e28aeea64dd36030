package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/collect"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

const secret = "5d1c7b2e-3f44-4c1a-9e55-0c9d8e7f6a5b"

// bench is a world in which a test runs commands: fake collectors, and streams that can be looked at.
type bench struct {
	t      testing.TB
	env    Env
	vars   map[string]string
	stdout bytes.Buffer
	stderr bytes.Buffer
	// plan is what the collectors were asked for.
	plan   *collect.Plan
	calls  atomic.Int32
	checks []inventory.Check
}

func newBench(t testing.TB) *bench {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	b := &bench{t: t, vars: map[string]string{"PROXMOX_URL": "https://pve1.example.com:8006",
		"PROXMOX_TOKEN": "proxaudit@pve!audit", "PROXMOX_SECRET": secret}}
	b.env = Env{Stdout: &b.stdout, Stderr: &b.stderr, Now: func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 123456789, time.UTC) },
		Getenv: func(name string) (string, bool) { v, ok := b.vars[name]; return v, ok }}
	b.env.Deps = Deps{
		Collect: func(_ context.Context, p collect.Plan) (*inventory.Snapshot, collect.Timings, error) {
			b.plan = &p
			b.calls.Add(1)
			p.Progress("site/dc1", 1, 2)
			p.Progress("site/dc1", 2, 2)
			p.Logf("the log has %s", "a line")
			return fleet(t), collect.Timings{"site/dc1": 1500 * time.Millisecond, "management": 20 * time.Millisecond}, nil
		},
		Doctor: func(_ context.Context, p collect.Plan) ([]inventory.Check, []inventory.Requests) {
			b.plan = &p
			b.calls.Add(1)
			return b.checks, []inventory.Requests{{Source: "management", Count: 7}}
		},
	}
	return b
}

// fleet is the recorded snapshot.
func fleet(t testing.TB) *inventory.Snapshot {
	t.Helper()
	s, err := snapfile.Read(bytes.NewReader(fleetJSON(t)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var testdata, _ = filepath.Abs("testdata")

func fleetJSON(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, "fleet.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run runs a command and forgets what the one before printed. Whatever happens, no stream may have the secret.
func (b *bench) run(args ...string) error {
	b.t.Helper()
	return b.runContext(b.t.Context(), args...)
}

func (b *bench) runContext(ctx context.Context, args ...string) error {
	b.t.Helper()
	b.stdout.Reset()
	b.stderr.Reset()
	err := Run(ctx, append([]string{"proxaudit"}, args...), b.env)
	for where, text := range map[string]string{"stdout": b.stdout.String(), "stderr": b.stderr.String(), "the error": fmt.Sprint(err)} {
		if strings.Contains(text, secret) {
			b.t.Errorf("proxaudit %s: %s has the secret", strings.Join(args, " "), where)
		}
	}
	return err
}

// verdict runs a command that has to end with a verdict.
func (b *bench) verdict(args ...string) *Verdict {
	b.t.Helper()
	err := b.run(args...)
	var v *Verdict
	if !errors.As(err, &v) {
		b.t.Fatalf("proxaudit %s ends with %v, want a verdict\n%s", strings.Join(args, " "), err, b.stderr.String())
	}
	return v
}

func (b *bench) ok(args ...string) {
	b.t.Helper()
	if err := b.run(args...); err != nil {
		b.t.Fatalf("proxaudit %s: %v\n%s", strings.Join(args, " "), err, b.stderr.String())
	}
}

// failWriter fails after some bytes.
type failWriter struct {
	err  error
	room int
}

func (f *failWriter) Write(p []byte) (int, error) {
	if f.room >= len(p) {
		f.room -= len(p)
		return len(p), nil
	}
	n := f.room
	f.room = 0
	return n, f.err
}

var _ io.Writer = (*failWriter)(nil)
