package adoption

import (
	"os"
	"path/filepath"
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
		w.givingUp(t, dir, "sleep 5")
	})
	w.Step(t, "giving up again, by the script", func() {
		w.givingUp(t, dir, "sleep 1")
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

// givingUp runs what the runbook's last part says, with a shorter wait.
func (w *World) givingUp(t *testing.T, dir, wait string) {
	t.Helper()
	const command = "bash giving-up.sh"
	_, part, _ := strings.Cut(string(readFile(t, filepath.Join(dir, "RUNBOOK.md"))), "## Giving up")
	if !strings.Contains(part, "```sh\n"+command+"\n```") {
		t.Fatalf("the runbook does not say how to give up: %s", part)
	}
	script := filepath.Join(dir, "giving-up.sh")
	whole := string(readFile(t, script))
	if !strings.Contains(whole, "\nset -euo pipefail\n") || !strings.Contains(whole, "\nsleep 60\n") {
		t.Fatalf("giving-up.sh: %s", whole)
	}
	if err := os.WriteFile(script, []byte(strings.Replace(whole, "\nsleep 60\n", "\n"+wait+"\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.shell(t, dir, command)
	if err := os.WriteFile(script, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
}
