package adopt_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// A worker that is left out is in no manifest, and the rest is adopted.
func TestLeftOut(t *testing.T) {
	s, o := inventorytest.ScriptBuilt("prod", 3, 3), options()
	o.LeaveOut = []string{"w-2"}
	b := ready(t, plan(t, s, o))
	if bytes.Contains(b.Manifests(), []byte("w-2")) || bytes.Contains(b.NodePatches, []byte("w-2")) {
		t.Error("w-2 is in the bundle")
	}
	if n := bytes.Count(b.Manifests(), []byte("\nkind: Machine\n")); n != 5 {
		t.Errorf("%d Machines", n)
	}
	if bytes.Contains(b.Manifests(), []byte("8c-64g")) {
		t.Error("there is a MachineDeployment of nobody")
	}
}

// Neither a control plane nor a Node that is not there can be left out.
func TestLeaveOutErrors(t *testing.T) {
	for name, want := range map[string]string{"cp-1": "etcd members", "w-9": "no such Node"} {
		o := options()
		o.LeaveOut = []string{name}
		_, err := adopt.Make(inventorytest.ScriptBuilt("prod", 3, 3), o)
		var e *adopt.LeaveOutError
		if !errors.As(err, &e) || e.Node != name || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No hash that stands for a credential is ever written in its place.
func TestNoHashInManifests(t *testing.T) {
	s := inventorytest.ScriptBuilt("prod", 1, 1)
	hash := "sha256:" + strings.Repeat("a1", 32)
	k := s.Clusters[0].Kubeadm
	k.ClusterConfiguration = strings.Replace(k.ClusterConfiguration, "scheduler: {}", "scheduler: {extraEnvs: [{name: P, value: \""+hash+"\"}], extraArgs: [{name: t, value: \""+hash+"\"}]}", 1)
	if b := ready(t, plan(t, s, options())); bytes.Contains(b.Manifests(), []byte(hash)) {
		t.Error("the manifests have it")
	}
	k.ClusterConfiguration = strings.Replace(k.ClusterConfiguration, "imageRepository: registry.k8s.io", "imageRepository: https://sha256-"+strings.Repeat("a1", 32)+"@r.example", 1)
	if p := plan(t, s, options()); p.Ready() {
		t.Error("a repository with a hash in it is rendered")
	}
}
