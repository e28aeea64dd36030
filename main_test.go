package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/internal/cli"
	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
)

const testdata = "internal/cli/testdata"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"proxaudit": main, "kubectl-proxaudit": main})
}

func TestExitCode(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"clean":                    {nil, 0},
		"findings":                 {&cli.Verdict{Findings: 1, FailOn: audit.Warning}, 1},
		"usage":                    {&cli.UsageError{Msg: "no"}, 2},
		"any other error":          {errors.New("no"), 2},
		"an answer is missing":     {&cli.Verdict{Gaps: 1}, 3},
		"a verdict is missing":     {&cli.Verdict{Unknown: 1}, 3},
		"incomplete and findings":  {&cli.Verdict{Findings: 9, Gaps: 1}, 3},
		"interrupted":              {cli.ErrInterrupted, 130},
		"interrupted, wrapped":     {fmt.Errorf("reading: %w", cli.ErrInterrupted), 130},
		"interrupted and findings": {errors.Join(&cli.Verdict{Findings: 1}, cli.ErrInterrupted), 130},
	} {
		if got := exitCode(tc.err); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// TestScripts runs what a person would type, by topic.
func TestScripts(t *testing.T) {
	topics, err := os.ReadDir(filepath.Join(testdata, "script"))
	if err != nil {
		t.Fatal(err)
	}
	if len(topics) < 5 {
		t.Fatalf("only %d topics: were the scripts found?", len(topics))
	}
	absolute := func(name string) string {
		path, err := filepath.Abs(filepath.Join(testdata, name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	fleet, sim := absolute("fleet.json"), absolute("sim")
	examples, err := filepath.Abs("examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics {
		t.Run(topic.Name(), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: filepath.Join(testdata, "script", topic.Name()),
				Setup: func(e *testscript.Env) error {
					e.Setenv("FLEET", fleet)
					e.Setenv("SIM", sim)
					e.Setenv("EXAMPLES", examples)
					// The scripts' world has no configuration but the one that they make.
					e.Setenv("KUBECONFIG", filepath.Join(e.WorkDir, "no-kubeconfig"))
					e.Values[worldKey{}] = &world{sites: map[string]*pvesim.Server{}, kubes: map[string]*kubesim.Server{}, webhooks: map[string]*webhook{}}
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"exits": exits, "site": startSite, "kube": startKube, "fault": fault, "asked": asked,
					"canary": addCanary, "leaks": leaks, "lines": lines, "interrupt": interrupt, "ended": ended,
					"pipe": makePipe, "stuck": interruptStuck, "full": interruptFull, "webhook": startWebhook, "told": told,
				},
			})
		})
	}
}
