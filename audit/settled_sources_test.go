package audit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// without is a Snapshot as a run makes it that was never told of a source.
func without(s *inventory.Snapshot, source string) *inventory.Snapshot {
	c := *s
	c.CollectedAt = s.CollectedAt.Add(24 * time.Hour)
	c.Coverage = slices.DeleteFunc(slices.Clone(s.Coverage), func(c inventory.Coverage) bool { return c.Source == source })
	c.Requests = slices.DeleteFunc(slices.Clone(s.Requests), func(r inventory.Requests) bool { return r.Source == source })
	site, isSite := strings.CutPrefix(source, inventory.SiteSource(""))
	cluster, isCluster := strings.CutPrefix(source, inventory.ClusterSource(""))
	switch {
	case isSite:
		c.Sites = slices.DeleteFunc(slices.Clone(s.Sites), func(x inventory.Site) bool { return x.Name == site })
		c.VMs = slices.DeleteFunc(slices.Clone(s.VMs), func(x inventory.VM) bool { return x.Site == site })
		c.Probes = slices.DeleteFunc(slices.Clone(s.Probes), func(x inventory.Probe) bool { return x.Site == site })
		c.Tasks = slices.DeleteFunc(slices.Clone(s.Tasks), func(x inventory.Task) bool { return x.Site == site })
	case isCluster:
		// One that the management cluster declares is known without its own API server.
		c.Clusters = slices.DeleteFunc(slices.Clone(s.Clusters), func(x inventory.Cluster) bool { return x.Key == cluster && x.Declared == nil })
		if slices.ContainsFunc(c.Clusters, func(x inventory.Cluster) bool { return x.Key == cluster }) {
			c.Coverage = append(c.Coverage, inventory.Coverage{Source: source, Scope: inventory.ScopeNodes, State: inventory.NotAsked, Reason: "no kubeconfig"})
		}
		c.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(x inventory.Node) bool { return x.Cluster == cluster })
	default:
		c.Management, c.Machines, c.ProxmoxMachines, c.Groups, c.Providers, c.Objects = nil, nil, nil, nil, nil, nil
		c.Clusters = slices.Clone(s.Clusters)
		for i := range c.Clusters {
			c.Clusters[i].Declared = nil
		}
	}
	return &c
}

// TestLeftOutIsNeverResolved: a run that is told of one source less than the night before, and in which nothing shows that it is
// less, calls nothing resolved for it.
func TestLeftOutIsNeverResolved(t *testing.T) {
	unverified, views := 0, 0
	for seed := range uint64(400) {
		whole := inventorytest.Random(rand.New(rand.NewPCG(seed, 53)))
		records, _ := history.Advance(nil, audit.NewReport(whole, audit.Options{}).Run())
		sources := map[string]bool{}
		for _, c := range whole.Coverage {
			sources[c.Source] = true
		}
		for source := range sources {
			views++
			r := audit.NewReport(without(whole, source), audit.Options{})
			r.Compare(records, audit.Since{})
			for _, rec := range r.Resolved {
				if rec.Why == "it is managed now" && rec.Class != "conflict" {
					// A machine of which VM, Machine and Node were seen.
					continue
				}
				t.Errorf("seed %d, without %s: %s (%s) is resolved: %s", seed, source, rec.Subject, rec.Class, rec.Why)
			}
			unverified += len(r.Unverified)
		}
	}
	if unverified == 0 || views < 1000 {
		t.Errorf("%d findings unverified in %d views: the test says nothing", unverified, views)
	}
}

// TestAnotherOfTheSameName: the name of a source leads to another Proxmox or API server than the night before. What that one does not
// have is no news about the first.
func TestAnotherOfTheSameName(t *testing.T) {
	for name, tt := range map[string]struct {
		fleet  string
		before func(*inventory.Snapshot)
		after  func(*inventory.Snapshot)
	}{
		"site": {"vms: [{id: 101, name: a, uuid: $u1, tags: [prod]}, {id: 990, name: member, uuid: $u99}]\nnodes: [{name: member, uuid: $u99}]\nwant: {vm/lab/101: orphan-vm}",
			func(s *inventory.Snapshot) { s.Sites[0].URL = "https://pve.lab:8006" },
			func(s *inventory.Snapshot) {
				s.Sites[0].URL, s.Sites[0].Nodes, s.VMs = "https://other:8006", []inventory.ProxmoxNode{{Name: "elsewhere"}}, s.VMs[1:]
				s.Probes = []inventory.Probe{{Site: "lab", VMID: 101, Existence: inventory.Free}}
			}},
		"cluster": {"sites: [{name: lab, regions: [r1]}]\nvms: [{id: 990, name: member, uuid: $u99}]\nnodes: [{name: member, uuid: $u99}, {name: ghost, uuid: $u8, providerID: \"proxmox://r1/108\", ready: Unknown}]\nprobes: [{id: 108, answer: free}]\nwant: {node/prod/ghost: ghost-node}",
			func(s *inventory.Snapshot) { s.Clusters[0].ServingCAs = []string{"01"} },
			func(s *inventory.Snapshot) {
				s.Clusters[0].ServingCAs = []string{"02"}
				s.Nodes = slices.DeleteFunc(s.Nodes, func(n inventory.Node) bool { return n.Name == "ghost" })
			}},
	} {
		t.Run(name, func(t *testing.T) {
			load := func() *inventory.Snapshot {
				return fixture(t, "clusters: [{name: prod, selector: {tags: [prod]}}]\n"+tt.fleet).Snapshot
			}
			s := load()
			tt.before(s)
			records, _ := history.Advance(nil, audit.NewReport(s, audit.Options{}).Run())
			if len(records) != 1 {
				t.Fatalf("%d findings the night before, want one", len(records))
			}
			s = load()
			tt.after(s)
			r := audit.NewReport(s, audit.Options{})
			r.Compare(records, audit.Since{})
			if len(r.Resolved) != 0 || len(r.Unverified) != 1 || !strings.Contains(r.Unverified[0].Why, "another one") {
				t.Errorf("resolved %+v, unverified %+v", r.Resolved, r.Unverified)
			}
		})
	}
}

// TestReportedAgain: a Snapshot that the history has already is the run that it was, under whatever settings.
func TestReportedAgain(t *testing.T) {
	s := strayed(t)
	first := audit.NewReport(s, audit.Options{})
	records, _ := history.Advance(nil, first.Run())
	again := audit.NewReport(s, audit.Options{Grace: 7 * 24 * time.Hour})
	if first.Run().ID != again.Run().ID {
		t.Error("another --grace makes another run of one Snapshot")
	}
	again = audit.NewReport(s, audit.Options{})
	again.Compare(records, audit.Since{At: s.CollectedAt, Run: first.Run().ID})
	if l := again.Findings[0].History; again.Summary.Changes.Any() || l == nil || l.Runs != 1 || l.Change != "" {
		t.Errorf("%+v, %+v", again.Summary.Changes, l)
	}
	s.VMs[0].Status = "paused"
	if audit.NewReport(s, audit.Options{}).Run().ID == first.Run().ID {
		t.Error("another Snapshot has the same ID")
	}
}
