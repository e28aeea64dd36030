package progress_test

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
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/internal/kubesim"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/kube"
)

// noon is the clock of the tests.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

const grace = 30 * time.Minute

// ago finds @40m: 40 minutes before noon.
var ago = regexp.MustCompile(`@(\d+)([smhd])\b`)

func times(text string) string {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	return ago.ReplaceAllStringFunc(text, func(s string) string {
		m := ago.FindStringSubmatch(s)
		var n int
		if _, err := fmt.Sscan(m[1], &n); err != nil {
			panic(err)
		}
		return noon.Add(-time.Duration(n) * units[m[2]]).Format(time.RFC3339)
	})
}

// lab is a management cluster with one workload cluster, as API objects.
type lab struct {
	objects []map[string]any
	nodes   []map[string]any
	tune    []func(*inventory.Snapshot)
}

// newLab is a healthy world of testdata, with the controllers that it takes.
func newLab(t *testing.T, world string) *lab {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", world+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{}
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if err := yaml.Unmarshal([]byte(times(string(data))), &list); err != nil {
		t.Fatal(err)
	}
	l.objects = list.Items
	kinds := []string{"kubeadm-bootstrap", "kubeadm-control-plane"}
	if world == "talos" {
		kinds = []string{"talos-bootstrap", "talos-control-plane"}
	}
	for _, k := range append([]string{"core", "capmox", "ipam"}, kinds...) {
		l.patch(t, controller(k))
	}
	for _, n := range []string{"prod-cp-a", "prod-w1"} {
		if slices.ContainsFunc(l.objects, func(o map[string]any) bool { return o["kind"] == "Machine" && name(o) == n }) {
			l.patch(t, node(n))
		}
	}
	return l
}

// controllers are the providers as their own manifests name them (label: clusterctl's provider contract), with the name of their lease
// (main.go of each).
var controllers = map[string]struct{ namespace, deployment, label, lease string }{
	"core":                  {"capi-system", "capi-controller-manager", "cluster-api", "controller-leader-election-capi"},
	"kubeadm-bootstrap":     {"capi-kubeadm-bootstrap-system", "capi-kubeadm-bootstrap-controller-manager", "bootstrap-kubeadm", "kubeadm-bootstrap-manager-leader-election-capi"},
	"kubeadm-control-plane": {"capi-kubeadm-control-plane-system", "capi-kubeadm-control-plane-controller-manager", "control-plane-kubeadm", "kubeadm-control-plane-manager-leader-election-capi"},
	"talos-bootstrap":       {"cabpt-system", "cabpt-controller-manager", "bootstrap-talos", "controller-leader-election-cabpt"},
	"talos-control-plane":   {"cacppt-system", "cacppt-controller-manager", "control-plane-talos", "controller-leader-election-cacppt"},
	"capmox":                {"capmox-system", "capmox-controller-manager", "infrastructure-proxmox", "controller-leader-election-capmox"},
	"ipam":                  {"capi-ipam-in-cluster-system", "capi-ipam-in-cluster-controller-manager", "ipam-in-cluster", "4a3f2c1d.ipam.cluster.x-k8s.io"},
}

func controller(which string) string {
	c := controllers[which]
	pod := c.deployment + "-6d5f7c9b8-abcde"
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[2]s, namespace: %[1]s, creationTimestamp: "@10d", generation: 1, labels: {cluster.x-k8s.io/provider: %[3]s}}
spec: {replicas: 1, template: {spec: {containers: [{name: manager, image: "registry.example.com/%[3]s:v1.0.0"}]}}}
status: {observedGeneration: 1, replicas: 1, availableReplicas: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: %[5]s, namespace: %[1]s, creationTimestamp: "@10d", labels: {cluster.x-k8s.io/provider: %[3]s}}
status:
  phase: Running
  conditions: [{type: Ready, status: "True", lastTransitionTime: "@10d"}]
  containerStatuses: [{name: manager, restartCount: 0, state: {running: {startedAt: "@10d"}}}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: %[4]s, namespace: %[1]s, creationTimestamp: "@10d"}
spec: {holderIdentity: %[5]s_0d1f1c3e-0000-4000-8000-000000000001, leaseDurationSeconds: 15, renewTime: "@5s"}
`, c.namespace, c.deployment, c.label, c.lease, pod)
}

// node is a Node of the workload cluster, with the providerID of its Machine.
func node(name string) string {
	uuid, plane := "1a2b0001-3c4d-4e5f-8000-000000000002", ""
	if name == "prod-cp-a" {
		uuid, plane = "1a2b0001-3c4d-4e5f-8000-000000000001", `node-role.kubernetes.io/control-plane: ""`
	}
	return fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata: {name: %s, creationTimestamp: "@10d", labels: {%s}}
spec: {providerID: "proxmox://%s"}
status:
  nodeInfo: {systemUUID: %s, kubeletVersion: v1.33.4}
  addresses: [{type: Hostname, address: %s}]
  conditions: [{type: Ready, status: "True", reason: KubeletReady, message: kubelet is posting ready status, lastTransitionTime: "@10d"}]
`, name, plane, uuid, uuid, name)
}

func name(o map[string]any) string {
	m, ok := o["metadata"].(map[string]any)
	if !ok {
		return ""
	}
	s, _ := m["name"].(string)
	return s
}

// patch merges documents into the objects of their kind and name, or adds them. null takes a field away, and a document with delete: true
// the object; conditions are merged by type.
func (l *lab) patch(t *testing.T, documents string) {
	t.Helper()
	for _, doc := range strings.Split(times(documents), "\n---\n") {
		var p map[string]any
		if err := yaml.UnmarshalStrict([]byte(doc), &p); err != nil {
			t.Fatalf("%v in:\n%s", err, doc)
		}
		if len(p) == 0 {
			continue
		}
		into := &l.objects
		if p["kind"] == "Node" {
			into = &l.nodes
		}
		i := slices.IndexFunc(*into, func(o map[string]any) bool { return o["kind"] == p["kind"] && name(o) == name(p) })
		switch {
		case p["delete"] == true && i < 0:
			t.Fatalf("there is no %v %s to delete", p["kind"], name(p))
		case p["delete"] == true:
			*into = slices.Delete(*into, i, i+1)
		case i >= 0:
			(*into)[i] = merge((*into)[i], p)
		case p["apiVersion"] == nil:
			t.Fatalf("there is no %v %s to patch", p["kind"], name(p))
		default:
			*into = append(*into, p)
		}
	}
}

// merge is RFC 7386's, but for conditions.
func merge(old, patch map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range old {
		out[k] = v
	}
	for k, v := range patch {
		was, isMap := out[k].(map[string]any)
		now, patches := v.(map[string]any)
		switch {
		case v == nil:
			delete(out, k)
		case isMap && patches:
			out[k] = merge(was, now)
		case k == "conditions" && out[k] != nil:
			out[k] = mergeConditions(out[k].([]any), v.([]any))
		default:
			out[k] = v
		}
	}
	return out
}

// mergeConditions puts the new ones over those of their type; one without a status takes it away.
func mergeConditions(old, patch []any) []any {
	out := slices.Clone(old)
	for _, p := range patch {
		c := p.(map[string]any)
		i := slices.IndexFunc(out, func(o any) bool { return o.(map[string]any)["type"] == c["type"] })
		switch {
		case i < 0:
			out = append(out, c)
		case c["status"] == nil:
			out = slices.Delete(out, i, i+1)
		default:
			out[i] = c
		}
	}
	return out
}

// server serves objects by the simulated API server, and connects the real collector to it.
func server(t *testing.T, context string, objects []map[string]any) *kube.Client {
	t.Helper()
	cl, err := kubesim.NewCluster(kubesim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		doc, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := cl.Add(context, doc); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := kubesim.Start(cl, kubesim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(t.TempDir(), context)
	if err := srv.WriteKubeconfig(path, context); err != nil {
		t.Fatal(err)
	}
	c, err := kube.Connect(kube.Target{Key: context, Kubeconfig: path, HashKey: []byte("a fixed key for tests")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// snapshot is what the real collectors make of it: a cluster without Nodes does not answer. The site has the VMs of both machines.
func (l *lab) snapshot(t *testing.T) *inventory.Snapshot {
	t.Helper()
	s := &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: noon}
	s.Append(server(t, "mgmt", l.objects).CollectManagement(context.Background(), kube.ManagementOptions{Controllers: true}))
	w := &inventory.Snapshot{Clusters: []inventory.Cluster{{}}, Coverage: []inventory.Coverage{{Source: inventory.ClusterSource("prod"), Scope: inventory.ScopeNodes,
		State: inventory.Failed, Reason: "no route to host"}}}
	if len(l.nodes) > 0 {
		w = server(t, "prod", l.nodes).CollectWorkload(context.Background(), "prod", kube.WorkloadOptions{})
	}
	if len(s.Clusters) == 0 {
		s.Clusters = []inventory.Cluster{{Key: "prod"}}
	}
	// The test's own kubeconfigs have another name each time.
	s.Management.Kubeconfig = ""
	s.Clusters[0].Access, s.Clusters[0].Version = "kubeconfig prod", w.Clusters[0].Version
	w.Clusters = nil
	s.Append(w)
	s.Sites = []inventory.Site{{Name: "home", Standalone: true, Nodes: []inventory.ProxmoxNode{{Name: "pve1", Status: "online"}}, Visibility: inventory.Visibility{Complete: true}}}
	s.Coverage = append(s.Coverage, complete(inventory.SiteSource("home"), inventory.ScopeGuests), complete(inventory.SiteSource("home"), inventory.ConfigScope("pve1")),
		complete(inventory.SiteSource("home"), inventory.ScopeTasks))
	for i, name := range []string{"prod-cp-a", "prod-w1"} {
		s.VMs = append(s.VMs, inventory.VM{Site: "home", VMID: 101 + i, Type: "qemu", Node: "pve1", Name: name, Status: "running",
			Config: &inventory.VMConfig{UUID: fmt.Sprintf("1a2b0001-3c4d-4e5f-8000-%012d", i+1), UUIDSource: "smbios1", AgentEnabled: true}})
	}
	for _, f := range l.tune {
		f(s)
	}
	s.Sort()
	return s
}

func complete(source, scope string) inventory.Coverage {
	return inventory.Coverage{Source: source, Scope: scope, State: inventory.Complete, Asked: 1, Got: 1}
}

// analyse is the progress of the first cluster of a Snapshot.
func analyse(s *inventory.Snapshot) progress.Cluster {
	sorted := s.Ordered()
	w := progress.New(identity.Resolve(sorted, identity.Options{Grace: grace}), progress.Options{Grace: grace})
	return w.Cluster(&sorted.Clusters[0])
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
