package exampletest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// Example is a folder with a fleet for each site, a folder of manifests for each Kubernetes API, and proxaudit.yaml. Paths
// are relative to the test's own folder, which is the example's.
type Example struct {
	// Now is the moment at which it stands still.
	Now   string
	Sites []Site
	// Clusters are the Kubernetes APIs, the current context first.
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

// Cluster is one Kubernetes API.
type Cluster struct {
	// Context is its name in the kubeconfig.
	Context string
	// Folder holds its manifests; empty means Context.
	Folder string
	// Address is what stands in the example's files for the simulator's own, like 192.0.2.20:6443.
	Address string
}

// World is an Example whose simulators run.
type World struct {
	example Example
	env     map[string]string
	config  string
	// shown makes the example's addresses of the simulators', and real the other way round.
	shown, real *strings.Replacer
	clusters    map[string]*kubesim.Server
	sites       []*pvesim.Server
}

// Served may change what a simulator of a Kubernetes API serves before it starts.
type Served func(context string, cluster *kubesim.Cluster)

// Start runs the simulators until the test ends. change may be nil.
func (e Example) Start(t *testing.T, change Served) *World {
	t.Helper()
	w := &World{example: e, env: map[string]string{}, clusters: map[string]*kubesim.Server{}}
	dir := t.TempDir()
	var shown, real []string
	pair := func(running, example string) {
		shown, real = append(shown, running, example), append(real, example, running)
	}
	for _, s := range e.Sites {
		srv := e.startSite(t, s)
		w.sites = append(w.sites, srv)
		pair(strings.TrimPrefix(srv.URL, "https://"), s.Address)
		// The name under which proxaudit.yaml looks for the certificate, in the folder of the configuration.
		ca := write(t, filepath.Join(dir, strings.TrimSuffix(s.Fleet, ".yaml")+".pem"), srv.CAPEM())
		token := srv.TokenIDs()[0]
		if s.SecretEnv != "" {
			w.env[s.SecretEnv] = srv.Secret(token)
			continue
		}
		w.env["PROXMOX_URL"], w.env["PROXMOX_TOKEN"], w.env["PROXMOX_SECRET"] = srv.URL, token, srv.Secret(token)
		w.env["PROXMOX_CA_FILE"] = ca
	}
	var kubeconfigs []string
	for _, c := range e.Clusters {
		srv := startCluster(t, c, change)
		w.clusters[c.Context] = srv
		pair(strings.TrimPrefix(srv.URL(), "https://"), c.Address)
		pair(fingerprint(t, srv, c.Context), madeUp(c.Context))
		path := filepath.Join(dir, c.Context+".kubeconfig")
		if err := srv.WriteKubeconfig(path, c.Context); err != nil {
			t.Fatal(err)
		}
		kubeconfigs = append(kubeconfigs, path)
	}
	w.shown, w.real = strings.NewReplacer(shown...), strings.NewReplacer(real...)
	config, err := os.ReadFile("proxaudit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w.config = write(t, filepath.Join(dir, "proxaudit.yaml"), []byte(w.real.Replace(string(config))))
	// client-go reads KUBECONFIG from the process's own environment.
	t.Setenv("KUBECONFIG", strings.Join(kubeconfigs, string(filepath.ListSeparator)))
	return w
}

// startSite serves a fleet whose clock stands where the example's does.
func (e Example) startSite(t *testing.T, s Site) *pvesim.Server {
	t.Helper()
	now, err := time.Parse(time.RFC3339, e.Now)
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
	return srv
}

func startCluster(t *testing.T, c Cluster, change Served) *kubesim.Server {
	t.Helper()
	folder := c.Folder
	if folder == "" {
		folder = c.Context
	}
	cluster, err := kubesim.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(c.Context, cluster)
	}
	srv, err := kubesim.Start(cluster, kubesim.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeOrFail(t, srv.Close) })
	return srv
}

func closeOrFail(t *testing.T, f func() error) {
	t.Helper()
	if err := f(); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
