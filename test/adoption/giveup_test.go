package adoption

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestGivingUp goes back in the middle, by what the runbook says for it: all objects are gone, every VM and Node is as it was,
// and Proxmox was asked for no write, though CAPMOX's token may do everything.
func TestGivingUp(t *testing.T) {
	w := newWorld(t, writable())
	nodes := w.nodeUIDs(t)
	w.readSecrets(t)
	dir := filepath.Join(w.Dir, "adoption")
	var steps []step
	w.Step(t, "adopt", func() { steps = w.renderBundle(t, dir) })
	for _, s := range steps {
		w.Step(t, s.ID, func() { w.follow(t, dir, s) })
		if s.ID == "unpause-control-plane" {
			break
		}
	}
	w.Step(t, "giving up", func() {
		lines := w.givingUp(t, dir)
		for _, line := range lines {
			if strings.HasPrefix(line, "sleep ") {
				line = "sleep 5"
			}
			w.shell(t, dir, line)
		}
	})
	w.Step(t, "giving up again, by the script", func() {
		w.shell(t, dir, `sed 's/^sleep .*/sleep 1/' giving-up.sh | sh`)
	})
	w.Step(t, "nothing is left", func() {
		kinds := "clusters.cluster.x-k8s.io,machines.cluster.x-k8s.io,machinesets.cluster.x-k8s.io,machinedeployments.cluster.x-k8s.io," +
			"kubeadmcontrolplanes.controlplane.cluster.x-k8s.io,kubeadmconfigs.bootstrap.cluster.x-k8s.io,kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io," +
			"proxmoxclusters.infrastructure.cluster.x-k8s.io,proxmoxmachines.infrastructure.cluster.x-k8s.io,proxmoxmachinetemplates.infrastructure.cluster.x-k8s.io"
		w.WaitFor(t, "the objects to go", time.Minute, func() string {
			return strings.TrimSpace(w.Kubectl(t, "-n", prod, "get", kinds+",secrets,inclusterippools.ipam.cluster.x-k8s.io", "-o", "name"))
		})
		w.Kubectl(t, "delete", "namespace", prod, "--wait=false")
	})
	// Whatever a controller still had in its queue has been worked on by now.
	time.Sleep(10 * time.Second)
	w.Step(t, "everything is as it was", func() {
		if got := w.nodeUIDs(t); got != nodes {
			t.Errorf("the Nodes changed:\n%swant\n%s", got, nodes)
		}
		w.workloadUntouched(t)
		w.classed(t, "adoptable")
	})
}

// givingUp are the commands of the runbook's last part.
func (w *World) givingUp(t *testing.T, dir string) []string {
	t.Helper()
	_, part, ok := strings.Cut(string(readFile(t, filepath.Join(dir, "RUNBOOK.md"))), "## Giving up")
	if !ok {
		t.Fatal("the runbook does not say how to give up")
	}
	_, code, _ := strings.Cut(part, "```sh\n")
	code, _, _ = strings.Cut(code, "\n```")
	lines := strings.Split(code, "\n")
	if len(lines) < 15 || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "sleep ") }) {
		data, err := json.Marshal(lines)
		t.Fatalf("giving up: %s %v", data, err)
	}
	return lines
}
