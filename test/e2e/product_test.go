package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	// The tests run the program as a process. Importing it as well tells the test cache what they depend on.
	_ "github.com/proxaudit/proxaudit/internal/cli"
)

// now is the clock of every run: the ages in the fleet are measured from here.
const now = "2026-11-20T09:00:00Z"

// product builds proxaudit from the tree, once.
var product = sync.OnceValues(func() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "proxaudit")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build proxaudit: %w\n%s", err, out)
	}
	return binary, nil
})

// outcome is what one run of the program left.
type outcome struct {
	args           string
	stdout, stderr []byte
	code           int
}

// run starts the program, a command first, with a configuration and returns what came out. The environment is empty but for HOME, so
// that no kubeconfig or PROXMOX_URL of the caller takes part.
func run(t *testing.T, w *world, args ...string) outcome {
	t.Helper()
	binary, err := product()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	// Behind the command and in front of its subject, as flags have to stand.
	args = slices.Insert(args, 1, "--config", w.config)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = w.dir
	cmd.Env = []string{"HOME=" + w.dir, "PATH=/usr/bin:/bin", "NO_COLOR=1"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("proxaudit %s: %v", strings.Join(args, " "), err)
	}
	o := outcome{args: strings.Join(args, " "), stdout: stdout.Bytes(), stderr: stderr.Bytes(), code: cmd.ProcessState.ExitCode()}
	w.noSecrets(t, o)
	return o
}

// want fails the test if the exit code is another one.
func (o outcome) want(t *testing.T, code int) {
	t.Helper()
	if o.code != code {
		t.Fatalf("proxaudit %s: exit %d, want %d\nstderr:\n%s", o.args, o.code, code, o.stderr)
	}
}
