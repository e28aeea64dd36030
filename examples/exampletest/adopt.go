package exampletest

import (
	"os"
	"path/filepath"
	"testing"
)

// GoldenPlan compares what adopt makes of a cluster with what the example shows: the plan for a person (plan.txt), the
// manifests (manifests.yaml) and the runbook (RUNBOOK.md).
func GoldenPlan(t *testing.T, w *World, cluster string) {
	t.Helper()
	plan := w.Run(t, "adopt", "--cluster", cluster, "-o", "table")
	Golden(t, "plan.txt", plan.Stdout)
	manifests := w.Run(t, "adopt", "--cluster", cluster)
	Golden(t, "manifests.yaml", manifests.Stdout)
	dir := filepath.Join(t.TempDir(), "out")
	steps := w.Run(t, "adopt", "--cluster", cluster, "--output-dir", dir)
	for _, r := range []*Result{plan, manifests, steps} {
		if r.Code() != 0 {
			t.Errorf("exit %d: %v\n%s", r.Code(), r.Verdict, r.Stderr)
		}
	}
	if steps.Stdout != "" {
		t.Errorf("with --output-dir it prints %q", steps.Stdout)
	}
	runbook, err := os.ReadFile(filepath.Join(dir, "RUNBOOK.md")) //nolint:gosec // of a folder that the test made
	if err != nil {
		t.Fatal(err)
	}
	Golden(t, "RUNBOOK.md", w.shown(string(runbook)))
}
