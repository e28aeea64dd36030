package adoption

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/realkube"
	"github.com/proxaudit/proxaudit/test/world"
)

// findTools looks for kubectl and clusterctl and writes the kubeconfigs that they are run with.
func (w *World) findTools(t *testing.T) {
	t.Helper()
	var err error
	if w.kubectl, err = realkube.Kubectl(); err != nil {
		t.Fatal(err)
	}
	if w.clusterctl, err = realkube.Clusterctl(); err != nil {
		t.Fatal(err)
	}
	w.ManagementConfig = filepath.Join(w.Dir, "management.kubeconfig")
	w.WorkloadConfig = filepath.Join(w.Dir, prod+".kubeconfig")
	if err := w.Management.Kubeconfig(w.ManagementConfig, "operator", "system:masters"); err != nil {
		t.Fatal(err)
	}
	if err := w.Workload.Kubeconfig(w.WorkloadConfig, "kubernetes-admin", "system:masters"); err != nil {
		t.Fatal(err)
	}
}

// Kubectl runs kubectl on the management cluster and returns what it printed. An exit code other than 0 ends the test.
func (w *World) Kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return w.must(t, w.kubectl, w.ManagementConfig, args...)
}

// WorkloadKubectl is Kubectl on the workload cluster.
func (w *World) WorkloadKubectl(t *testing.T, args ...string) string {
	t.Helper()
	return w.must(t, w.kubectl, w.WorkloadConfig, args...)
}

// Clusterctl runs clusterctl on the management cluster.
func (w *World) Clusterctl(t *testing.T, args ...string) string {
	t.Helper()
	return w.must(t, w.clusterctl, w.ManagementConfig, args...)
}

// TryKubectl is Kubectl where a refusal is what the test is about: the error carries what was printed.
func (w *World) TryKubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return w.tool(t, w.kubectl, w.ManagementConfig, args...)
}

func (w *World) must(t *testing.T, tool, kubeconfig string, args ...string) string {
	t.Helper()
	out, err := w.tool(t, tool, kubeconfig, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *World) tool(t *testing.T, tool, kubeconfig string, args ...string) (string, error) {
	t.Helper()
	return world.Tool(t, w.Dir, tool, kubeconfig, args...)
}

// WaitFor polls until seen returns "", and fails the test with what it saw last when the time is up.
func (w *World) WaitFor(t *testing.T, what string, limit time.Duration, seen func() string) {
	t.Helper()
	world.WaitFor(t, what, limit, seen)
}

// WaitCondition waits for a condition of objects in the namespace of prod, such as kcp/prod-cp.
func (w *World) WaitCondition(t *testing.T, condition string, objects ...string) {
	t.Helper()
	w.wait(t, "condition="+condition, objects)
}

// WaitField waits until a field of objects has a value, such as {.status.phase} Running.
func (w *World) WaitField(t *testing.T, path, value string, objects ...string) {
	t.Helper()
	w.wait(t, "jsonpath="+path+"="+value, objects)
}

// wait leaves it to kubectl, as the one who follows a runbook does; what it shows in the end is the objects as they are.
func (w *World) wait(t *testing.T, condition string, objects []string) {
	t.Helper()
	args := append([]string{"-n", prod, "wait", "--for=" + condition, "--timeout=90s"}, objects...)
	if _, err := w.TryKubectl(t, args...); err != nil {
		t.Fatalf("%v\n%s", err, w.Kubectl(t, append([]string{"-n", prod, "get", "-o", "yaml"}, objects...)...))
	}
}

// Field reads one field of an object in the namespace of prod with a JSONPath.
func (w *World) Field(t *testing.T, object, path string) string {
	t.Helper()
	return w.Kubectl(t, "-n", prod, "get", object, "-o", "jsonpath="+path)
}

// Unpause takes the paused annotation off objects in the namespace of prod, in their order.
func (w *World) Unpause(t *testing.T, objects ...string) {
	t.Helper()
	args := append([]string{"-n", prod, "annotate"}, objects...)
	w.Kubectl(t, append(args, "cluster.x-k8s.io/paused-")...)
}

// Step runs one step of a runbook, logs what it took, and checks that Proxmox was asked for nothing but reads.
func (w *World) Step(t *testing.T, name string, do func()) {
	t.Helper()
	began := time.Now()
	do()
	t.Logf("%-40s %5.1f s", name, time.Since(began).Seconds())
	w.noWrites(t, name)
	if t.Failed() {
		t.FailNow()
	}
}

// write puts a file into the World's folder and returns its path.
func (w *World) write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(w.Dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
