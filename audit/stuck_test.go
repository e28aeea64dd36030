package audit_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/snapfile"
)

// stuckFleet is a fleet with clusters that are stuck.
func stuckFleet(t *testing.T) *inventory.Snapshot {
	t.Helper()
	files, err := snapfile.ReadFiles([]string{"../examples/stuck/snapshot.json"})
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Snapshot
}

// TestStuckClusters are findings: each that is stuck once, and no other.
func TestStuckClusters(t *testing.T) {
	r := audit.NewReport(stuckFleet(t), audit.Options{})
	var want, got []string
	for i := range r.Clusters {
		if r.Clusters[i].State == progress.Stuck {
			want = append(want, "cluster/"+r.Clusters[i].Key)
		}
	}
	warnings := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == audit.Warning {
			warnings++
		}
		if f.Class != rules.Stuck {
			continue
		}
		got = append(got, f.Subject.ID)
		if f.Rule != "PXA301" || f.Severity != audit.Warning || f.WaitingFor == "" || f.Remedy == "" || f.Key == "" || f.Subject.Kind != inventory.SubjectCluster {
			t.Errorf("%+v", f)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 5 || !slices.Equal(want, got) {
		t.Errorf("findings about %q, and stuck are %q", got, want)
	}
	if r.Summary.Findings != len(r.Findings) || r.Summary.Severities[audit.Warning] != warnings || r.Summary.Clusters.Stuck != len(want) {
		t.Errorf("%+v", r.Summary)
	}
}

// TestLifeOfAStuckCluster is what the nights after say of it.
func TestLifeOfAStuckCluster(t *testing.T) {
	find := func(s *inventory.Snapshot) *inventory.Cluster {
		i := slices.IndexFunc(s.Clusters, func(c inventory.Cluster) bool { return c.Key == "payments" })
		return &s.Clusters[i]
	}
	for name, tt := range map[string]struct {
		change func(*inventory.Snapshot)
		want   history.Change
	}{
		"still stuck": {func(*inventory.Snapshot) {}, ""},
		"stuck at something else": {func(s *inventory.Snapshot) {
			for i := range s.Providers {
				s.Providers[i].Available = 0
			}
		}, ""},
		"deleted": {func(s *inventory.Snapshot) {
			forget(s, "payments")
		}, history.Gone},
		"the management cluster did not answer": {func(s *inventory.Snapshot) {
			forget(s, "payments")
			for i := range s.Coverage {
				if c := &s.Coverage[i]; c.Source == inventory.ManagementSource {
					c.State, c.Got, c.Reason = inventory.Failed, 0, "no answer"
				}
			}
		}, history.Unseen},
		"only another namespace was read": {func(s *inventory.Snapshot) {
			forget(s, "payments")
			s.Management.Namespaces = []string{"elsewhere"}
		}, history.Unseen},
		"another management cluster was read": {func(s *inventory.Snapshot) {
			forget(s, "payments")
			for i := range s.Clusters {
				if c := &s.Clusters[i]; c.Key == s.Management.ClusterName {
					c.Server, c.ServingCAs = "https://elsewhere:6443", []string{"ff"}
				}
			}
		}, history.Unseen},
	} {
		t.Run(name, func(t *testing.T) {
			records, _ := history.Advance(nil, audit.NewReport(stuckFleet(t), audit.Options{}).Run())
			s := stuckFleet(t)
			if find(s).Declared == nil {
				t.Fatal("payments is not declared")
			}
			s.CollectedAt = s.CollectedAt.Add(24 * time.Hour)
			tt.change(s)
			_, changes := history.Advance(records, audit.NewReport(s, audit.Options{}).Run())
			var got history.Change
			why := ""
			for _, c := range changes {
				if c.Subject == "cluster/payments" {
					got, why = c.Change, c.Why
				}
			}
			if got != tt.want {
				t.Errorf("%q (%s), want %q", got, why, tt.want)
			}
		})
	}
}

// forget takes a declared cluster out of a Snapshot, with all that is its own.
func forget(s *inventory.Snapshot, key string) {
	s.Clusters = slices.DeleteFunc(s.Clusters, func(c inventory.Cluster) bool { return c.Key == key })
	s.Machines = slices.DeleteFunc(s.Machines, func(m inventory.Machine) bool { return m.Cluster == key })
	s.ProxmoxMachines = slices.DeleteFunc(s.ProxmoxMachines, func(m inventory.ProxmoxMachine) bool { return m.Cluster == key })
	s.Coverage = slices.DeleteFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Source == inventory.ClusterSource(key) })
}

// TestOrphansAsBaseline: orphans says nothing of clusters, so that a comparison with it calls none of them newly stuck.
func TestOrphansAsBaseline(t *testing.T) {
	s := stuckFleet(t)
	data, err := json.Marshal(audit.Orphans(s, audit.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	records, since, err := audit.ReadBaseline(data)
	if err != nil {
		t.Fatal(err)
	}
	r := audit.NewReport(s, audit.Options{})
	r.Compare(records, since)
	if c := r.Summary.Changes; c.Any() {
		t.Errorf("%+v", c)
	}
}
