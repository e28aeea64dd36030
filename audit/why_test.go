package audit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

// waiting has three clusters: one that waits for its ProxmoxCluster to be made, one that is just applied, and one that nobody declares. The
// states themselves are in audit/progress.
func waiting() *inventory.Snapshot {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	old, young := now.Add(-time.Hour), now.Add(-time.Minute)
	declared := func(name string, at time.Time) *inventory.DeclaredCluster {
		return &inventory.DeclaredCluster{Meta: inventory.Meta{Namespace: "team", Name: name, CreatedAt: &at},
			InfrastructureRef: &inventory.Ref{Group: inventory.GroupInfrastructure, Kind: "ProxmoxCluster", Namespace: "team", Name: name}}
	}
	young1 := declared("young", young)
	young1.Infrastructure = &inventory.ProxmoxCluster{Meta: inventory.Meta{Namespace: "team", Name: "young", CreatedAt: &young}}
	s := &inventory.Snapshot{FormatVersion: inventory.FormatVersion, CollectedAt: now, Management: &inventory.Management{Context: "mgmt"},
		Clusters: []inventory.Cluster{{Key: "stuck", Declared: declared("stuck", old)}, {Key: "young", Declared: young1}, {Key: "scripts"}},
		Machines: []inventory.Machine{{Meta: inventory.Meta{Namespace: "team", Name: "w"}, Cluster: "stuck"}, {Meta: inventory.Meta{Namespace: "team-b", Name: "w"}, Cluster: "young"},
			{Meta: inventory.Meta{Namespace: "team", Name: "x"}, Cluster: "young"}},
		Nodes: []inventory.Node{{Cluster: "stuck", Name: "n"}, {Cluster: "scripts", Name: "n"}, {Cluster: "scripts", Name: "m"}},
	}
	for _, scope := range []string{inventory.ScopeClusters, inventory.ScopeMachines, inventory.ScopeProxmoxMachines, inventory.ScopeProviders,
		"proxmoxclusters.infrastructure.cluster.x-k8s.io", "machinesets.cluster.x-k8s.io", "machinedeployments.cluster.x-k8s.io"} {
		s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ManagementSource, Scope: scope, State: inventory.Complete})
	}
	return s
}

func TestWhy(t *testing.T) {
	r, err := audit.Why(waiting(), audit.Options{}, audit.WhyScope{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]progress.State{}
	for _, c := range r.Items {
		states[c.Key] = c.State
	}
	if r.Kind != audit.KindProgress || len(states) != 3 || states["stuck"] != progress.Stuck || states["scripts"] != progress.NotManaged {
		t.Errorf("%s: %v", r.Kind, states)
	}
	if s := r.Summary; s.Healthy+s.Converging+s.Stuck+s.Unknown+s.NotManaged != 3 || s.NotManaged != 1 || s.Stuck == 0 || s.Incomplete {
		t.Errorf("%+v", s)
	}
	// The provider of a cluster is not there: that does not depend on the grace period.
	for grace, want := range map[time.Duration]progress.State{time.Nanosecond: progress.Stuck, 24 * time.Hour: progress.Stuck} {
		r, err := audit.Why(waiting(), audit.Options{Grace: grace}, audit.WhyScope{Cluster: "young"})
		if err != nil || len(r.Items) != 1 || r.Items[0].State != want {
			t.Errorf("%s: %v, %+v", grace, err, r)
		}
	}
}

func TestWhyUnknownIsIncomplete(t *testing.T) {
	s := waiting()
	s.Coverage = s.Coverage[1:]
	r, err := audit.Why(s, audit.Options{}, audit.WhyScope{Cluster: "scripts"})
	if err != nil || r.Summary.Unknown != 1 || !r.Summary.Incomplete {
		t.Errorf("%v, %+v", err, r)
	}
}

// A cluster is known by its Cluster object's name too, unless several have it; and Machines whose Cluster is gone are a cluster.
func TestWhyClusterNames(t *testing.T) {
	s := waiting()
	s.Clusters[0].Key, s.Clusters[1].Key = "team/prod", "other/prod"
	s.Clusters[0].Declared.Name, s.Clusters[1].Declared.Name, s.Clusters[1].Declared.Namespace = "prod", "prod", "other"
	s.Machines[0].Cluster, s.Machines[1].Cluster, s.Machines[2].Cluster = "team/prod", "gone", "other/prod"
	var e *audit.NoSuchError
	if _, err := audit.Why(s, audit.Options{}, audit.WhyScope{Cluster: "prod"}); !errors.As(err, &e) || !e.Several || !slices.Equal(e.Known, []string{"other/prod", "team/prod"}) {
		t.Errorf("%v", err)
	}
	r, err := audit.Why(s, audit.Options{}, audit.WhyScope{})
	if err != nil || len(r.Items) != 4 || r.Items[3].Key != "gone" || r.Items[3].State != progress.Stuck {
		t.Errorf("%v, %+v", err, r)
	}
	for _, scope := range []audit.WhyScope{{Cluster: "gone"}, {Machine: "team-b/w"}} {
		if r, err := audit.Why(s, audit.Options{}, scope); err != nil || len(r.Items) != 1 || r.Items[0].Key != "gone" || r.Items[0].Baton == nil {
			t.Errorf("%+v: %v, %+v", scope, err, r)
		}
	}
	s.Clusters[1].Key, s.Clusters[1].Declared.Name = "two", "two"
	s.Clusters[0].Key = "prod"
	if r, err := audit.Why(s, audit.Options{}, audit.WhyScope{Cluster: "team/prod"}); err != nil || len(r.Items) != 1 || r.Items[0].Key != "prod" {
		t.Errorf("%v, %+v", err, r)
	}
}

// What was not seen of another cluster is no gap of this one's answer, nor are the Nodes of a cluster that has none yet.
func TestWhyCoverage(t *testing.T) {
	s := waiting()
	for _, key := range []string{"stuck", "young", "scripts"} {
		s.Coverage = append(s.Coverage, inventory.Coverage{Source: inventory.ClusterSource(key), Scope: inventory.ScopeNodes, State: inventory.NotAsked})
	}
	for i := range s.Clusters {
		if s.Clusters[i].Key == "young" {
			s.Clusters[i].Declared.ControlPlaneInitialized = true
		}
	}
	for scope, want := range map[string][]string{"": {"cluster/scripts", "cluster/young"}, "young": {"cluster/young"}, "stuck": nil} {
		r, err := audit.Why(s, audit.Options{}, audit.WhyScope{Cluster: scope})
		if err != nil {
			t.Fatal(err)
		}
		var gaps []string
		for _, c := range r.Coverage {
			if c.Missing() && strings.HasPrefix(c.Source, "cluster/") {
				gaps = append(gaps, c.Source)
			}
		}
		slices.Sort(gaps)
		if !slices.Equal(gaps, want) {
			t.Errorf("%q: %q, want %q", scope, gaps, want)
		}
	}
}

func TestWhyScope(t *testing.T) {
	for name, c := range map[string]struct {
		scope   audit.WhyScope
		cluster string
		several bool
		known   []string
	}{
		"cluster":              {scope: audit.WhyScope{Cluster: "young"}, cluster: "young"},
		"no such cluster":      {scope: audit.WhyScope{Cluster: "yuong"}, known: []string{"scripts", "stuck", "young"}},
		"machine":              {scope: audit.WhyScope{Machine: "x"}, cluster: "young"},
		"machine by namespace": {scope: audit.WhyScope{Machine: "team-b/w"}, cluster: "young"},
		"several machines":     {scope: audit.WhyScope{Machine: "w"}, several: true, known: []string{"team/w", "team-b/w"}},
		"no such machine":      {scope: audit.WhyScope{Machine: "team/y"}},
		"node":                 {scope: audit.WhyScope{Node: "m"}, cluster: "scripts"},
		"node by cluster":      {scope: audit.WhyScope{Node: "stuck/n"}, cluster: "stuck"},
		"several nodes":        {scope: audit.WhyScope{Node: "n"}, several: true, known: []string{"scripts/n", "stuck/n"}},
		"no such node":         {scope: audit.WhyScope{Node: "o"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := audit.Why(waiting(), audit.Options{}, c.scope)
			if c.cluster != "" {
				if err != nil || len(r.Items) != 1 || r.Items[0].Key != c.cluster {
					t.Errorf("%v, %+v", err, r)
				}
				return
			}
			var e *audit.NoSuchError
			if !errors.As(err, &e) {
				t.Fatalf("%v, %+v", err, r)
			}
			slices.Sort(e.Known)
			slices.Sort(c.known)
			if e.Several != c.several || !slices.Equal(e.Known, c.known) || e.Error() == "" {
				t.Errorf("%+v", e)
			}
		})
	}
}
