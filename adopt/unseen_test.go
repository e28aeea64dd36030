package adopt_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// kindsOf are the kinds of objects that a resource of the management cluster is served as.
var kindsOf = map[string]string{
	"machinehealthchecks": "MachineHealthCheck", "machinesets": "MachineSet", "machinedeployments": "MachineDeployment",
	"kubeadmcontrolplanes": "KubeadmControlPlane", "kubeadmconfigs": "KubeadmConfig", "kubeadmconfigtemplates": "KubeadmConfigTemplate",
	"proxmoxclusters": "ProxmoxCluster", "proxmoxmachinetemplates": "ProxmoxMachineTemplate", "clusters": "Cluster",
	"machines": "Machine", "proxmoxmachines": "ProxmoxMachine", "inclusterippools": "InClusterIPPool", "globalinclusterippools": "GlobalInClusterIPPool",
}

// unsee takes away what a source would have said, as its failure does.
func unsee(s *inventory.Snapshot, c inventory.Coverage) {
	site, isSite := strings.CutPrefix(c.Source, "site/")
	cluster, isCluster := strings.CutPrefix(c.Source, "cluster/")
	host, isConfig := strings.CutPrefix(c.Scope, inventory.ConfigScope(""))
	switch {
	case isSite && c.Scope == inventory.ScopeGuests:
		s.VMs = slices.DeleteFunc(s.VMs, func(v inventory.VM) bool { return v.Site == site })
	case isSite && isConfig:
		for i := range s.VMs {
			if v := &s.VMs[i]; v.Site == site && v.Node == host {
				v.Config, v.ConfigError = nil, "595"
			}
		}
	case isCluster && c.Scope == inventory.ScopeNodes:
		s.Nodes = slices.DeleteFunc(s.Nodes, func(n inventory.Node) bool { return n.Cluster == cluster })
	case isCluster:
		i := slices.IndexFunc(s.Clusters, func(x inventory.Cluster) bool { return x.Key == cluster })
		unseeCluster(&s.Clusters[i], c.Scope)
	case c.Source == inventory.ManagementSource:
		unseeDeclared(s, c.Scope)
	}
}

func unseeCluster(c *inventory.Cluster, scope string) {
	switch scope {
	case inventory.ScopeKubeadm:
		c.Kubeadm = nil
	case inventory.ScopeKubelet:
		c.KubeletConfiguration = ""
	case inventory.ScopeStaticPods:
		c.StaticPods = nil
	case inventory.ScopeServingCA:
		c.ServingCAs = nil
	}
}

func unseeDeclared(s *inventory.Snapshot, scope string) {
	resource, _, _ := strings.Cut(scope, ".")
	s.Objects = slices.DeleteFunc(s.Objects, func(o inventory.Object) bool { return o.Cluster == "" && o.Kind == kindsOf[resource] })
	switch scope {
	case inventory.ScopeMachines:
		s.Machines = nil
	case inventory.ScopeProxmoxMachines:
		s.ProxmoxMachines = nil
	case inventory.ScopeProviders:
		s.Providers = nil
	case inventory.ScopeClusters:
		for i := range s.Clusters {
			s.Clusters[i].Declared = nil
		}
	}
}

// beyondReach are findings that rest on what another cluster's Nodes say, where every Node of this one is Ready: an address
// that DHCP gave them is not asked for on pain of having no plan while any cluster is unreachable.
func beyondReach(c inventory.Coverage) bool {
	return strings.HasPrefix(c.Source, "cluster/") && c.Source != inventory.ClusterSource("prod")
}

// TestUnseenHidesNoBlocker: whatever one source does not say, a fleet with a blocker never gets a bundle by it. The Options stay:
// that of versions does not make up for a source either.
func TestUnseenHidesNoBlocker(t *testing.T) {
	tried, all := 0, ruleCases()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		for _, c := range all[id] {
			if s, o := spoiled(c.do); plan(t, s, o).Ready() {
				continue
			}
			whole, _ := spoiled(c.do)
			for i, entry := range whole.Coverage {
				if beyondReach(entry) {
					continue
				}
				// One state a try, in turn: each source meets each of them in many cases.
				state := []inventory.State{inventory.Failed, inventory.Refused, inventory.Partial, ""}[tried%4]
				tried++
				s, o := spoiled(c.do)
				o.CAPIVersion, o.CAPMOXVersion = firstOf(o.CAPIVersion, "v1.14.2"), firstOf(o.CAPMOXVersion, "v0.9.0")
				if plan(t, s, o).Ready() {
					// The versions were the whole trouble, and now they are the user's word.
					continue
				}
				unsee(s, entry)
				if state == "" {
					s.Coverage = slices.Delete(s.Coverage, i, i+1)
				} else {
					s.Coverage[i].State, s.Coverage[i].Reason = state, "a fault"
				}
				if p := plan(t, s, o); p.Ready() {
					t.Errorf("%s, %s: without %s %s (%q) there is a bundle", id, c.name, entry.Source, entry.Scope, state)
				}
			}
		}
	}
	if tried < 2000 {
		t.Fatalf("%d tries: the test does not see the cases", tried)
	}
}

// said are the findings of a plan, each in one text: remedies aside, which may be another where less is known.
func said(list []adopt.Finding) map[string]bool {
	out := map[string]bool{}
	for _, f := range list {
		out[f.Rule+" "+f.Subject.ID+": "+strings.Join(f.Details, "; ")] = true
	}
	return out
}

// added are the findings that a plan has and the one of everything had not. That the serving authority was not seen is a warning
// about just that.
func added(whole, less *adopt.Plan) []string {
	before := said(slices.Concat(whole.Blockers, whole.Warnings))
	var out []string
	for _, text := range slices.Sorted(maps.Keys(said(slices.Concat(less.Blockers, less.Warnings)))) {
		if !before[text] && !strings.HasPrefix(text, "PXA249 ") {
			out = append(out, text)
		}
	}
	return out
}

// TestUnseenAddsNothing: what is not seen is never not there. Whatever one source does not say, the plan has no finding, and no
// word of one, that it had not with everything seen; and no list of what the manifests lack.
func TestUnseenAddsNothing(t *testing.T) {
	tried, rng := 0, rand.New(rand.NewPCG(11, 17))
	check := func(t *testing.T, whole *adopt.Plan, o optionsType, less *inventory.Snapshot, fault string) {
		tried++
		if !slices.ContainsFunc(less.Clusters, func(c inventory.Cluster) bool { return c.Key == o.Cluster }) {
			// Known by its Cluster object alone: there is no plan at all.
			return
		}
		p := plan(t, less, o)
		for _, text := range added(whole, p) {
			t.Errorf("%s: there is now %s", fault, text)
		}
		if len(p.Missing) > 0 && len(p.Lacks) > 0 {
			t.Errorf("%s: the manifests are said to lack %q", fault, p.Lacks)
		}
	}
	cases := map[string]change{}
	for name, c := range fleets() {
		cases["fleet "+name] = c
	}
	for id, list := range ruleCases() {
		for _, c := range list {
			cases[id+" "+c.name] = c.do
		}
	}
	delete(cases, "fleet 7+200")
	delete(cases, "fleet 5+20")
	for k, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			s, o := spoiled(cases[name])
			whole := plan(t, s, o)
			for i, entry := range s.Coverage {
				// What no plan needs, and what each host has, is tried in turns: there are many cases.
				if rare := !needed(entry) || strings.HasPrefix(entry.Scope, inventory.ConfigScope("")); beyondReach(entry) || rare && (i+k)%6 != 0 {
					continue
				}
				less, _ := spoiled(cases[name])
				unsee(less, entry)
				state := []inventory.State{inventory.Failed, inventory.Refused, inventory.Partial, ""}[tried%4]
				if state == "" {
					less.Coverage = slices.Delete(less.Coverage, i, i+1)
				} else {
					less.Coverage[i].State, less.Coverage[i].Reason = state, "a fault"
				}
				check(t, whole, o, less, fmt.Sprintf("without %s %s (%q)", entry.Source, entry.Scope, state))
			}
			for i, v := range inventorytest.Degrade(s, rng) {
				if (i+k)%4 != 0 {
					continue
				}
				if v.Snapshot.Management != nil && s.Management != nil {
					// What is served no namespace hides.
					v.Snapshot.Management.Served = s.Management.Served
				}
				if !v.Silent && !strings.Contains(v.Fault, " of dev ") {
					check(t, whole, o, v.Snapshot, v.Fault)
				}
			}
		})
	}
	if tried < 2000 {
		t.Fatalf("%d tries: the test does not see the cases", tried)
	}
}

// TestDeclaredRemedy: a VM that has its Machine has it under whatever name the next one gets.
func TestDeclaredRemedy(t *testing.T) {
	s, o := spoiled(declaredMachine("prod", "w-1", 1001, nil))
	found := ofRule(plan(t, s, o), "PXA214")
	if len(found) < 3 {
		t.Fatalf("%+v", found)
	}
	for _, f := range found {
		if !strings.HasPrefix(f.Remedy, "No other name or namespace helps") {
			t.Errorf("%s: %s", f.Subject.ID, f.Remedy)
		}
	}
}

// TestRests: every rule says what it rests on, and nothing else does.
func TestRests(t *testing.T) {
	for _, r := range adopt.Rules() {
		parts, known := adopt.Rests(r.ID)
		if !known {
			t.Errorf("%s does not say what it rests on", r.ID)
		}
		// It asks for each of its inputs itself.
		if len(parts) == 0 && r.ID != "PXA216" {
			t.Errorf("%s rests on nothing", r.ID)
		}
	}
	if _, known := adopt.Rests("PXA101"); known {
		t.Error("PXA101 is no rule of an adoption")
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// needed are the sources without which there is no plan, for the usual cluster; without the others there is the same one.
func needed(c inventory.Coverage) bool {
	switch {
	case c.Source == inventory.ClusterSource("prod"):
		return slices.Contains([]string{inventory.ScopeNodes, inventory.ScopeKubeadm, inventory.ScopeStaticPods}, c.Scope)
	case c.Source == inventory.ManagementSource:
		resource, _, _ := strings.Cut(c.Scope, ".")
		return kindsOf[resource] != "" || c.Scope == inventory.ScopeProviders
	default:
		return c.Scope == inventory.ScopeGuests || strings.HasPrefix(c.Scope, inventory.ConfigScope(""))
	}
}

// TestNeededSources: each source that a plan needs is named when it is not there, and the others never keep a plan away.
func TestNeededSources(t *testing.T) {
	n := 0
	for _, entry := range inventorytest.ScriptBuilt("prod", 3, 3).Coverage {
		s, o := spoiled(same)
		unsee(s, entry)
		s.CoverageOf(entry.Source, entry.Scope).State = inventory.Failed
		p := plan(t, s, o)
		named := slices.Contains(p.Missing, entry.Need())
		if needed(entry) {
			n++
			if !named || !p.Summary.Incomplete || p.Ready() {
				t.Errorf("%s %s is needed: named %v, a bundle %v", entry.Source, entry.Scope, named, p.Ready())
			}
			if i := slices.IndexFunc(p.Coverage, func(c inventory.Coverage) bool { return c.Need() == entry.Need() }); i < 0 || !p.Coverage[i].Missing() {
				t.Errorf("%s %s makes no gap of the coverage", entry.Source, entry.Scope)
			}
			o.Force = true
			if plan(t, s, o).Ready() {
				t.Errorf("%s %s: --force makes up for what was not seen", entry.Source, entry.Scope)
			}
			continue
		}
		if named || !p.Ready() {
			t.Errorf("%s %s is not needed: missing %v, blockers %+v", entry.Source, entry.Scope, p.Missing, p.Blockers)
		}
	}
	if n < 15 {
		t.Fatalf("%d sources are needed: the test does not see them", n)
	}
}

// TestNotAllWasAsked: what a run did not ask at all is missing as well.
func TestNotAllWasAsked(t *testing.T) {
	for name, c := range map[string]struct {
		do   change
		want inventory.Need
	}{
		"no management cluster": {all(setOptionsVersions, func(s *inventory.Snapshot, _ *optionsType) {
			s.Management, s.Providers = nil, nil
			s.Coverage = slices.DeleteFunc(s.Coverage, func(c inventory.Coverage) bool { return c.Source == inventory.ManagementSource })
		}), inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeMachines}},
		"one namespace only": {func(s *inventory.Snapshot, _ *optionsType) { s.Management.Namespaces = []string{"prod"} },
			inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeOtherNamespaces}},
		"a token that sees some guests": {func(s *inventory.Snapshot, _ *optionsType) { s.Sites[0].Visibility.Complete = false },
			inventory.Need{Source: inventory.SiteSource("lab"), Scope: inventory.ScopeGuests}},
		"a stranger's configuration": {stranger("lab", 500, func(v *inventory.VM) { v.Config = nil }),
			inventory.Need{Source: inventory.SiteSource("lab"), Scope: inventory.ConfigScope("pve1")}},
		"CAPMOX's own access": {all(setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = true }), ownAccess(nil)),
			inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeSecrets}},
		"the hosts of a site, one of which may be where CAPMOX's own access leads": {all(setOptions(func(o *adopt.Options) { o.Future.ControllerCredentials = true }),
			ownAccess(&inventory.StoredSecret{Keys: []string{"secret", "token", "url"}, Server: "https://elsewhere.example:8006"}), func(s *inventory.Snapshot, _ *optionsType) {
				s.Sites[0].Nodes = nil
				s.CoverageOf(inventory.SiteSource("lab"), inventory.ScopeClusterStatus).State = inventory.Refused
			}), inventory.Need{Source: inventory.SiteSource("lab"), Scope: inventory.ScopeClusterStatus}},
		"no site": {func(s *inventory.Snapshot, _ *optionsType) { s.Sites, s.VMs = nil, nil }, inventory.AnySite},
		"a Node that is gone quiet, and a cluster that its VM may be in now": {all(otherCluster(inventory.Node{Name: "x"}), func(s *inventory.Snapshot, _ *optionsType) {
			s.CoverageOf(inventory.ClusterSource("dev"), inventory.ScopeNodes).State = inventory.NotAsked
		}, setNode("w-1", func(n *inventory.Node) { n.Ready = "Unknown" })), inventory.Need{Source: inventory.ClusterSource("dev"), Scope: inventory.ScopeNodes}},
	} {
		s, o := spoiled(c.do)
		o.Force = true
		if p := plan(t, s, o); p.Ready() || !slices.Contains(p.Missing, c.want) {
			t.Errorf("%s: missing %v, want %v; a bundle %v", name, p.Missing, c.want, p.Ready())
		}
	}
}

// planText is everything that a plan says.
func planText(t testing.TB, s *inventory.Snapshot, o optionsType) string {
	t.Helper()
	p := plan(t, s, o)
	raw, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	out := string(raw)
	if b := p.Bundle(); b != nil {
		out += string(b.Manifests()) + string(b.NodePatches)
	}
	return out + fmt.Sprint(p.GivingUp())
}
