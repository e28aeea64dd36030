package exampletest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// Example is a folder with a fleet for each site, a folder of manifests for each Kubernetes API, and proxaudit.yaml. Paths
// are relative to the test's own folder, which is the example's.
type Example struct {
	// Now is the moment at which it stands still.
	Now   string
	Sites []Site
	// Clusters are the Kubernetes APIs, the management cluster first: its context is the current one.
	Clusters []Cluster
}

// Site is one Proxmox API.
type Site struct {
	// Fleet is the fleet file.
	Fleet string
	// Address is what stands in the example's files for the simulator's own, like 192.0.2.10:8006.
	Address string
	// SecretEnv is the variable in which proxaudit.yaml looks for the token's secret; empty for the only site of an example
	// whose proxaudit.yaml names none: that comes from PROXMOX_URL and the others.
	SecretEnv string
}

// World is an Example whose simulators run.
type World struct {
	example Example
	env     map[string]string
	config  string
	// running and examples are what the simulators have and what the example's files show for it, pair by pair.
	running, examples []string
	authorities       map[string]*Authority
	kubeconfig        *clientcmdapi.Config
}

func (w *World) pair(running, example string) {
	w.running, w.examples = append(w.running, running), append(w.examples, example)
}

// shown puts the example's addresses and fingerprints in the place of the simulators', so that text is the same each time.
func (w *World) shown(text string) string { return exchange(text, w.running, w.examples) }

func exchange(text string, from, to []string) string {
	var pairs []string
	for i := range from {
		pairs = append(pairs, from[i], to[i])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Start runs the simulators until the test ends.
func (e Example) Start(t *testing.T) *World {
	t.Helper()
	w := &World{example: e, env: map[string]string{}, authorities: map[string]*Authority{}}
	dir := t.TempDir()
	for _, s := range e.Sites {
		w.startSite(t, s, dir)
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	w.startClusters(t)
	if err := clientcmd.WriteToFile(*w.kubeconfig, kubeconfig); err != nil {
		t.Fatal(err)
	}
	// client-go reads KUBECONFIG from the process's own environment.
	t.Setenv("KUBECONFIG", kubeconfig)
	w.env["KUBECONFIG"] = kubeconfig
	w.pair(kubeconfig, "/etc/proxaudit/kubeconfig")
	config, err := os.ReadFile("proxaudit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w.config = filepath.Join(dir, "proxaudit.yaml")
	write(t, w.config, exchange(string(config), w.examples, w.running))
	w.pair(w.config, "/etc/proxaudit/proxaudit.yaml")
	return w
}

// startSite serves a fleet whose clock stands where the example's does. The certificate to trust lies beside the
// configuration, under the fleet's name.
func (w *World) startSite(t *testing.T, s Site, dir string) {
	t.Helper()
	now, err := time.Parse(time.RFC3339, w.example.Now)
	if err != nil {
		t.Fatal(err)
	}
	fleet, err := pvesim.LoadFleet(s.Fleet)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := pvesim.Start(fleet, pvesim.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeOrFail(t, srv.Close) })
	w.pair(strings.TrimPrefix(srv.URL, "https://"), s.Address)
	ca := filepath.Join(dir, strings.TrimSuffix(s.Fleet, ".yaml")+".pem")
	write(t, ca, string(srv.CAPEM()))
	token := srv.TokenIDs()[0]
	if s.SecretEnv != "" {
		w.env[s.SecretEnv] = srv.Secret(token)
		return
	}
	w.env["PROXMOX_URL"], w.env["PROXMOX_TOKEN"], w.env["PROXMOX_SECRET"] = srv.URL, token, srv.Secret(token)
	w.env["PROXMOX_CA_FILE"] = ca
}

func closeOrFail(t *testing.T, f func() error) {
	t.Helper()
	if err := f(); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { //nolint:gosec // in a folder that the test made
		t.Fatal(err)
	}
}
