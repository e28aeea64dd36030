package why

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/test/realkube"
	"github.com/proxaudit/proxaudit/test/world"
)

// bench is a management cluster with live controllers, one cluster that has Nodes, and a Proxmox VE that does what it is asked.
type bench struct {
	management, workload *realkube.Server
	managers             *realkube.Managers
	kubeadm              *realkube.Kubeadm
	pve                  *pvesim.Server

	// dir is for the test's own files. program is proxaudit, kubectl the tool that the commands which it prints find.
	dir, program, kubectl string
	// operator and nodes are kubeconfigs of a person who may do everything, endpoint is that of the controllers.
	operator, nodes, endpoint string
	// config is the proxaudit.yaml of that person, readerConfig one of an account that may do what examples/rbac grants.
	config, readerConfig string
	// readerAccess is the reader's kubeconfig of the management cluster.
	readerAccess string
	confidential []string
	// read counts the commands of why that were run.
	read map[string]int
}

func start(t *testing.T) *bench {
	t.Helper()
	began := time.Now()
	b := &bench{dir: t.TempDir(), read: map[string]int{}}
	var err error
	if b.program, err = world.Build(scratch); err != nil {
		t.Fatal(err)
	}
	b.startPVE(t)
	// The servers outlive the test's context, which ends before its cleanup does.
	ctx := context.Background()
	servers, err := realkube.Start(ctx, filepath.Join(b.dir, "bench"), "management", prod)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	b.management, b.workload = servers.Server("management"), servers.Server(prod)
	var wait sync.WaitGroup
	var managersErr, kubeadmErr error
	// Without access of its own, CAPMOX goes by the credentialsRef of each cluster.
	wait.Go(func() { b.managers, managersErr = b.management.StartManagers(ctx, realkube.ProxmoxAccess{}) })
	wait.Go(func() { b.kubeadm, kubeadmErr = b.workload.BuildKubeadm(ctx, nodes()) })
	wait.Wait()
	for _, err := range []error{managersErr, kubeadmErr} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { world.Complaints(t, b.managers, b.pve) })
	b.writeAccess(t)
	t.Logf("the bench is up after %.1f s", time.Since(began).Seconds())
	return b
}

func (b *bench) startPVE(t *testing.T) {
	t.Helper()
	var err error
	b.pve, err = pvesim.Start(site(), pvesim.Options{Writable: true, AuthDelay: pvesim.NoDelay, AgentTimeout: pvesim.NoDelay})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.pve.Close(); err != nil {
			t.Error(err)
		}
	})
	b.confidential = []string{"PRIVATE KEY", wrongSecret}
	for _, token := range []string{auditToken, capmoxToken, weakToken} {
		b.confidential = append(b.confidential, b.pve.Secret(token))
	}
}

// writeAccess writes the kubeconfigs, the two proxaudit.yaml, and a folder in which kubectl is called kubectl.
func (b *bench) writeAccess(t *testing.T) {
	t.Helper()
	tool, err := realkube.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	b.kubectl = filepath.Join(b.dir, "bin", "kubectl")
	if err := os.MkdirAll(filepath.Dir(b.kubectl), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tool, b.kubectl); err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(b.dir, name+".kubeconfig") }
	b.operator, b.nodes, b.endpoint = path("management"), path(prod), path("endpoint")
	b.readerAccess = path("reader-management")
	for _, err := range []error{
		b.management.Kubeconfig(b.operator, "operator", "system:masters"),
		b.workload.Kubeconfig(b.nodes, "operator", "system:masters"),
		b.management.Kubeconfig(b.readerAccess, "proxaudit-reader", "proxaudit"),
		b.workload.Kubeconfig(path("reader-"+prod), "proxaudit-reader", "proxaudit"),
		b.kubeadm.EndpointKubeconfig(b.endpoint, "kubernetes-admin", "system:masters"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const roles = "../../examples/rbac"
	b.run(t, b.operator, "apply", "-f", roles+"/management.yaml", "-f", roles+"/workload.yaml")
	b.run(t, b.nodes, "apply", "-f", roles+"/workload.yaml")
	b.config = b.writeConfig(t, "proxaudit.yaml", b.operator, b.nodes)
	b.readerConfig = b.writeConfig(t, "reader.yaml", b.readerAccess, path("reader-"+prod))
}

func (b *bench) writeConfig(t *testing.T, name, management, workload string) string {
	t.Helper()
	data, err := yaml.Marshal(object{
		"sites":      []object{{"name": "dc1", "url": b.pve.URL, "tokenID": auditToken, "secret": b.pve.Secret(auditToken), "fingerprint": b.pve.Fingerprint()}},
		"management": object{"name": "management", "kubeconfig": management},
		"clusters":   []object{{"name": prod, "site": "dc1", "kubeconfig": workload}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.write(t, name, data)
}

// write puts a file into the bench's folder and returns its path.
func (b *bench) write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run is kubectl with one of the kubeconfigs. An exit code other than 0 ends the test.
func (b *bench) run(t *testing.T, kubeconfig string, args ...string) string {
	t.Helper()
	out, err := world.Tool(t, b.dir, b.kubectl, kubeconfig, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// on is kubectl in one namespace of the management cluster.
func (b *bench) on(t *testing.T, namespace string, args ...string) string {
	t.Helper()
	return b.run(t, b.operator, append([]string{"-n", namespace}, args...)...)
}

// apply applies objects in their order.
func (b *bench) apply(t *testing.T, objects ...object) {
	t.Helper()
	var out bytes.Buffer
	for _, o := range objects {
		if err := json.NewEncoder(&out).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t, b.operator, "apply", "-f", b.write(t, "objects.json", out.Bytes()))
}

// condition is STATUS/REASON of a condition of the first object of a kind in a namespace, or of NAME where kind is KIND/NAME.
func (b *bench) condition(t *testing.T, namespace, kind, condition string) string {
	t.Helper()
	path := fmt.Sprintf(`{.status.conditions[?(@.type==%q)].status}/{.status.conditions[?(@.type==%[1]q)].reason}`, condition)
	if !strings.Contains(kind, "/") {
		path = strings.ReplaceAll(path, "{.status", "{.items[0].status")
		if b.on(t, namespace, "get", kind, "-o", "name") == "" {
			return "there is none"
		}
	}
	return b.on(t, namespace, "get", kind, "-o", "jsonpath="+path)
}

// logged is true once a manager has logged an entry with all the words.
func (b *bench) logged(t *testing.T, provider string, words ...string) bool {
	t.Helper()
	path, err := b.managers.Log(provider)
	if err != nil {
		t.Fatal(err)
	}
	// What goes on in another line begins with a blank.
	for _, entry := range regexp.MustCompile(`\n\b`).Split(readFile(t, path), -1) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(entry, w) }) {
			return true
		}
	}
	return false
}
