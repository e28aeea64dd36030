package progress_test

import (
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// named is the state of the table with a name.
func named(t *testing.T, name string) *state {
	t.Helper()
	for _, c := range table() {
		if c.name == name {
			return &c
		}
	}
	t.Fatalf("there is no state %q", name)
	return nil
}

// Narrowed to one machine, what others wait for is left out, and what holds the machine stays, wherever it is.
func TestNarrow(t *testing.T) {
	worker := inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: "team", Name: "prod-w1"}
	plane := inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: "team", Name: "prod-cp-a"}
	node := inventory.Ref{Kind: "Node", Name: "prod-w1"}
	for _, c := range []struct {
		name   string
		about  inventory.Ref
		state  progress.State
		object string
		note   string
	}{
		{"the pool is exhausted", worker, progress.Stuck, "InClusterIPPool/prod-v4-icip", ""},
		{"the pool is exhausted", plane, progress.Healthy, "", "waits for nobody"},
		{"the clone runs", worker, progress.Converging, "ProxmoxMachine/prod-w1", ""},
		{"CAPMOX crashes", worker, progress.Stuck, "Deployment/capmox-controller-manager", ""},
		{"CAPMOX is down in a deletion", worker, progress.Stuck, "Deployment/capmox-controller-manager", ""},
		{"a Node without providerID", worker, progress.Stuck, "Node/prod-w1", ""},
		{"a Node without providerID", node, progress.Stuck, "Node/prod-w1", ""},
		{"no network plugin", node, progress.Stuck, "Node/prod-w1", ""},
		{"no network plugin", worker, progress.Stuck, "Node/prod-w1", ""},
		{"no network plugin", plane, progress.Healthy, "", "waits for nobody"},
		{"a worker waits for the control plane", worker, progress.Stuck, "Machine/prod-cp-a", "it waits for the cluster"},
		{"one more worker", node, progress.Healthy, "", "waits for nobody"},
	} {
		t.Run(c.name+" "+c.about.Kind+" "+c.about.Name, func(t *testing.T) {
			s := named(t, c.name).lab(t).snapshot(t)
			got := narrowed(s, c.about)
			object := ""
			if got.Baton != nil {
				object = got.Baton.Object.Kind + "/" + got.Baton.Object.Name
			}
			if got.State != c.state || object != c.object || !strings.Contains(strings.Join(got.Notes, "\n"), c.note) || (c.note == "") != (len(got.Notes) == 0) {
				t.Errorf("%s", toJSON(t, got))
			}
		})
	}
}

// A phase is as bad as what holds it: one that somebody paused does not converge. What a phase rests on says nothing of Nodes where none is.
func TestPhases(t *testing.T) {
	for name, want := range map[string]struct {
		phase    progress.PhaseID
		state    progress.State
		evidence string
	}{
		"a change in a paused cluster": {progress.PhaseControlPlane, progress.Stuck, "initialised, 1 of 1 control-plane Machines have their Node"},
		"no first Machine":             {progress.PhaseNetwork, progress.NotStarted, "no Machine has a Node yet"},
		"kubeadm init does not end":    {progress.PhaseNetwork, progress.NotStarted, "no Machine has a Node yet"},
	} {
		got := analyse(named(t, name).lab(t).snapshot(t))
		for _, p := range got.Phases {
			if p.ID == want.phase && (p.State != want.state || strings.Join(p.Evidence, "; ") != want.evidence) {
				t.Errorf("%s: %+v, want %+v", name, p, want)
			}
		}
	}
}

// The condition of a ProxmoxMachine is none of the pool that it waits for.
func TestConditionIsTheObjects(t *testing.T) {
	b := analyse(named(t, "the pool is exhausted").lab(t).snapshot(t)).Baton
	if b.Condition != nil || !strings.Contains(strings.Join(b.Evidence, "\n"), "ProxmoxMachine prod-w1: VirtualMachineProvisioned is False (WaitingForStaticIPAllocation)") {
		t.Errorf("%s", toJSON(t, b))
	}
}

// Nothing moves in a paused cluster, and a machine of it says so.
func TestNarrowInAPausedCluster(t *testing.T) {
	l := named(t, "the clone runs").lab(t)
	l.patch(t, `{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}`)
	got := narrowed(l.snapshot(t), inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: "team", Name: "prod-w1"})
	if got.State != progress.Stuck || got.Baton.Cause != progress.CausePaused || len(got.Others) != 1 || got.Others[0].Object.Kind != "ProxmoxMachine" {
		t.Errorf("%s", toJSON(t, got))
	}
}

// What holds another worker is not what a machine waits for that waits for the control plane.
func TestNarrowToWhatAllWaitFor(t *testing.T) {
	l := named(t, "a worker waits for the control plane").lab(t)
	l.patch(t, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: prod-a0, namespace: team, creationTimestamp: "@3d", labels: {cluster.x-k8s.io/cluster-name: prod}, annotations: {cluster.x-k8s.io/paused: ""}}
spec: {clusterName: prod, bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfig, name: prod-a0}}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ProxmoxMachine, name: prod-a0}}
---
kind: Machine
metadata: {name: prod-cp-a}
status: {conditions: [{type: InfrastructureReady, status: "True", reason: Ready, lastTransitionTime: "@3m"}]}`)
	s := l.snapshot(t)
	if c := analyse(s); c.State != progress.Stuck || c.Baton.Object.Name != "prod-a0" {
		t.Fatalf("%s", toJSON(t, c))
	}
	got := narrowed(s, inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: "team", Name: "prod-w1"})
	if got.State != progress.Converging || got.Baton.Object.Name != "prod-cp-a" || got.About != "Machine prod-w1" {
		t.Errorf("%s", toJSON(t, got))
	}
}

// A Node of a cluster that nobody manages is nobody's too.
func TestNarrowInAClusterOfNobody(t *testing.T) {
	l := newLab(t, "v1beta2")
	l.objects = nil
	if got := narrowed(l.snapshot(t), inventory.Ref{Kind: "Node", Name: "prod-w1"}); got.State != progress.NotManaged || len(got.Notes) != 1 {
		t.Errorf("%s", toJSON(t, got))
	}
}

// One that is through waits for nothing, and so not for whoever paused the cluster either.
func TestNarrowOfAMachineThatIsThrough(t *testing.T) {
	l := named(t, "the clone runs").lab(t)
	l.patch(t, `{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}`)
	got := narrowed(l.snapshot(t), inventory.Ref{Group: inventory.GroupCluster, Kind: "Machine", Namespace: "team", Name: "prod-cp-a"})
	if got.State != progress.Healthy || got.Baton != nil || len(got.Notes) != 1 {
		t.Errorf("%s", toJSON(t, got))
	}
}

func narrowed(s *inventory.Snapshot, about inventory.Ref) progress.Cluster {
	sorted := s.Ordered()
	w := progress.New(identity.Resolve(sorted, identity.Options{Grace: grace}), progress.Options{Grace: grace})
	return w.Narrow(w.Cluster(&sorted.Clusters[0]), about)
}
