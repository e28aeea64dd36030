package progress_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// stopped stops a VM of the site.
func stopped(name string) func(*inventory.Snapshot) {
	return func(s *inventory.Snapshot) {
		for i := range s.VMs {
			if s.VMs[i].Name == name {
				s.VMs[i].Status = "stopped"
			}
		}
	}
}

// Clusters that are well in ways of their own are well.
func TestHealthyInAnotherWay(t *testing.T) {
	for _, c := range []struct{ name, patch, note string }{
		{"another control plane", foreignControlPlane, ""},
		{"no workers are wanted", `
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {replicas: 0}}
---
{kind: MachineSet, metadata: {name: prod-md-x}, spec: {replicas: 0}}
---
{kind: Machine, metadata: {name: prod-w1}, delete: true}
---
{kind: ProxmoxMachine, metadata: {name: prod-w1}, delete: true}
---
{kind: Node, metadata: {name: prod-w1}, delete: true}`, ""},
		{"no MachineDeployment at all", `
{kind: MachineDeployment, metadata: {name: prod-md}, delete: true}
---
{kind: MachineSet, metadata: {name: prod-md-x}, delete: true}
---
{kind: Machine, metadata: {name: prod-w1}, delete: true}
---
{kind: ProxmoxMachine, metadata: {name: prod-w1}, delete: true}
---
{kind: Node, metadata: {name: prod-w1}, delete: true}`, ""},
		{"workers that are replaced on deletion", deployment("3h") + `
---
{kind: MachineDeployment, metadata: {name: prod-md}, spec: {rollout: {strategy: {type: OnDelete}}}}`, "OnDelete"},
		{"a Node without a Machine", `
apiVersion: v1
kind: Node
metadata: {name: by-hand, creationTimestamp: "@10d"}
status: {conditions: [{type: Ready, status: "True", reason: KubeletReady, lastTransitionTime: "@10d"}]}`, ""},
		{"a paused MachineDeployment", `{kind: MachineDeployment, metadata: {name: prod-md, annotations: {cluster.x-k8s.io/paused: ""}}}`, ""},
	} {
		l := newLab(t, "v1beta2")
		l.patch(t, c.patch)
		got := analyse(l.snapshot(t))
		if got.State != progress.Healthy || got.Baton != nil || !strings.Contains(strings.Join(got.Notes, "\n"), c.note) || (c.note == "") != (len(got.Notes) == 0) {
			t.Errorf("%s: %s", c.name, toJSON(t, got))
		}
	}
}

// Nothing is said of Nodes that nobody has seen and of which no Machine says anything.
func TestNodesOfWhichNobodySaysAnything(t *testing.T) {
	s := newLab(t, "v1beta2").snapshot(t)
	s = without(s, slices.IndexFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Scope == inventory.ScopeNodes }))
	if c := analyse(s); c.State != progress.Healthy {
		t.Fatalf("by the Machines' word: %s", toJSON(t, c))
	}
	s.Machines = slices.Clone(s.Machines)
	for i := range s.Machines {
		s.Machines[i].Conditions = nil
	}
	c := analyse(s)
	if c.State != progress.Unknown || c.Baton != nil || len(c.Missing) != 1 || c.Missing[0].Scope != inventory.ScopeNodes {
		t.Errorf("%s", toJSON(t, c))
	}
}

// A Cluster that names no control plane is blamed for it only if it is known that it has no Machines.
func TestNoControlPlaneAndNoMachinesSeen(t *testing.T) {
	for _, name := range []string{"the Cluster names no control plane", "CAPMOX is down in a deletion", "the cluster's deletion waits for a hook"} {
		s := named(t, name).lab(t).snapshot(t)
		s = without(s, slices.IndexFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Scope == inventory.ScopeMachines }))
		if c := analyse(s); c.State != progress.Unknown {
			t.Errorf("%s: %s", name, toJSON(t, c))
		}
	}
}

// Machines without a Cluster are stuck, and not nobody's.
func TestMachinesWithoutACluster(t *testing.T) {
	l := newLab(t, "v1beta2")
	l.patch(t, `{kind: Cluster, metadata: {name: prod}, delete: true}`)
	c := analyse(l.snapshot(t))
	if c.State != progress.Stuck || c.Baton.Holder != progress.Person || c.Baton.Cause != progress.CauseOwnerMissing || c.Baton.Object.Kind != "Cluster" || c.Name != "prod" || c.Namespace != "team" {
		t.Errorf("%s", toJSON(t, c))
	}
}

// Clocks differ: what is a moment ahead is now, and what is years ahead, or never was, says nothing.
func TestTimesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		since string
		state progress.State
	}{
		{noon.Add(20 * time.Second).Format(time.RFC3339), progress.Converging},
		{noon.Add(5 * 365 * 24 * time.Hour).Format(time.RFC3339), progress.Stuck},
		{"0001-01-01T00:00:00Z", progress.Stuck},
	} {
		l := named(t, "the clone runs").lab(t)
		l.patch(t, strings.ReplaceAll(proxmoxMachine("prod-w1", "Cloning", "", "1m"), times("@1m"), c.since))
		for _, o := range l.objects {
			if o["kind"] == "ProxmoxMachine" && name(o) == "prod-w1" {
				for _, k := range o["status"].(map[string]any)["conditions"].([]any) {
					k.(map[string]any)["lastTransitionTime"] = c.since
				}
			}
		}
		got := analyse(l.snapshot(t))
		if got.State != c.state || got.Baton.Seconds != nil && *got.Baton.Seconds < 0 {
			t.Errorf("since %s: %s", c.since, toJSON(t, got))
		}
	}
}

// With a clock of ours that is ahead, not every controller has lost its lease.
func TestOurClockIsAhead(t *testing.T) {
	s := newLab(t, "v1beta2").snapshot(t)
	s.CollectedAt = noon.Add(5 * time.Minute)
	if c := analyse(s); c.State != progress.Healthy || len(c.Notes) > 0 {
		t.Errorf("%s", toJSON(t, c))
	}
}

// Of a condition that is there twice the later counts.
func TestAConditionTwice(t *testing.T) {
	for _, flip := range []bool{false, true} {
		s := newLab(t, "v1beta2").snapshot(t)
		d := s.Clusters[0].Declared.Infrastructure
		at := noon.Add(-2 * time.Hour)
		d.Conditions = append(slices.Clone(d.Conditions), inventory.Condition{Type: "ProxmoxAvailable", Status: "False", Reason: "ProxmoxUnreachable", Since: &at})
		if flip {
			slices.Reverse(d.Conditions)
		}
		if c := analyse(s); c.State != progress.Stuck || c.Phase != progress.PhaseInfrastructure {
			t.Errorf("%s", toJSON(t, c))
		}
	}
}

// What a person is told to run cannot be made to run something else by what stands in an object.
func TestRemedyIsQuoted(t *testing.T) {
	s := named(t, "a Node without providerID").lab(t).snapshot(t)
	for i := range s.Machines {
		if s.Machines[i].Name == "prod-w1" {
			s.Machines[i].ProviderID = `proxmox://x"}}' ; reboot ; '`
		}
	}
	b := analyse(s).Baton
	if b.Cause != progress.CauseNodeProviderID || !strings.Contains(b.Remedy, `'{"spec":{"providerID":"proxmox://x\"}}'\'' ; reboot ; '\''"}}'`) || !strings.Contains(b.Remedy, "CHANGES") || !strings.Contains(b.Remedy, "--context=prod") {
		t.Errorf("%s", toJSON(t, b))
	}
}

// Several things at once: what is stuck is named before what moves, and the shared cause before what follows.
func TestSeveralAtOnce(t *testing.T) {
	for _, c := range []struct {
		name, patch, first string
		others             []string
	}{
		{"a control plane moves, and a worker is stuck", rolling("3m") + "\n---\n" + silent("prod-w1"), "Node/prod-w1", []string{"KubeadmControlPlane/prod-cp"}},
		{"no credentials, and a worker's VM is off", `
kind: ProxmoxCluster
metadata: {name: prod}
status: {conditions: [{type: ProxmoxAvailable, status: "False", reason: CredentialsNotFound, lastTransitionTime: "@2h"}]}
---
` + silent("prod-w1"), "ProxmoxCluster/prod", []string{"Node/prod-w1"}},
		{"paused, with a worker that is deleted", `
{kind: Cluster, metadata: {name: prod}, spec: {paused: true}}
---
{kind: Machine, metadata: {name: prod-w1, deletionTimestamp: "@2h"}}`, "Cluster/prod", []string{"Machine/prod-w1"}},
	} {
		l := newLab(t, "v1beta2")
		l.patch(t, c.patch)
		got := analyse(l.snapshot(t))
		var others []string
		for _, b := range got.Others {
			others = append(others, b.Object.Kind+"/"+b.Object.Name)
		}
		if b := got.Baton; b == nil || got.State != progress.Stuck || b.State != progress.Stuck || got.Phase != b.Phase || b.Object.Kind+"/"+b.Object.Name != c.first || !slices.Equal(others, c.others) {
			t.Errorf("%s: %v: %s", c.name, others, toJSON(t, got))
		}
	}
}
