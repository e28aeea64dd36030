package audit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/audit/history"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// TestNotSeenIsNeverResolved: whatever does not answer, no finding of the night before is called resolved for it. Each
// random fleet is reported whole, and then with one fault each.
func TestNotSeenIsNeverResolved(t *testing.T) {
	unverified, views := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 23))
		whole := inventorytest.Random(rng)
		records, _ := history.Advance(nil, audit.NewReport(whole, audit.Options{}).Run())
		for _, v := range inventorytest.Degrade(whole, rng) {
			if v.Silent && seed%2 == 1 {
				// A file has no probe of what the history remembers, and nothing else shows the hole.
				continue
			}
			if seed%2 == 0 {
				remember(v.Snapshot, whole, records)
			}
			views++
			r := audit.NewReport(v.Snapshot, audit.Options{})
			r.Compare(records, audit.Since{})
			for _, rec := range r.Resolved {
				if (v.Silent || v.Default) && !strings.HasPrefix(rec.Why, "it is not there any more") {
					// The run does not show that something is missing, and its verdicts are what they are.
					continue
				}
				t.Errorf("seed %d, %s: %s (%s) is resolved: %s", seed, v.Fault, rec.Subject, rec.Class, rec.Why)
			}
			unverified += len(r.Unverified)
		}
	}
	if unverified == 0 || views < 3000 {
		t.Errorf("%d findings unverified in %d views: the test says nothing", unverified, views)
	}
}

// remember probes what the history has and the lists do not, as a collection does.
func remember(view, whole *inventory.Snapshot, records []history.Record) {
	listed := func(s *inventory.Snapshot, k inventory.Key) bool {
		return slices.ContainsFunc(s.VMs, func(v inventory.VM) bool { return v.Key() == k })
	}
	answered := !slices.ContainsFunc(view.Probes, func(p inventory.Probe) bool { return p.Existence == inventory.ExistenceUnknown })
	for _, k := range history.VMs(records) {
		if listed(view, k) || view.ProbeOf(k) != nil {
			continue
		}
		p := inventory.Probe{Site: k.Site, VMID: k.VMID, Existence: inventory.Free}
		switch {
		case !answered:
			p.Existence = inventory.ExistenceUnknown
		case listed(whole, k):
			p.Existence = inventory.Exists
		}
		view.Probes = append(view.Probes, p)
	}
}

// TestReportTwice: the same Snapshot again has no news, in whatever order its lists are.
func TestReportTwice(t *testing.T) {
	found := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 29))
		s := inventorytest.Random(rng)
		first := audit.NewReport(s, audit.Options{})
		records, _ := history.Advance(nil, first.Run())
		second := audit.NewReport(shuffled(s, rng), audit.Options{})
		if first.Run().ID != second.Run().ID {
			t.Errorf("seed %d: two runs of one Snapshot", seed)
		}
		second.Compare(records, audit.Since{})
		if c := second.Summary.Changes; c.Any() || c.Unchanged != len(records) {
			t.Errorf("seed %d: %+v of %d findings", seed, c, len(records))
		}
		found += len(records)
	}
	if found == 0 {
		t.Error("no fleet has a finding")
	}
}

// TestSettled is what becomes of the finding about one orphan VM the night after.
func TestSettled(t *testing.T) {
	const vm = "vm/lab/101"
	for name, tt := range map[string]struct {
		change func(*inventory.Snapshot)
		want   history.Change
		why    string
	}{
		"still there": {func(*inventory.Snapshot) {}, "", ""},
		"renamed, moved and stopped, it is the same": {func(s *inventory.Snapshot) {
			v := &s.VMs[0]
			v.Name, v.Node, v.Status = "other", "pve2", "stopped"
		}, "", ""},
		"deleted": {func(s *inventory.Snapshot) { s.VMs = s.VMs[1:] }, history.Gone, "it is not there any more"},
		"another VM has its VMID": {func(s *inventory.Snapshot) { s.VMs[0].Config.UUID = "11111111-2222-4333-8444-555555555555" },
			history.Gone, "its VMID is another VM's now"},
		"its configuration was not read": {func(s *inventory.Snapshot) {
			s.VMs[0].Config = nil
			cover(s, "site/lab", inventory.ConfigScope(s.VMs[0].Node), inventory.Failed)
		}, history.Unseen, "the configuration of the VM with its VMID was not read"},
		"the guest list is not whole": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[1:]
			cover(s, "site/lab", inventory.ScopeGuests, inventory.Partial)
		}, history.Unseen, "site/lab guests"},
		"the token sees it no more": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[1:]
			s.Probes = []inventory.Probe{{Site: "lab", VMID: 101, Existence: inventory.Exists}}
		}, history.Unseen, "the guest list does not have it, and Proxmox says that its VMID is taken"},
		"the token does not see all": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[1:]
			s.Sites[0].Visibility = inventory.Visibility{}
		}, history.Unseen, "the token does not see all guests of the site"},
		"its VMID is free": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[1:]
			s.Probes = []inventory.Probe{{Site: "lab", VMID: 101, Existence: inventory.Free}}
		}, history.Gone, "it is not there any more: Proxmox says that its VMID is free"},
		"the probe was not answered": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[1:]
			s.Probes = []inventory.Probe{{Site: "lab", VMID: 101, Existence: inventory.ExistenceUnknown, Reason: "595"}}
		}, history.Unseen, "the guest list does not have it, and whether its VMID is free was not answered: 595"},
		"the site did not answer": {func(s *inventory.Snapshot) {
			s.VMs = s.VMs[1:]
			cover(s, "site/lab", inventory.ScopeGuests, inventory.Failed)
		}, history.Unseen, "site/lab guests"},
		"the site is no part of the run": {func(s *inventory.Snapshot) {
			s.VMs, s.Sites = s.VMs[1:], nil
			s.Coverage = slices.DeleteFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Source == "site/lab" })
		}, history.Unseen, "site/lab guests was not read"},
	} {
		t.Run(name, func(t *testing.T) {
			records, _ := history.Advance(nil, audit.NewReport(strayed(t), audit.Options{}).Run())
			if len(records) != 1 || records[0].Subject != vm {
				t.Fatalf("the night before has %v, want one finding about %s", records, vm)
			}
			s := strayed(t)
			s.CollectedAt = s.CollectedAt.Add(24 * time.Hour)
			tt.change(s)
			_, changes := history.Advance(records, audit.NewReport(s, audit.Options{}).Run())
			var got history.Change
			why := ""
			for _, c := range changes {
				if c.Fingerprint == records[0].Fingerprint {
					got, why = c.Change, c.Why
				}
			}
			if got != tt.want || !strings.HasPrefix(why, tt.why) {
				t.Errorf("%q (%s), want %q (%s)", got, why, tt.want, tt.why)
			}
		})
	}
}

// strayed is a cluster with one Node and an orphan VM, which is the first.
func strayed(t *testing.T) *inventory.Snapshot {
	t.Helper()
	s := fixture(t, `
clusters: [{name: prod, selector: {tags: [prod]}}]
vms:
- {id: 101, name: a, uuid: $u1, tags: [prod]}
- {id: 990, name: member, uuid: $u99}
nodes: [{name: member, uuid: $u99}]
want: {vm/lab/101: orphan-vm}
`).Snapshot
	if s.VMs[0].VMID != 101 {
		t.Fatal("the first VM is not the orphan")
	}
	return s
}

// cover sets how a source answered.
func cover(s *inventory.Snapshot, source, scope string, state inventory.State) {
	c := inventory.Coverage{Source: source, Scope: scope, State: state, Reason: "no answer"}
	for i := range s.Coverage {
		if s.Coverage[i].Source == source && s.Coverage[i].Scope == scope {
			s.Coverage[i] = c
			return
		}
	}
	s.Coverage = append(s.Coverage, c)
}

// TestKeyIsTheSubjects: the key of a finding in a report is the one under which its subject is looked for the night after.
func TestKeyIsTheSubjects(t *testing.T) {
	for seed := range uint64(100) {
		s := inventorytest.Random(rand.New(rand.NewPCG(seed, 31)))
		r := audit.NewReport(s, audit.Options{})
		keys, again := map[string]string{}, map[string]string{}
		for _, f := range r.Findings {
			keys[f.Subject.ID] = f.Key
		}
		for _, f := range r.Run().Findings {
			again[f.Subject] = f.Key
			// It has another verdict or none: in either case the run knows the subject.
			if _, why := r.Run().Settled(history.Record{Finding: f}); !strings.HasPrefix(why, "it is ") && !strings.HasPrefix(why, "it has no verdict now") {
				t.Errorf("seed %d: the run does not find its own %s: %s", seed, f.Subject, why)
			}
		}
		if diff := cmp.Diff(keys, again); diff != "" {
			t.Error(diff)
		}
	}
}

func night(n int) time.Time { return time.Date(2026, 5, n, 2, 0, 0, 0, time.UTC) }
