package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/realkube"
)

// tokenID is the token that the sites of the fleet give to the program.
const tokenID = "proxaudit@pve!audit"

// readers is the group that the ClusterRoles of the fleet are bound to.
const readers = "proxaudit"

// world is what one test sees: the API servers that all tests share, with a user of its own; Proxmox VE sites of its
// own; and a configuration that points at them.
type world struct {
	// ctx outlives the test, for what has to be put back after it.
	ctx    context.Context //nolint:containedctx // see above
	bench  *realkube.Bench
	sites  []*site
	dir    string
	config string
	// user is the name in the client certificates: no two tests share one, so that the audit logs can be told apart.
	user string
	// secrets must not appear in anything that the program prints.
	secrets []string
	// bare lists workload clusters that the configuration gives no kubeconfig for.
	bare []string
}

// site is one simulated Proxmox VE installation.
type site struct {
	*pvesim.Server
	Name string
}

var worlds atomic.Int32

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		ctx: context.Background(), bench: fleet(t), dir: t.TempDir(),
		user:    fmt.Sprintf("proxaudit-%d", worlds.Add(1)),
		secrets: []string{"canary-of-the-file", "PRIVATE KEY"},
	}
	for _, name := range []string{"dc1", "edge"} {
		w.startSite(t, name)
	}
	for _, name := range []string{management, prod, lab} {
		w.writeKubeconfig(t, name, readers)
	}
	w.writeConfig(t)
	return w
}

func (w *world) startSite(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fleetDir, "sites", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var description pvesim.Fleet
	if err := decoder.Decode(&description); err != nil {
		t.Fatalf("site %s: %v", name, err)
	}
	clock, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	server, err := pvesim.Start(&description, pvesim.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatalf("site %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("site %s: %v", name, err)
		}
	})
	w.sites = append(w.sites, &site{Server: server, Name: name})
	w.secrets = append(w.secrets, server.Secret(tokenID))
}

// writeKubeconfig writes the kubeconfig of one API server, for this world's user in groups.
func (w *world) writeKubeconfig(t *testing.T, server string, groups ...string) {
	t.Helper()
	if err := w.bench.Server(server).Kubeconfig(w.kubeconfig(server), w.user, groups...); err != nil {
		t.Fatal(err)
	}
}

func (w *world) kubeconfig(server string) string { return filepath.Join(w.dir, server+".kubeconfig") }

// writeConfig writes the proxaudit.yaml that the fleet would have in a home lab.
func (w *world) writeConfig(t *testing.T) {
	t.Helper()
	type m = map[string]any
	var sites []m
	for _, s := range w.sites {
		sites = append(sites, m{
			"name": s.Name, "url": s.URL, "tokenID": tokenID, "secret": s.Secret(tokenID), "fingerprint": s.Fingerprint(),
		})
	}
	clusters := []m{
		{"name": prod, "site": "dc1", "selector": m{"tags": []string{"prod"}}},
		{"name": lab, "selector": m{"tags": []string{"lab"}}},
	}
	for _, c := range clusters {
		if name := c["name"].(string); !slices.Contains(w.bare, name) {
			c["kubeconfig"] = w.kubeconfig(name)
		}
	}
	data, err := yaml.Marshal(m{
		"sites":      sites,
		"management": m{"name": management, "kubeconfig": w.kubeconfig(management)},
		"clusters":   clusters,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.config = filepath.Join(w.dir, "proxaudit.yaml")
	if err := os.WriteFile(w.config, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// noSecrets looks for what the program was given or could have read, in all that it printed.
func (w *world) noSecrets(t *testing.T, o outcome) {
	t.Helper()
	for _, secret := range w.secrets {
		for name, out := range map[string][]byte{"stdout": o.stdout, "stderr": o.stderr} {
			if strings.Contains(string(out), secret) {
				t.Errorf("proxaudit %s: %s has the secret %.8s...", o.args, name, secret)
			}
		}
	}
}

// site returns the site of a name.
func (w *world) site(name string) *site {
	for _, s := range w.sites {
		if s.Name == name {
			return s
		}
	}
	panic("no site " + name)
}

// offline takes a host off, as if it had been off for a while already.
func (s *site) offline(t *testing.T, host string, ago time.Duration) {
	t.Helper()
	if err := s.SetOffline(host, ago); err != nil {
		t.Fatal(err)
	}
}

// hide takes a VM out of the token's sight, as an administrator does with the role NoAccess.
func (s *site) hide(t *testing.T, vmid int) {
	t.Helper()
	err := s.Update(func(f *pvesim.Fleet) {
		path := fmt.Sprintf("/vms/%d", vmid)
		f.ACL = append(f.ACL, pvesim.ACL{Path: path, To: tokenID, Role: "NoAccess"})
	})
	if err != nil {
		t.Fatal(err)
	}
}
