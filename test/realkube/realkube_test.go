package realkube_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/proxaudit/proxaudit/test/realkube"
)

var machines = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machines"}

// TestBench walks through all that the end-to-end tests ask of the bench, on one start of it.
func TestBench(t *testing.T) {
	ctx := t.Context()
	bench, err := realkube.Start(ctx, t.TempDir(), "management", "workload")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bench.Close(); err != nil {
			t.Error(err)
		}
	})
	management := bench.Server("management")
	if err := management.InstallCRDs(ctx); err != nil {
		t.Fatal(err)
	}
	if err := management.Apply(ctx, "testdata/management"); err != nil {
		t.Fatal(err)
	}
	t.Run("contract labels", func(t *testing.T) { contractLabels(t, management) })
	t.Run("objects are as the manifests say", func(t *testing.T) { asTheManifestsSay(t, management) })
	t.Run("servers are apart", func(t *testing.T) { serversApart(t, bench.Server("workload")) })
	t.Run("a limited user", func(t *testing.T) { limitedUser(t, management) })
	t.Run("stop and start", func(t *testing.T) { stopAndStart(t, management) })
	t.Run("a refused manifest", func(t *testing.T) { refusedManifest(t, management) })
}

// contractLabels: Cluster API finds the served version of a provider's contract by a label that only the
// rendered CRD has.
func contractLabels(t *testing.T, s *realkube.Server) {
	crds, err := dynamicClient(t, s).Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for _, crd := range crds.Items {
		labels[crd.GetName()] = crd.GetLabels()["cluster.x-k8s.io/v1beta2"]
	}
	for name, want := range map[string]string{
		"machines.cluster.x-k8s.io":                          "",
		"kubeadmconfigs.bootstrap.cluster.x-k8s.io":          "v1beta2",
		"kubeadmcontrolplanes.controlplane.cluster.x-k8s.io": "v1beta2",
		"proxmoxmachines.infrastructure.cluster.x-k8s.io":    "v1alpha2",
		"inclusterippools.ipam.cluster.x-k8s.io":             "",
	} {
		if got, ok := labels[name]; !ok || got != want {
			t.Errorf("CRD %s: installed %t, contract label %q, want %q", name, ok, got, want)
		}
	}
}

// asTheManifestsSay: status arrives through its subresource, and what only a server sets is what the file has.
func asTheManifestsSay(t *testing.T, s *realkube.Server) {
	m, err := dynamicClient(t, s).Resource(machines).Namespace("prod").Get(t.Context(), "prod-w-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(m.GetUID()), "0d3f4a52-0000-4000-8000-000000000001"; got != want {
		t.Errorf("UID %s, want %s", got, want)
	}
	if got, want := m.GetCreationTimestamp().UTC(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); !got.Equal(want) {
		t.Errorf("created %s, want %s", got, want)
	}
	if got := m.GetGeneration(); got != 7 {
		t.Errorf("generation %d, want 7", got)
	}
	if got := m.GetDeletionTimestamp(); got == nil || got.Hour() != 4 {
		t.Errorf("deletionTimestamp %v, want 04:00", got)
	}
	if got := m.Object["status"].(map[string]any)["phase"]; got != "Deleting" {
		t.Errorf("phase %v, want Deleting", got)
	}
	// A list is served from the watch cache, which must have noticed.
	list, err := dynamicClient(t, s).Resource(machines).List(t.Context(), metav1.ListOptions{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].GetUID() != m.GetUID() {
		t.Errorf("the list has %d Machines, the first with UID %s", len(list.Items), list.Items[0].GetUID())
	}
	// Nodes are built in, and stored in another way than custom resources are.
	nodes, err := typedClient(t, s).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 1 {
		t.Fatalf("%d Nodes, want 1", len(nodes.Items))
	}
	node := nodes.Items[0]
	if node.CreationTimestamp.Year() != 2025 || node.Status.NodeInfo.SystemUUID != "8b3bf833-aad8-4545-9b54-1c2d3e4f5a6b" {
		t.Errorf("Node: created %s, systemUUID %q", node.CreationTimestamp, node.Status.NodeInfo.SystemUUID)
	}
	if len(node.Spec.Taints) != 0 {
		t.Errorf("Node: taints %v that the manifest has not", node.Spec.Taints)
	}
}

// serversApart: one etcd, but nothing of one server shows on another.
func serversApart(t *testing.T, s *realkube.Server) {
	nodes, err := typedClient(t, s).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 0 {
		t.Errorf("%d Nodes of another server", len(nodes.Items))
	}
	version, err := typedClient(t, s).Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != realkube.APIServerVersion {
		t.Errorf("the server says that it is %s, not %s: delete the file and run build.sh", version.GitVersion, realkube.APIServerVersion)
	}
	groups, err := typedClient(t, s).Discovery().ServerGroups()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Groups {
		if strings.HasSuffix(g.Name, "x-k8s.io") && g.Name != "apiregistration.k8s.io" {
			t.Errorf("the workload cluster serves %s", g.Name)
		}
	}
}

// limitedUser: a client certificate gets what RBAC grants and no more, and the audit log has both.
func limitedUser(t *testing.T, s *realkube.Server) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := s.Kubeconfig(path, "auditor", "readers"); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the ClusterRole of testdata grants this: %v", err)
	}
	if _, err := client.CoreV1().Secrets("prod").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list Secrets: %v, want 403", err)
	}
	requests := logged(t, s, "auditor", 2)
	if r := requests[0]; r.Verb != "list" || r.Object.Resource != "nodes" || r.Response.Code != 200 {
		t.Errorf("audit log: %+v", r)
	}
	if r := requests[1]; r.Verb != "list" || r.Object.Resource != "secrets" || r.Response.Code != 403 {
		t.Errorf("audit log: %+v", r)
	}
}

// stopAndStart: a server that is down refuses connections, and comes back on its port with its objects.
func stopAndStart(t *testing.T, s *realkube.Server) {
	before := s.URL()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	_, err := typedClient(t, s).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("a stopped server answers: %v", err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.URL() != before {
		t.Errorf("the server moved from %s to %s", before, s.URL())
	}
	asTheManifestsSay(t, s)
}

// refusedManifest: the error names the object and carries the server's words.
func refusedManifest(t *testing.T, s *realkube.Server) {
	err := s.Apply(t.Context(), "testdata/refused")
	if err == nil {
		t.Fatal("a ProxmoxMachine with a providerID that is no UUID was accepted")
	}
	for _, want := range []string{"ProxmoxMachine prod/bad", "spec.providerID"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

// TestMissingBinaries: without the servers the error is one line that says how to get them.
func TestMissingBinaries(t *testing.T) {
	t.Setenv("PROXAUDIT_BENCH_DIR", t.TempDir())
	_, err := realkube.Start(t.Context(), t.TempDir(), "a")
	if err == nil {
		t.Fatal("no error without binaries")
	}
	if !strings.Contains(err.Error(), "make bench-binaries") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q: want one line with make bench-binaries", err)
	}
}

// TestServerThatDies: the error of a server that does not come up carries the end of its log.
func TestServerThatDies(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "etcd-"+realkube.EtcdVersion)
	script := "#!/bin/sh\necho 'first line'\necho 'the disk is full' >&2\nexit 3\n"
	if err := os.WriteFile(fake, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	others := []string{"kube-apiserver-" + realkube.APIServerVersion}
	for _, p := range realkube.Providers() {
		others = append(others, p.FileName())
	}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PROXAUDIT_BENCH_DIR", dir)
	_, err := realkube.Start(t.Context(), t.TempDir(), "a")
	if err == nil {
		t.Fatal("no error although etcd ended")
	}
	for _, want := range []string{"etcd", "exit status 3", "the disk is full"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

// TestVersions: the versions in the Go code are those that build.sh reads from the go.mod files.
func TestVersions(t *testing.T) {
	for file, want := range map[string]string{
		"../bench/etcd/go.mod":           "go.etcd.io/etcd/server/v3 " + realkube.EtcdVersion,
		"../bench/kube-apiserver/go.mod": "k8s.io/kubernetes " + realkube.APIServerVersion,
		"../bench/kubectl/go.mod":        "k8s.io/kubernetes " + realkube.APIServerVersion,
		"../bench/cluster-api/go.mod":    "sigs.k8s.io/cluster-api " + realkube.ClusterAPIVersion,
		"../bench/capmox/go.mod":         "github.com/ionos-cloud/cluster-api-provider-proxmox " + realkube.CAPMOXVersion,
		"../bench/ipam/go.mod":           "sigs.k8s.io/cluster-api-ipam-provider-in-cluster " + realkube.IPAMVersion,
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), want) {
			t.Errorf("%s does not require %s", file, want)
		}
	}
}

// logged waits until the audit log has so many requests of a user: it is written behind the answer.
func logged(t *testing.T, s *realkube.Server, user string, want int) []realkube.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		requests, err := s.Requests(user)
		if err != nil {
			t.Fatal(err)
		}
		if len(requests) == want {
			return requests
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Fatal(ctx.Err())
			}
			t.Fatalf("the audit log has %d requests of %s, want %d: %+v", len(requests), user, want, requests)
		}
	}
}

func typedClient(t *testing.T, s *realkube.Server) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(s.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func dynamicClient(t *testing.T, s *realkube.Server) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(s.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}
