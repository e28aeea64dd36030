package world

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	// The tests run the program as a process. Importing it as well tells the test cache what they depend on.
	_ "github.com/proxaudit/proxaudit/internal/cli"
)

// Build builds proxaudit from the tree into a folder.
func Build(dir string) (string, error) {
	binary := filepath.Join(dir, "proxaudit")
	build := exec.Command("go", "build", "-o", binary, ".") //nolint:gosec,noctx // the tree that the test belongs to
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build proxaudit: %w\n%s", err, out)
	}
	return binary, nil
}

// Outcome is what one run of proxaudit left.
type Outcome struct {
	Args           string
	Stdout, Stderr []byte
	Code           int
}

// Run runs the program, a command first, with a configuration, an empty environment and home as its folder. Whatever it prints is
// searched for what is confidential.
func Run(t *testing.T, binary, home, config string, confidential []string, args ...string) Outcome {
	t.Helper()
	// Behind the command and in front of its subject, as flags have to stand.
	args = slices.Insert(slices.Clone(args), 1, "--config", config)
	cmd := exec.CommandContext(t.Context(), binary, args...) //nolint:gosec // the program under test
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "NO_COLOR=1"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	o := Outcome{Args: strings.Join(args, " "), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("proxaudit %s: %v", o.Args, err)
	}
	o.Code = cmd.ProcessState.ExitCode()
	for _, text := range confidential {
		if strings.Contains(stdout.String(), text) || strings.Contains(stderr.String(), text) {
			t.Errorf("proxaudit %s prints the secret %.8s...", o.Args, text)
		}
	}
	return o
}

// Want fails the test if the exit code is another one.
func (o Outcome) Want(t *testing.T, code int) Outcome {
	t.Helper()
	if o.Code != code {
		t.Fatalf("proxaudit %s: exit %d, want %d\nstderr:\n%s\nstdout begins:\n%.60000s", o.Args, o.Code, code, o.Stderr, o.Stdout)
	}
	return o
}
