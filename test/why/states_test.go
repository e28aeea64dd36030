package why

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/test/world"
)

const (
	stuck      = "stuck"
	converging = "converging"

	core, person, infrastructure, kubelet, plane = "core", "person", "infrastructure", "kubelet", "control-plane"

	capmoxDeployment = "capmox-system/capmox-controller-manager"
	coreDeployment   = "capi-system/capi-controller-manager"

	aboutCluster        = " describe clusters.cluster.x-k8s.io "
	aboutProxmoxCluster = " describe proxmoxclusters.infrastructure.cluster.x-k8s.io "
	aboutProxmoxMachine = " describe proxmoxmachines.infrastructure.cluster.x-k8s.io "
	aboutPlane          = " describe kubeadmcontrolplanes.controlplane.cluster.x-k8s.io "
)

// state is a cluster that comes to a halt.
type state struct {
	// name is the cluster's.
	name string
	// change is what is wrong with the cluster that is applied.
	change func(b *bench, s *scene)
	// then is done once it is applied.
	then func(t *testing.T, b *bench, s *scene)
	// settled is empty once the controllers have come as far as they will, and says until then what it saw.
	settled func(t *testing.T, b *bench) string
	want    answer
	// readable is a Secret that the reader may get by its name, and wantReading the answer with --read-secrets.
	readable    string
	wantReading answer
}

// table are all that live beside each other, those that take longest last.
func table() []state {
	var out []state
	for _, g := range [][]state{infrastructureStates, deletionStates, planeStates, hostStates} {
		out = append(out, g...)
	}
	return out
}

// wanted is the answer about one of them.
func wanted(t *testing.T, name string) answer {
	t.Helper()
	states := table()
	i := slices.IndexFunc(states, func(s state) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("there is no state %s", name)
	}
	return states[i].want
}

// TestWhy brings every cluster to its halt, and asks why.
func TestWhy(t *testing.T) {
	b := start(t)
	states := table()
	if len(states) < 12 {
		t.Errorf("only %d states", len(states))
	}
	b.pve.Fail(brokenClones())
	scenes := map[string]*scene{}
	var objects []object
	for _, s := range states {
		sc := newScene(b, s.name)
		if s.change != nil {
			s.change(b, sc)
		}
		if scenes[s.name] != nil {
			t.Fatalf("%s is there twice", s.name)
		}
		scenes[s.name] = sc
		objects = append(objects, sc.objects()...)
	}
	b.apply(t, objects...)
	for _, s := range states {
		if s.then != nil {
			s.then(t, b, scenes[s.name])
		}
	}
	deadline := time.Now().Add(2 * time.Minute)
	t.Run(prod, func(t *testing.T) { b.prod(t) })
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			t.Cleanup(func() { b.asTheyAre(t, s.name) })
			world.WaitFor(t, "the controllers", max(5*time.Second, time.Until(deadline)), func() string { return s.settled(t, b) })
			b.check(t, s.name, s.want)
			if s.readable != "" {
				b.checkReading(t, s)
			}
		})
	}
	t.Run("a worker of no-init", func(t *testing.T) { b.waitsWithCluster(t, "no-init", "no-init-w", wanted(t, "no-init")) })
	t.Run("all", func(t *testing.T) { b.all(t, states) })
	t.Run("controllers", func(t *testing.T) { b.controllers(t) })
	t.Run("commands", func(t *testing.T) { b.ran(t) })
}

// holds waits for a condition: STATUS/REASON, or how that begins, of the first object of a kind, or of KIND/NAME, in the cluster's
// namespace.
func holds(namespace, kind, condition, want string) func(*testing.T, *bench) string {
	return func(t *testing.T, b *bench) string {
		t.Helper()
		if got := b.condition(t, namespace, kind, condition); !strings.HasPrefix(got, want) {
			return condition + " of " + kind + ": " + got + ", want " + want
		}
		return ""
	}
}

// complained waits for a line in CAPMOX's log, where it says of a cluster nothing anywhere else.
func complained(namespace, text string) func(*testing.T, *bench) string {
	return func(t *testing.T, b *bench) string {
		t.Helper()
		if !b.logged(t, "infrastructure-proxmox", namespace, text) {
			return "CAPMOX has not logged: " + text
		}
		return ""
	}
}

// asTheyAre shows what the controllers wrote, if the test failed.
func (b *bench) asTheyAre(t *testing.T, namespace string) {
	t.Helper()
	if !t.Failed() {
		return
	}
	const kinds = "clusters.cluster.x-k8s.io,proxmoxclusters,kubeadmcontrolplanes,machinedeployments,machinesets,machines,kubeadmconfigs,proxmoxmachines,ipaddressclaims,inclusterippools"
	const path = `jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.deletionTimestamp} {.metadata.finalizers} {.status}{"\n"}{end}`
	// The test's context has ended.
	out, err := exec.CommandContext(context.Background(), b.kubectl, "--kubeconfig="+b.operator, "-n", namespace, "get", kinds, "-o", path).CombinedOutput()
	t.Logf("%v\n%s", err, out)
}
