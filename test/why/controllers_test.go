package why

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/world"
)

// controllers go away one after the other, which is the last that is done to them.
func (b *bench) controllers(t *testing.T) {
	t.Run("bootstrap webhook", func(t *testing.T) { b.withoutBootstrap(t) })
	t.Run("stale lease", func(t *testing.T) { b.staleLease(t) })
	t.Run("CAPMOX down", func(t *testing.T) { b.withoutCAPMOX(t) })
}

// withoutBootstrap: the control plane's controller cannot make a KubeadmConfig while nobody answers for its webhook.
func (b *bench) withoutBootstrap(t *testing.T) {
	if err := b.managers.Halt("bootstrap-kubeadm"); err != nil {
		t.Fatal(err)
	}
	const name = "no-bootstrap"
	b.apply(t, newScene(b, name).objects()...)
	world.WaitFor(t, "the control plane", time.Minute, func() string {
		out := b.on(t, name, "get", "kubeadmcontrolplane/"+name+"-cp", "-o", `jsonpath={.status.deprecated.v1beta1.conditions[?(@.type=="MachinesCreated")].message}`)
		if !strings.Contains(out, "failed calling webhook") {
			return "MachinesCreated: " + out
		}
		return ""
	})
	b.check(t, name, answer{state: stuck, phase: "bootstrap", holder: person, cause: "webhook-down", object: "KubeadmControlPlane/no-bootstrap-cp",
		says: "a webhook does not answer", shows: "kubeadmconfig", command: aboutPlane + "no-bootstrap-cp"})
}

// withoutCAPMOX: the one who should act is gone, and whatever else is wrong does not matter.
func (b *bench) withoutCAPMOX(t *testing.T) {
	if err := b.managers.Halt("infrastructure-proxmox"); err != nil {
		t.Fatal(err)
	}
	// As the controllers of Deployments and Pods write it, which are not here.
	b.on(t, "capmox-system", "patch", "deployment/capmox-controller-manager", "--subresource=status", "--type=merge", "-p",
		`{"status":{"readyReplicas":0,"availableReplicas":0,"unavailableReplicas":1}}`)
	for _, name := range []string{"no-credentials", "wrong-secret"} {
		b.check(t, name, answer{state: stuck, phase: "infrastructure", holder: infrastructure, cause: "controller-down", object: "Deployment/capmox-controller-manager",
			controller: capmoxDeployment, says: "none of its replicas is available", shows: "what is not done: ProxmoxCluster " + name, command: "-n capmox-system get deployments,pods"})
	}
}

// staleLease: its Deployment is as it should be, and none of its Pods leads. The managers of the bench run without leader election, and
// this is what a Pod leaves that did and hangs.
func (b *bench) staleLease(t *testing.T) {
	lease := func(age time.Duration) object {
		return object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{"name": "controller-leader-election-capmox", "namespace": "capmox-system"},
			"spec": object{"holderIdentity": "capmox-controller-manager-6d5f9c7b8-x2x4z_7e2d", "leaseDurationSeconds": 15,
				"renewTime": time.Now().UTC().Add(-age).Format("2006-01-02T15:04:05.000000Z")}}
	}
	b.apply(t, lease(10*time.Minute))
	const name = "no-credentials"
	b.check(t, name, answer{state: stuck, phase: "infrastructure", holder: infrastructure, cause: "controller-down", object: "Deployment/capmox-controller-manager",
		controller: capmoxDeployment, says: "nobody has renewed its leader's lease controller-leader-election-capmox", shows: fmt.Sprintf("what is not done: ProxmoxCluster %s", name), command: "-n capmox-system get deployments,pods"})
	b.apply(t, lease(0))
	if got := b.why(t, name, 0); got.Baton == nil || got.Baton.Cause != "not-reconciled" {
		t.Error(asJSON(t, got))
	}
}
