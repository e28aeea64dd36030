// Package homelab_test runs the example over the network, as its demo does, and holds the README to what it shows.
package homelab_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/cli"
	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
)

var update = flag.Bool("update", false, "rewrite the recorded files")

// now is the moment at which the demo stands still.
const now = "2026-12-01T08:00:00Z"

// world starts the simulators and returns the environment that points at them.
func world(t *testing.T) map[string]string {
	t.Helper()
	fleet, err := pvesim.LoadFleet("fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pve, err := pvesim.Start(fleet, pvesim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeOrFail(t, pve.Close) })
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, pve.CAPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	var kubeconfigs []string
	for _, c := range []struct{ context, folder string }{{"mgmt", "management"}, {"apps", "apps"}, {"home", "home"}} {
		cluster, err := kubesim.Load(c.folder)
		if err != nil {
			t.Fatal(err)
		}
		srv, err := kubesim.Start(cluster, kubesim.Options{TLS: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeOrFail(t, srv.Close) })
		path := filepath.Join(dir, c.context+".kubeconfig")
		if err := srv.WriteKubeconfig(path, c.context); err != nil {
			t.Fatal(err)
		}
		kubeconfigs = append(kubeconfigs, path)
	}
	// client-go reads KUBECONFIG from the process's own environment.
	t.Setenv("KUBECONFIG", strings.Join(kubeconfigs, string(filepath.ListSeparator)))
	token := pve.TokenIDs()[0]
	return map[string]string{"PROXMOX_URL": pve.URL, "PROXMOX_TOKEN": token, "PROXMOX_SECRET": pve.Secret(token),
		"PROXMOX_CA_FILE": ca}
}

func closeOrFail(t *testing.T, f func() error) {
	t.Helper()
	if err := f(); err != nil {
		t.Error(err)
	}
}

func run(t *testing.T, vars map[string]string, args ...string) (string, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := cli.Env{Stdout: &stdout, Stderr: &stderr, Width: 100, Now: time.Now, Deps: cli.Collectors(),
		Getenv: func(k string) (string, bool) { v, ok := vars[k]; return v, ok }}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := cli.Run(ctx, append([]string{"proxaudit"}, args...), env)
	var verdict *cli.Verdict
	if err != nil && !errors.As(err, &verdict) {
		t.Fatalf("proxaudit %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), err
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./examples/... -update rewrites it); got:\n%s", path, got)
	}
}

func TestOrphansOverTheNetwork(t *testing.T) {
	got, err := run(t, world(t), "orphans", "--config", "proxaudit.yaml", "--now", now)
	golden(t, "orphans.txt", got)
	var verdict *cli.Verdict
	if !errors.As(err, &verdict) || verdict.Incomplete() {
		t.Errorf("the verdict is %v: want findings, and a complete run", err)
	}
	readme, rerr := os.ReadFile("../../README.md")
	if rerr != nil {
		t.Fatal(rerr)
	}
	if !strings.Contains(string(readme), got) {
		t.Error("README.md does not show what the demo prints: copy examples/homelab/orphans.txt into its output block")
	}
}

// TestSnapshotSaysTheSame: the recorded Snapshot gives, without any server, what the servers gave.
func TestSnapshotSaysTheSame(t *testing.T) {
	const path = "snapshot.json"
	if *update {
		if _, err := run(t, world(t), "scan", "--config", "proxaudit.yaml", "--now", now, "-o", "json="+path); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := run(t, nil, "orphans", "--from", path, "--config", "proxaudit.yaml")
	want, err := os.ReadFile("orphans.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("from the Snapshot:\n%s\nover the network:\n%s", got, want)
	}
}
