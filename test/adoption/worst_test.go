package adoption

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// worst tries the five worst outcomes (a second VM is cloned, a VM is stopped, a VM is deleted, the control plane is
// rolled, an etcd member is removed) on what the product's bundle made, with its brakes on.
func (w *World) worst(t *testing.T) {
	nodes := w.nodeUIDs(t)
	// Its controller takes its time; it is waited for further down.
	check := healthCheck("everything", object{clusterLabel: prod})
	delete(annotations(check), pausedAnnotation)
	w.apply(t, check)
	// Controllers that remember nothing, and every object reconciled once more: a clone, or a rollout.
	w.Step(t, "new managers", func() { w.restartManagers(t, productOwners.plane) })
	w.Step(t, "everything reconciled once more", func() { w.touch(t) })
	w.Step(t, "nothing came of it", func() { w.adopted(t, nodes, productOwners) })
	// A VM that is stopped from outside is started by hand: CAPMOX neither starts nor changes nor replaces it.
	w.Step(t, "a VM that is stopped by somebody", func() { w.stoppedOutside(t) })
	w.Step(t, "a health check and a Node that is not ready", func() { w.unhealthyNode(t) })
	w.Step(t, "nothing came of that either", func() { w.adopted(t, nodes, productOwners) })
	// A person deletes a worker and a control plane. There is no way back from a deletion, but nothing is lost.
	w.Step(t, "Machines that are deleted", func() { w.deleteHeld(t) })
}

// touch changes an annotation of every object that has a controller, which is then asked for it again.
func (w *World) touch(t *testing.T) {
	t.Helper()
	since := len(w.capmoxAsked(0))
	w.Kubectl(t, "-n", prod, "annotate", "--all", "--overwrite",
		"clusters.cluster.x-k8s.io,proxmoxclusters,kubeadmcontrolplanes,kubeadmconfigs,machines.cluster.x-k8s.io,proxmoxmachines,machinesets,machinedeployments",
		"touched="+time.Now().Format("150405.000"))
	w.sawEvery(t, since)
}

func (w *World) stoppedOutside(t *testing.T) {
	t.Helper()
	set := func(status string) {
		if err := w.PVE.Update(func(f *pvesim.Fleet) { f.VMs[machines[4].vmid].Status = status }); err != nil {
			t.Fatal(err)
		}
	}
	set("stopped")
	w.touch(t)
	if got := w.vm(t, machines[4].vmid).Status; got != "stopped" {
		t.Errorf("%s is %s", machines[4].name, got)
	}
	set("running")
}

// healthCheck selects every Machine with a label, and takes a Node that is not ready for a second for unhealthy.
func healthCheck(name string, selected object) object {
	check := newObject("cluster.x-k8s.io/v1beta2", "MachineHealthCheck", name, object{pausedAnnotation: ""})
	check["spec"] = object{
		"clusterName": prod, "selector": object{"matchLabels": selected},
		"checks": object{"unhealthyNodeConditions": []object{{"type": "Ready", "status": "False", "timeoutSeconds": 1}}},
	}
	return check
}

// setReady says whether the kubelet of a Node reports it ready, since a minute ago.
func (w *World) setReady(t *testing.T, node, status string) {
	t.Helper()
	since := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	w.WorkloadKubectl(t, "patch", "node", node, "--subresource=status", "-p", fmt.Sprintf(
		`{"status":{"conditions":[{"type":"Ready","status":%q,"reason":"Test","lastHeartbeatTime":%q,"lastTransitionTime":%q}]}}`, status, since, since))
}

// unhealthyNode: skip-remediation keeps a health check off. That it has looked shows in its status: it counts only the
// Machines that it may remediate, and those are none.
func (w *World) unhealthyNode(t *testing.T) {
	t.Helper()
	w.setReady(t, "w-3", "False")
	w.WaitField(t, `{.status.conditions[?(@.type=="NodeHealthy")].status}`, "False", "machine/w-3")
	w.WaitField(t, "{.status.observedGeneration}", "1", "machinehealthcheck/everything")
	got := w.Field(t, "machinehealthcheck/everything", "{.status.expectedMachines}/{.status.currentHealthy}")
	if got != "0/0" {
		t.Errorf("the health check has %s of its Machines healthy, want none that it may remediate", got)
	}
	if marked := w.Kubectl(t, "-n", prod, "get", "machines", "-o", `jsonpath={.items[*].status.conditions[?(@.type=="OwnerRemediated")].status}`); marked != "" {
		t.Errorf("Machines are marked for remediation: %s", marked)
	}
	w.Kubectl(t, "-n", prod, "delete", "machinehealthcheck", "everything")
	w.setReady(t, "w-3", "True")
}

// deleteHeld: a Machine that is deleted stays where it is until somebody takes its hooks off: not drained, its VM
// untouched, its etcd member in place, and nobody makes another in its place.
func (w *World) deleteHeld(t *testing.T) {
	t.Helper()
	w.Kubectl(t, "-n", prod, "delete", "--wait=false", "machine/w-1", "machine/cp-3")
	w.WaitField(t, `{.status.conditions[?(@.type=="Deleting")].reason}`, "WaitingForPreDrainHook", "machine/w-1", "machine/cp-3")
	w.touch(t)
	w.workloadUntouched(t)
	if cordoned := w.WorkloadKubectl(t, "get", "nodes", "-o", "jsonpath={.items[?(@.spec.unschedulable==true)].metadata.name}"); cordoned != "" {
		t.Errorf("cordoned: %s", cordoned)
	}
	w.Kubectl(t, "-n", prod, "get", "proxmoxmachine/w-1", "proxmoxmachine/cp-3")
	if got := strings.Fields(w.Kubectl(t, "-n", prod, "get", "machines", "-o", "jsonpath={.items[*].metadata.name}")); len(got) != len(machines) {
		t.Errorf("the Machines are %s", got)
	}
	for _, m := range machines {
		if got := w.vm(t, m.vmid).Status; got != "running" {
			t.Errorf("%s is %s", m.name, got)
		}
	}
}
