package world

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Tool runs kubectl or clusterctl on one cluster and returns what it printed. The error carries that as well.
func Tool(t *testing.T, home, tool, kubeconfig string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, args...) //nolint:gosec // a program of the bench
	// A home of its own, for kubectl's discovery cache; and clusterctl is not to ask the internet for a newer one.
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "KUBECONFIG=" + kubeconfig, "CLUSTERCTL_DISABLE_VERSIONCHECK=true"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		name, _, _ := strings.Cut(filepath.Base(tool), "-")
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// WaitFor polls until seen returns "", and fails the test with what it saw last when the time is up.
func WaitFor(t *testing.T, what string, limit time.Duration, seen func() string) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		last := seen()
		if last == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s: %s", what, limit, last)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
