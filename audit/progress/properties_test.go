package progress_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxaudit/proxaudit/audit/progress"
	"github.com/proxaudit/proxaudit/inventory"
)

var collected map[string]*inventory.Snapshot

// snapshots are those of all states, and of the healthy worlds. They are collected once, and nobody changes them.
func snapshots(t *testing.T) map[string]*inventory.Snapshot {
	t.Helper()
	if collected != nil {
		return collected
	}
	out := map[string]*inventory.Snapshot{}
	for _, c := range table() {
		out[c.name] = c.lab(t).snapshot(t)
	}
	for _, w := range []string{"v1beta1", "v1beta2", "talos"} {
		out["healthy "+w] = newLab(t, w).snapshot(t)
	}
	collected = out
	return out
}

// copied is a Snapshot's own copy, as a file has it: its numbers are floats.
func copied(t *testing.T, s *inventory.Snapshot) *inventory.Snapshot {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := &inventory.Snapshot{}
	if err := json.Unmarshal(raw, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The order of lists says nothing, and neither does that of conditions; a Snapshot from a file says the same as the run that wrote it.
func TestOrderSaysNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, s := range snapshots(t) {
		want := toJSON(t, analyse(s))
		for range 2 {
			c := copied(t, s)
			shuffle(r, c.Machines)
			shuffle(r, c.ProxmoxMachines)
			shuffle(r, c.Groups)
			shuffle(r, c.Nodes)
			shuffle(r, c.VMs)
			shuffle(r, c.Providers)
			shuffle(r, c.Events)
			shuffle(r, c.Tasks)
			shuffle(r, c.Objects)
			shuffle(r, c.Coverage)
			for i := range c.Machines {
				shuffle(r, c.Machines[i].Conditions)
			}
			for i := range c.ProxmoxMachines {
				shuffle(r, c.ProxmoxMachines[i].Conditions)
			}
			for i := range c.Groups {
				shuffle(r, c.Groups[i].Conditions)
			}
			for i := range c.Clusters {
				if d := c.Clusters[i].Declared; d != nil {
					shuffle(r, d.Conditions)
				}
			}
			if got := toJSON(t, analyse(c)); got != want {
				t.Fatalf("%s: in another order:\n%s\nbefore:\n%s", name, got, want)
			}
		}
	}
}

func shuffle[T any](r *rand.Rand, list []T) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// without takes away what one coverage entry stands for, as if the source had refused.
func without(s *inventory.Snapshot, i int) *inventory.Snapshot {
	shallow := *s
	c := &shallow
	c.Coverage, c.Clusters, c.Providers = slices.Clone(s.Coverage), slices.Clone(s.Clusters), slices.Clone(s.Providers)
	if d := c.Clusters[0].Declared; d != nil {
		declared := *d
		c.Clusters[0].Declared = &declared
	}
	cov := &c.Coverage[i]
	cov.State, cov.Got, cov.Reason = inventory.Refused, 0, "403"
	resource, _, _ := strings.Cut(cov.Scope, ".")
	gone := func(kind string) bool { return strings.ToLower(kind)+"s" == resource }
	if cov.Source == inventory.ManagementSource {
		c.Objects = slices.DeleteFunc(slices.Clone(c.Objects), func(o inventory.Object) bool { return gone(o.Kind) })
		c.Groups = slices.DeleteFunc(slices.Clone(c.Groups), func(g inventory.Group) bool { return gone(g.Kind) })
	}
	switch {
	case cov.Scope == inventory.ScopeClusters:
		c.Clusters[0].Declared = nil
	case resource == "proxmoxclusters":
		if d := c.Clusters[0].Declared; d != nil {
			d.Infrastructure = nil
		}
	case cov.Scope == inventory.ScopeMachines:
		c.Machines = nil
	case cov.Scope == inventory.ScopeProxmoxMachines:
		c.ProxmoxMachines = nil
	case cov.Scope == inventory.ScopeProviders:
		c.Providers = nil
	case cov.Scope == inventory.ScopeProviderPods:
		for i := range c.Providers {
			c.Providers[i].Pods = nil
		}
	case cov.Scope == inventory.ScopeLeases:
		for i := range c.Providers {
			c.Providers[i].Leases = nil
		}
	case cov.Scope == inventory.ScopeEvents:
		c.Events = nil
	case cov.Scope == inventory.ScopeNodes:
		c.Nodes = nil
	case cov.Scope == inventory.ScopeGuests:
		c.VMs = nil
	case cov.Scope == inventory.ScopeTasks:
		c.Tasks = nil
	default:
	}
	return c
}

// What was not seen never makes a stuck cluster healthy, and never a healthy one stuck.
func TestNothingFollowsFromWhatWasNotSeen(t *testing.T) {
	for name, s := range snapshots(t) {
		was := analyse(s)
		for i, cov := range s.Coverage {
			now := analyse(without(s, i))
			if was.Baton != nil && strings.Contains(was.Baton.Detail, "no Machine declares it") && cov.Scope == inventory.ScopeNodes {
				// Of the Nodes that Machines stand for the Machines speak, and for others nobody does.
				continue
			}
			switch {
			case was.State == progress.Stuck && (now.State == progress.Healthy || now.State == progress.NotManaged),
				was.State == progress.Healthy && now.State != progress.Healthy && now.State != progress.Unknown:
				t.Errorf("%s: %s, and without %s of %s: %s\n%s", name, was.State, cov.Scope, cov.Source, now.State, toJSON(t, now))
			default:
			}
			if now.State == progress.Unknown && len(now.Missing) == 0 && (now.Baton == nil || len(now.Baton.Missing) == 0) {
				t.Errorf("%s: unknown without %s, and nothing is said to be missing", name, cov.Scope)
			}
		}
	}
}

// Without Machines nothing can be told.
func TestMachinesNotSeen(t *testing.T) {
	for _, world := range []string{"v1beta1", "v1beta2", "talos"} {
		s := newLab(t, world).snapshot(t)
		i := slices.IndexFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Scope == inventory.ScopeMachines })
		c := analyse(without(s, i))
		if c.State != progress.Unknown || !slices.Contains(c.Missing, inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeMachines}) {
			t.Errorf("%s: %s", world, toJSON(t, c))
		}
	}
}

// A cluster that no Cluster declares is nobody's, if it is known that none does.
func TestNotDeclared(t *testing.T) {
	l := newLab(t, "v1beta2")
	l.objects = nil
	s := l.snapshot(t)
	c := analyse(s)
	if c.State != progress.NotManaged || c.Baton != nil || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "assess") {
		t.Errorf("%s", toJSON(t, c))
	}
	i := slices.IndexFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Scope == inventory.ScopeClusters })
	if c := analyse(without(s, i)); c.State != progress.Unknown || len(c.Missing) != 1 {
		t.Errorf("%s", toJSON(t, c))
	}
	s.Management = nil
	if c := analyse(s); c.State != progress.NotManaged {
		t.Errorf("without a management cluster: %s", toJSON(t, c))
	}
}

// What is on its way for longer than the grace period is stuck, for the same cause.
func TestConvergingDoesNotLast(t *testing.T) {
	for _, c := range table() {
		if c.state != progress.Converging {
			continue
		}
		s := c.lab(t).snapshot(t)
		s.CollectedAt = noon.Add(24 * time.Hour)
		for i := range s.Providers {
			for j := range s.Providers[i].Leases {
				now := s.CollectedAt
				s.Providers[i].Leases[j].Renewed = &now
			}
		}
		got := analyse(s)
		// Nobody says when an object was changed, and a worker's token dies meanwhile.
		if c.cause == progress.CauseNotLooked && c.says == "last change" || c.shows == "no Deployment has the label" {
			continue
		}
		if got.State != progress.Stuck || got.Baton.Cause != c.cause && got.Baton.Cause != progress.CauseJoinExpired {
			t.Errorf("%s: a day later: %s", c.name, toJSON(t, got))
		}
	}
}

// Objects are as somebody else wrote them: none of any form breaks the analysis.
func TestObjectsOfAnyForm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, s := range snapshots(t) {
		for range 10 {
			c := copied(t, s)
			for i := range c.Objects {
				if o := &c.Objects[i]; r.IntN(3) == 0 {
					o.Content, _ = spoil(r, o.Content).(map[string]any)
				}
			}
			for i := range c.Events {
				c.Events[i].Object.Name = ""
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Fatalf("%s: %v", name, p)
					}
				}()
				analyse(c)
			}()
		}
	}
}

// spoil puts a value of another form somewhere into one.
func spoil(r *rand.Rand, v any) any {
	odd := []any{nil, "", "x", 7.0, -1.5, true, []any{}, []any{nil, "x", map[string]any{}}, map[string]any{}, map[string]any{"name": 7.0, "kind": []any{}}}
	if r.IntN(6) == 0 {
		return odd[r.IntN(len(odd))]
	}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		if len(keys) == 0 {
			return odd[r.IntN(len(odd))]
		}
		slices.Sort(keys)
		k := keys[r.IntN(len(keys))]
		v[k] = spoil(r, v[k])
		return v
	case []any:
		if len(v) == 0 {
			return odd[r.IntN(len(odd))]
		}
		i := r.IntN(len(v))
		v[i] = spoil(r, v[i])
		return v
	default:
		return odd[r.IntN(len(odd))]
	}
}
