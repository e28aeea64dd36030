package collect

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
	"github.com/proxaudit/proxaudit/inventory/proxmox"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// What must never be seen outside a request: the tokens, and what the objects hide.
const (
	homeSecret = "ca9a2ecc-0000-4000-8000-0000000c0001"
	edgeSecret = "ca9a2ecc-0000-4000-8000-0000000c0002"
	kubeToken  = "ca9a2ecc-kube-token"
	canary     = "ca9a2ecc-in-an-object"
	canaries   = "ca9a2ecc"

	auditor = "proxaudit@pve!audit"
	blind   = "blind@pve!audit"
)

func uuidOf(vmid int) string { return fmt.Sprintf("5d3e9b1a-0000-4000-8000-%012d", vmid) }

func guest(vmid int, name, node string) *pvesim.VM {
	return &pvesim.VM{Node: node, Name: name, UUID: uuidOf(vmid), MAC: fmt.Sprintf("BC:24:11:00:01:%02X", vmid%256),
		Status: "running", Created: "2026-01-01T00:00:00Z", Memory: 2048, Cores: 2, Disk: 20}
}

// homeFleet has the members of prod and of the management cluster, 105 that is prod's by its tag and never joined, and
// 106, which the auditor may not see.
func homeFleet() *pvesim.Fleet {
	stray := guest(105, "prod-w9", "pve2")
	stray.Tags = []string{"prod"}
	stray.Options = map[string]string{"agent": "1"}
	stray.Agent = &pvesim.Agent{Interfaces: []pvesim.AgentInterface{{Name: "eth0", IPs: []string{"192.0.2.105/24"}}}}
	known := guest(102, "prod-w1", "pve2")
	known.Options, known.Agent = stray.Options, stray.Agent
	template := guest(900, "template", "pve1")
	template.Template, template.Status = true, "stopped"
	return &pvesim.Fleet{Cluster: "home", Nodes: map[string]*pvesim.Node{"pve1": {}, "pve2": {}},
		Tokens: map[string]*pvesim.Token{auditor: {Secret: homeSecret, Role: "PVEAuditor"}, blind: {Secret: homeSecret}},
		ACL:    []pvesim.ACL{{Path: "/vms/106", To: auditor, Role: "NoAccess"}},
		VMs: map[int]*pvesim.VM{101: guest(101, "prod-cp", "pve1"), 102: known, 104: guest(104, "mgmt-1", "pve1"),
			105: stray, 106: guest(106, "secret", "pve1"), 900: template}}
}

func edgeFleet() *pvesim.Fleet {
	return &pvesim.Fleet{Cluster: "edge", Nodes: map[string]*pvesim.Node{"edge1": {IP: "198.51.100.1"}},
		Tokens: map[string]*pvesim.Token{auditor: {Secret: edgeSecret, Role: "PVEAuditor"}},
		VMs:    map[int]*pvesim.VM{101: guest(201, "dev-1", "edge1"), 150: guest(202, "nas", "edge1")}}
}

// nodes are Nodes by name with the VM whose UUID they have.
func nodes(of map[string]int) string {
	var b strings.Builder
	for name, vmid := range of {
		fmt.Fprintf(&b, `---
apiVersion: v1
kind: Node
metadata: {name: %[1]s, creationTimestamp: "2026-01-01T01:00:00Z", annotations: {k3s.io/node-args: %[2]s}}
spec: {providerID: "proxmox://%[3]s"}
status:
  conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T01:00:00Z"}]
  nodeInfo: {systemUUID: %[3]s}
`, name, canary, uuidOf(vmid))
	}
	return b.String()
}

// cluster is a Cluster with an endpoint that nobody listens on.
func cluster(name, host string) string {
	return fmt.Sprintf(`---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: %s, namespace: team}
spec: {controlPlaneEndpoint: {host: %s, port: 6443}}
`, name, host)
}

// machine is a Machine with its ProxmoxMachine.
func machine(cluster, name string, vmid int, nodeRef string) string {
	return fmt.Sprintf(`---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: %[2]s, namespace: team, labels: {cluster.x-k8s.io/cluster-name: %[1]s}}
spec:
  clusterName: %[1]s
  providerID: proxmox://%[3]s
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ProxmoxMachine, name: %[2]s}
status: {nodeRef: {name: %[5]q}, initialization: {infrastructureProvisioned: true}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha2
kind: ProxmoxMachine
metadata:
  name: %[2]s
  namespace: team
  labels: {cluster.x-k8s.io/cluster-name: %[1]s}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: %[2]s, uid: x, controller: true}]
spec: {virtualMachineID: %[4]d, providerID: "proxmox://%[3]s", sourceNode: pve1, templateID: 900}
`, cluster, name, uuidOf(vmid), vmid, nodeRef)
}

// declared is what the management cluster has of prod: two members, one whose VM is gone, one whose VM is hidden.
func declared() string {
	return cluster("prod", "192.0.2.50") +
		machine("prod", "prod-cp", 101, "prod-cp") + machine("prod", "prod-w1", 102, "prod-w1") +
		machine("prod", "prod-gone", 150, "") + machine("prod", "prod-hidden", 106, "") + fmt.Sprintf(`---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata: {name: prod-cp, namespace: team}
spec: {files: [{path: /a, content: %[1]s}], users: [{name: u, passwd: %[1]s}]}
`, canary)
}

// lab is two sites, a management cluster and two workload clusters.
type lab struct {
	home, edge      *pvesim.Server
	mgmt, prod, dev *kubesim.Server
	dir             string
	plan            Plan
	log             *logbook
}

func newLab(t *testing.T, tune ...func(*settings)) *lab {
	t.Helper()
	s := settings{home: homeFleet(), edge: edgeFleet(), management: declared()}
	for _, f := range tune {
		f(&s)
	}
	l := &lab{dir: t.TempDir(), log: &logbook{}}
	l.home, l.edge = site(t, s.home), site(t, s.edge)
	l.mgmt = apiServer(t, s.managementConfig, s.management, nodes(map[string]int{"mgmt-1": 104}))
	l.prod = apiServer(t, kubesim.Config{}, nodes(map[string]int{"prod-cp": 101, "prod-w1": 102})+s.prod)
	l.dev = apiServer(t, kubesim.Config{}, nodes(map[string]int{"dev-1": 201}))
	l.plan = Plan{
		Sites:      []proxmox.Config{l.site(t, "home", l.home, homeSecret), l.site(t, "edge", l.edge, edgeSecret)},
		Management: l.target(t, l.mgmt, "mgmt"),
		Workloads: []Workload{
			{Key: "prod", Target: l.target(t, l.prod, "prod"), Site: "home", Selector: inventory.Selector{Tags: []string{"prod"}}},
			{Key: "dev", Target: l.target(t, l.dev, "dev")},
		},
		Now: noon, ToolVersion: "test", Logf: l.log.printf,
	}
	return l
}

type settings struct {
	home, edge       *pvesim.Fleet
	management       string
	managementConfig kubesim.Config
	// prod is what the workload cluster prod has beside its Nodes.
	prod string
}

// logbook notes what is logged. It has no lock: the race detector says if it is called twice at a time.
type logbook struct{ lines []string }

func (b *logbook) printf(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

func (b *logbook) text() string { return strings.Join(b.lines, "\n") }

func site(t *testing.T, fleet *pvesim.Fleet) *pvesim.Server {
	t.Helper()
	s, err := pvesim.Start(fleet, pvesim.Options{AuthDelay: pvesim.NoDelay, AgentTimeout: pvesim.NoDelay,
		Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range s.Requests() {
			if r.Method != http.MethodGet {
				t.Errorf("a site was sent %s %s", r.Method, r.Path)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func apiServer(t *testing.T, config kubesim.Config, documents ...string) *kubesim.Server {
	t.Helper()
	cl, err := kubesim.NewCluster(config)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range documents {
		if err := cl.Add(fmt.Sprintf("document %d", i), []byte(d)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := kubesim.Start(cl, kubesim.Options{TLS: true, Token: kubeToken})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	t.Cleanup(func() {
		once.Do(func() {
			for _, r := range s.Requests() {
				if r.Method != http.MethodGet {
					t.Errorf("an API server was sent %s", r)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	})
	return s
}

func (l *lab) site(t *testing.T, name string, s *pvesim.Server, secret string) proxmox.Config {
	t.Helper()
	ca := filepath.Join(l.dir, name+".pem")
	if err := os.WriteFile(ca, s.CAPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	return proxmox.Config{Site: name, URL: s.URL, TokenID: auditor, Secret: inventory.NewSecret(secret), CAFile: ca}
}

// target leads to a server through a kubeconfig of its own, with a context of this name.
func (l *lab) target(t *testing.T, s *kubesim.Server, context string) *kube.Target {
	t.Helper()
	path := filepath.Join(l.dir, "kubeconfig-"+context)
	if err := s.WriteKubeconfig(path, context); err != nil {
		t.Fatal(err)
	}
	return &kube.Target{Kubeconfig: path, HashKey: []byte("a key for tests")}
}

// dead leads to a server that is gone.
func (l *lab) dead(t *testing.T, context string) *kube.Target {
	t.Helper()
	cl, err := kubesim.NewCluster(kubesim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := kubesim.Start(cl, kubesim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := l.target(t, s, context)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return target
}

func (l *lab) run(t *testing.T) *inventory.Snapshot {
	t.Helper()
	s, timings, err := Run(t.Context(), l.plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range s.Requests {
		if _, ok := timings[q.Source]; !ok {
			t.Errorf("no time is given for %s: %v", q.Source, timings)
		}
	}
	// What a run saw is read again as a file, whatever was merged or left out.
	var b bytes.Buffer
	if err := snapfile.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	if _, err := snapfile.Read(&b); err != nil {
		t.Error(err)
	}
	return s
}

// coverage returns an entry that has to be there.
func coverage(t *testing.T, s *inventory.Snapshot, source, scope string) inventory.Coverage {
	t.Helper()
	c := s.CoverageOf(source, scope)
	if c == nil {
		t.Fatalf("no coverage of %s %s in %+v", source, scope, s.Coverage)
	}
	return *c
}

func keys(s *inventory.Snapshot) []string {
	var out []string
	for i := range s.Clusters {
		out = append(out, s.Clusters[i].Key)
	}
	return out
}

func findCluster(t *testing.T, s *inventory.Snapshot, key string) *inventory.Cluster {
	t.Helper()
	for i := range s.Clusters {
		if s.Clusters[i].Key == key {
			return &s.Clusters[i]
		}
	}
	t.Fatalf("no cluster %q in %q", key, keys(s))
	return nil
}

func requestsOf(s *inventory.Snapshot, source string) inventory.Requests {
	for _, q := range s.Requests {
		if q.Source == source {
			return q
		}
	}
	return inventory.Requests{}
}
