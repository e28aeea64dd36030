package predict

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

func everyExperiment() []experiment {
	return slices.Concat(trial, pmCases, clusterCases, machineCases, planeCases, workerCases, healthCases)
}

// TestOrderNeverMatters: the same Snapshot in another order is the same answer, byte for byte, and is not written to.
func TestOrderNeverMatters(t *testing.T) {
	for i, e := range everyExperiment() {
		l := newLab(t)
		e.change(l)
		want := Predict(l.s, "prod")
		r := rand.New(rand.NewPCG(uint64(i), 7))
		s := l.s.Sorted()
		shuffle(r, s.Objects)
		shuffle(r, s.VMs)
		shuffle(r, s.Nodes)
		shuffle(r, s.Coverage)
		shuffle(r, s.Providers)
		shuffle(r, s.StoredSecrets)
		shuffle(r, s.Clusters[0].StaticPods)
		if got := Predict(s, "prod"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another order, another answer:\n%v\n%v", e.name, got, want)
		}
	}
}

func shuffle[T any](r *rand.Rand, list []T) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// TestInputIsNotWrittenTo: the controllers' own code sorts and defaults what it is given.
func TestInputIsNotWrittenTo(t *testing.T) {
	for _, e := range everyExperiment() {
		a, b := newLab(t), newLab(t)
		e.change(a)
		e.change(b)
		Predict(a.s, "prod")
		if !reflect.DeepEqual(a.s, b.s) {
			t.Errorf("%s: the Snapshot was changed", e.name)
		}
	}
}

// forget takes a source out of the Snapshot, with what it gave.
func forget(s *inventory.Snapshot, c inventory.Coverage) {
	dropObjects := func(kindName string) {
		s.Objects = slices.DeleteFunc(s.Objects, func(o inventory.Object) bool { return o.Kind == kindName })
	}
	for _, k := range []kind{kindCluster, kindMachine, kindMachineSet, kindMachineDeployment, kindHealthCheck, kindControlPlane, kindConfig,
		kindConfigTemplate, kindProxmoxCluster, kindProxmoxMachine, kindProxmoxTemplate} {
		if c.Scope == k.scope {
			dropObjects(k.kind)
		}
	}
	switch c.Scope {
	case inventory.ScopeProxmoxMachines:
		s.ProxmoxMachines = nil
	case inventory.ScopeProviders:
		s.Providers = nil
	case inventory.ScopeCRDs:
		s.Management.CRDs = nil
	case inventory.ScopeSecrets:
		s.StoredSecrets = nil
	case inventory.ScopeNodes:
		s.Nodes = nil
	case inventory.ScopeKubeadm:
		s.Clusters[0].Kubeadm = nil
	case inventory.ScopeStaticPods:
		s.Clusters[0].StaticPods = nil
	case inventory.ScopeServingCA:
		s.Clusters[0].ServingCAs = nil
	case inventory.ScopeGuests:
		s.VMs = nil
	case inventory.ScopeProbes:
		s.Probes = nil
	}
	for i := range s.VMs {
		if c.Scope == inventory.ConfigScope(s.VMs[i].Node) {
			s.VMs[i].Config = nil
		}
	}
}

// TestUnseenIsNeverSafer: what is unsafe or unknown with all sources is not safe without one of them.
func TestUnseenIsNeverSafer(t *testing.T) {
	tried := 0
	states := []inventory.State{"", inventory.Partial, inventory.Refused, inventory.Failed, inventory.NotAsked}
	for n, e := range everyExperiment() {
		full := newLab(t)
		e.change(full)
		before := Predict(full.s, "prod")
		for i := range full.s.Coverage {
			// Each way of not answering for some, and one for all: they are told apart in one place only.
			some := states
			if n%20 > 0 {
				some = states[n%len(states) : n%len(states)+1]
			}
			for _, state := range some {
				l := newLab(t)
				e.change(l)
				c := l.s.Coverage[i]
				forget(l.s, c)
				if state == "" {
					l.s.Coverage = slices.Delete(l.s.Coverage, i, i+1)
				} else {
					l.s.Coverage[i].State = state
				}
				tried++
				compareSafety(t, e.name+" without "+c.Need().String()+" ("+string(state)+")", before, Predict(l.s, "prod"))
			}
		}
	}
	if tried < 2000 {
		t.Errorf("only %d combinations were tried", tried)
	}
}

func compareSafety(t *testing.T, name string, before, after []adopt.Prediction) {
	t.Helper()
	safeBefore, allSafeBefore, allSafeAfter := map[string]bool{}, true, true
	key := func(p adopt.Prediction) string {
		return string(p.Controller) + " " + p.Object.Kind + "/" + p.Object.Name
	}
	for _, p := range before {
		was, seen := safeBefore[key(p)]
		safeBefore[key(p)] = p.Outcome.Safe() && (was || !seen)
		allSafeBefore = allSafeBefore && p.Outcome.Safe()
	}
	unsafeAfter := map[string]bool{}
	for _, p := range after {
		allSafeAfter = allSafeAfter && p.Outcome.Safe()
		unsafeAfter[key(p)] = unsafeAfter[key(p)] || !p.Outcome.Safe()
	}
	for _, p := range after {
		if p.Outcome.Safe() && !unsafeAfter[key(p)] && !safeBefore[key(p)] {
			t.Errorf("%s: %s became safe: %s", name, key(p), strings.Join(p.Why, "; "))
		}
	}
	if allSafeAfter && !allSafeBefore {
		t.Errorf("%s: everything became safe", name)
	}
	if len(after) == 0 {
		t.Errorf("%s: no prediction", name)
	}
}

// TestEverySourceCounts: with a source gone that the way needs, something is unknown and names it.
func TestEverySourceCounts(t *testing.T) {
	// The definitions are asked for machines that a controller has cloned; the probes for VMs that no list shows.
	idle := map[string]bool{inventory.ScopeCRDs: true, inventory.ScopeProbes: true}
	for i, c := range allCoverage() {
		if idle[c.Scope] {
			continue
		}
		l := newLab(t)
		forget(l.s, c)
		l.s.Coverage[i].State = inventory.Failed
		named := false
		for _, p := range Predict(l.s, "prod") {
			named = named || p.Outcome == adopt.CannotTell && slices.Contains(p.Missing, c.Need())
		}
		if !named {
			t.Errorf("without %s nothing is unknown for want of it", c.Need())
		}
	}
}
