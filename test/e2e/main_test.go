// Package e2e runs the built proxaudit against real Kubernetes API servers and simulated Proxmox VE sites, and
// asserts what a user sees: the output, the exit code, and what the servers were asked.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/proxaudit/proxaudit/test/realkube"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The API servers of the fleet, by the name of their folder in testdata/fleet.
const (
	management = "management"
	prod       = "prod"
	lab        = "lab"
)

const fleetDir = "../testdata/fleet"

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if err := tearDown(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// scratch is a folder for the whole run: the servers outlive the test that needs them first.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "proxaudit-e2e-") })

// servers starts the API servers with the manifests of the fleet, once for all tests. Starting them takes longer
// than any test does.
var servers = sync.OnceValues(func() (*realkube.Bench, error) {
	dir, err := scratch()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	bench, err := realkube.Start(ctx, dir, management, prod, lab)
	if err != nil {
		return nil, err
	}
	if err := bench.Server(management).InstallCRDs(ctx); err != nil {
		return nil, errors.Join(err, bench.Close())
	}
	for _, name := range []string{management, prod, lab} {
		if err := bench.Server(name).Apply(ctx, fleetDir+"/"+name); err != nil {
			return nil, errors.Join(err, bench.Close())
		}
	}
	started = bench
	return bench, nil
})

// started is what tearDown stops.
var started *realkube.Bench

func tearDown() error {
	var failures []error
	if started != nil {
		failures = append(failures, started.Close())
	}
	dir, err := scratch()
	if err == nil {
		err = os.RemoveAll(dir)
	}
	return errors.Join(append(failures, err)...)
}

// fleet returns the running API servers.
func fleet(t *testing.T) *realkube.Bench {
	t.Helper()
	bench, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	return bench
}
