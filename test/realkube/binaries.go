package realkube

import (
	"fmt"
	"os"
	"path/filepath"
)

// Versions of what test/bench builds. They are pinned in the go.mod files there, and a test compares.
const (
	EtcdVersion       = "v3.7.3"
	APIServerVersion  = "v1.37.2"
	ClusterAPIVersion = "v1.14.2"
	CAPMOXVersion     = "v0.9.0"
	IPAMVersion       = "v1.1.0"
)

// binaries are the paths of what test/bench/build.sh makes.
type binaries struct {
	dir       string
	etcd      string
	apiserver string
}

// findBinaries looks for the bench results. A missing one is an error that says how to make it: an end-to-end
// test that skips itself where the servers are missing would prove nothing and look green.
func findBinaries() (binaries, error) {
	dir, err := benchDir()
	if err != nil {
		return binaries{}, err
	}
	b := binaries{
		dir:       dir,
		etcd:      filepath.Join(dir, "etcd-"+EtcdVersion),
		apiserver: filepath.Join(dir, "kube-apiserver-"+APIServerVersion),
	}
	need := []string{b.etcd, b.apiserver}
	for _, p := range Providers() {
		need = append(need, filepath.Join(dir, p.FileName()))
	}
	for _, path := range need {
		if err := exists(path); err != nil {
			return binaries{}, err
		}
	}
	return b, nil
}

// Kubectl returns the path of kubectl, of the API server's version.
func Kubectl() (string, error) { return binary("kubectl-" + APIServerVersion) }

// Clusterctl returns the path of clusterctl, of Cluster API's version.
func Clusterctl() (string, error) { return binary("clusterctl-" + ClusterAPIVersion) }

// binary returns the path of a file that build.sh makes.
func binary(name string) (string, error) {
	dir, err := benchDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, exists(path)
}

func exists(path string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%s is missing: build it with `make bench-binaries` (test/bench/build.sh; about half an hour on two cores, once)", path)
	}
	return nil
}

// benchDir is the directory that test/bench/build.sh writes to, found by the same rule.
func benchDir() (string, error) {
	if dir := os.Getenv("PROXAUDIT_BENCH_DIR"); dir != "" {
		return dir, nil
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no place for the bench binaries: set PROXAUDIT_BENCH_DIR: %w", err)
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "proxaudit-bench"), nil
}
