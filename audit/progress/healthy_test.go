package progress_test

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit/progress"
)

// A healthy cluster of any generation waits for nobody, and nothing about it looks like trouble.
func TestHealthy(t *testing.T) {
	for _, world := range []string{"v1beta1", "v1beta2", "talos"} {
		t.Run(world, func(t *testing.T) {
			c := analyse(newLab(t, world).snapshot(t))
			if c.State != progress.Healthy || c.Phase != "" || c.Baton != nil || len(c.Others)+len(c.Notes)+len(c.Missing) > 0 || len(c.Phases) != 6 {
				t.Fatalf("%s", toJSON(t, c))
			}
			for _, p := range c.Phases {
				if p.State != progress.Done || len(p.Evidence) == 0 {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// What would not act if it had to is said of a healthy cluster, and makes it nothing else.
func TestHealthyWithAnAsleepController(t *testing.T) {
	for _, patch := range []string{
		`{kind: Deployment, metadata: {name: capmox-controller-manager}, status: {availableReplicas: null}}`,
		`{kind: Lease, metadata: {name: controller-leader-election-capi}, spec: {renewTime: "@1h"}}`,
		`{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}`,
	} {
		l := newLab(t, "v1beta2")
		l.patch(t, patch)
		c := analyse(l.snapshot(t))
		if c.State != progress.Healthy || c.Baton != nil || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "would") {
			t.Errorf("%s: %s", patch, toJSON(t, c))
		}
	}
}

// Machines that no control plane's object owns are a control plane as well. The conditions are those that the core controller writes then.
func TestHealthyWithoutControlPlaneObject(t *testing.T) {
	l := newLab(t, "v1beta2")
	l.patch(t, `
{kind: KubeadmControlPlane, metadata: {name: prod-cp}, delete: true}
---
{kind: Machine, metadata: {name: prod-cp-a, ownerReferences: null}}
---
kind: Cluster
metadata: {name: prod}
spec: {controlPlaneRef: null}
status:
  conditions:
  - {type: ControlPlaneAvailable, status: Unknown, reason: InternalError, message: Please check controller logs for errors, lastTransitionTime: "@2h"}
  - {type: Available, status: Unknown, reason: AvailableUnknown, message: "* ControlPlaneAvailable: Please check controller logs for errors", lastTransitionTime: "@2h"}`)
	if c := analyse(l.snapshot(t)); c.State != progress.Healthy || c.Baton != nil {
		t.Error(toJSON(t, c))
	}
}
