package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// members knows what the VMs of each cluster have in common, learnt from those that are linked to a Node or a Machine.
type members struct {
	tags, pools, stems traits
	matchers           []clusterMatcher
	// short says, by site, why VMs may be missing from the counts.
	short map[string][]inventory.Need
}

type clusterMatcher struct {
	cluster, site string
	m             *Matcher
}

func (j *judge) learnMembers() *members {
	ms := &members{tags: newTraits(), pools: newTraits(), stems: newTraits(), short: map[string][]inventory.Need{}, matchers: j.matchers}
	for i := range j.s.Sites {
		name := j.s.Sites[i].Name
		ms.short[name] = j.guestsMissing(name)
	}
	for i := range j.s.VMs {
		vm := &j.s.VMs[i]
		if !candidate(vm) {
			continue
		}
		clusters := j.clustersOf(&j.g.Entities[j.g.byVM[i]])
		var unread *inventory.Need
		if vm.Config == nil {
			n := configNeed(j.index, vm)
			unread = &n
		}
		for _, t := range vm.Tags {
			ms.tags.add(trait{vm.Site, t}, clusters, unread)
		}
		ms.pools.add(trait{vm.Site, vm.Pool}, clusters, unread)
		ms.stems.add(trait{vm.Site, stem(vm.Name)}, clusters, unread)
		if vm.Name == "" && unread != nil && !slices.Contains(ms.short[vm.Site], *unread) {
			// Its name may be a sibling's.
			ms.short[vm.Site] = append(ms.short[vm.Site], *unread)
		}
	}
	return ms
}

// matchersOf are the selectors of all clusters. The configuration has checked them; one that does not compile here selects
// nothing.
func matchersOf(clusters []inventory.Cluster) []clusterMatcher {
	var out []clusterMatcher
	for i := range clusters {
		c := &clusters[i]
		if c.Selector.IsZero() {
			continue
		}
		if m, err := CompileSelector(c.Selector); err == nil {
			out = append(out, clusterMatcher{c.Key, c.Site, m})
		}
	}
	return out
}

// selects says whether a cluster's selector takes a VM: MayMatch if it has none.
func (j *judge) selects(cluster string, vm *inventory.VM) Match {
	best, any := NoMatch, false
	for _, i := range j.matcherOf[j.nodesKey(cluster)] {
		_, match := j.matchers[i].m.Match(vm)
		best, any = max(best, match), true
	}
	if !any {
		return MayMatch
	}
	return best
}

// clustersOf are the clusters that an entity is known to be of, by its Machines and Nodes: none for a lone VM, more than
// one for a conflict between clusters.
func (j *judge) clustersOf(e *Entity) []string {
	if e.Class == Unknown && !certain(e.link) {
		return nil
	}
	var out []string
	add := func(c string) {
		if c = j.nodesKey(c); c != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	for _, i := range e.Machines {
		add(j.s.Machines[i].Cluster)
	}
	for _, i := range e.ProxmoxMachines {
		add(j.s.ProxmoxMachines[i].Cluster)
	}
	for _, i := range e.Nodes {
		add(j.s.Nodes[i].Cluster)
	}
	return out
}

// membership is why a lone VM may belong to a cluster.
type membership struct {
	cluster    string
	confidence Confidence
	evidence   []Evidence
	// selected are the clusters whose selector matches.
	selected []string
	// mayMatch are those whose selector would, if something fits that was not seen.
	mayMatch []string
	// suspicion is set if something looks like a cluster's, but not enough to say so.
	suspicion []Evidence
	// missing is what would have to be seen before the members' traits can be trusted; empty if a selector decides.
	missing []inventory.Need
}

// vote is one kind of trait that speaks for a cluster.
type vote struct {
	kind    Kind
	cluster string
}

func (ms *members) of(vm *inventory.VM) membership {
	var out membership
	from := inventory.VMSubject(vm.Key())
	for _, cm := range ms.matchers {
		if cm.site != "" && cm.site != vm.Site {
			continue
		}
		why, match := cm.m.Match(vm)
		if match == MayMatch {
			out.mayMatch = append(out.mayMatch, cm.cluster)
		}
		if match == Matches {
			out.selected = append(out.selected, cm.cluster)
			out.evidence = append(out.evidence, Evidence{Kind: KindSelector, Strength: Strong, From: from,
				To: clusterSubject(cm.cluster), Left: why, Note: "the selector of cluster " + cm.cluster + " matches"})
		}
	}
	votes := map[string]int{}
	voted := map[vote]bool{}
	missing := slices.Clone(ms.short[vm.Site])
	weigh := func(kind Kind, t *traits, value, shown string) {
		if value == "" {
			return
		}
		cluster, marks, shared := t.of(trait{vm.Site, value})
		missing = append(missing, t.unsure[trait{vm.Site, value}]...)
		e := Evidence{Kind: kind, Strength: Supporting, From: from, Left: shown}
		switch {
		case marks:
			// Tags come in sets: two that the same VMs carry say no more than one.
			if v := (vote{kind, cluster}); !voted[v] {
				voted[v] = true
				votes[cluster]++
			}
			e.To = clusterSubject(cluster)
			e.Note = "most VMs with it are known members of " + cluster
			out.evidence = append(out.evidence, e)
		case shared && (kind == KindSibling || looksLikeKubernetes(shown)):
			e.Strength, e.Note = Hint, "known members of a cluster carry it, and as many others do"
			out.suspicion = append(out.suspicion, e)
		}
	}
	weigh(KindSibling, &ms.stems, stem(vm.Name), stem(vm.Name)+"-*")
	for _, t := range vm.Tags {
		weigh(KindTag, &ms.tags, t, t)
	}
	weigh(KindPool, &ms.pools, vm.Pool, vm.Pool)
	if mark := integrationMark(vm); mark != "" {
		out.suspicion = append(out.suspicion, Evidence{Kind: KindMark, Strength: Hint, From: from, Left: mark,
			Note: "an integration of Kubernetes with Proxmox leaves this mark"})
	}
	out.settle(votes)
	if len(out.selected) == 0 {
		out.missing = missing
		out.weighFamily(ms, vm)
		if ms.refuses(out.cluster, vm) {
			// Its selector says that it is not, and only what it shares with the members that it is.
			out.confidence = Low
		}
	}
	return out
}

// refuses is true if a cluster's selector rules a VM out.
func (ms *members) refuses(cluster string, vm *inventory.VM) bool {
	return slices.ContainsFunc(ms.matchers, func(cm clusterMatcher) bool {
		if cm.cluster != cluster {
			return false
		}
		_, match := cm.m.Match(vm)
		return match == NoMatch
	})
}

// weighFamily lowers the confidence for a VM that has siblings by name, none of which is known to be the cluster's: it may be one
// of another cluster that was not scanned, with a tag and a pool that both use.
func (m *membership) weighFamily(ms *members, vm *inventory.VM) {
	family := trait{vm.Site, stem(vm.Name)}
	if m.cluster == "" || family.value == "" || ms.stems.all[family] < 2 || ms.stems.linked[family][m.cluster] > 0 {
		return
	}
	m.confidence = m.confidence.lower()
	m.evidence = append(m.evidence, Evidence{Kind: KindSibling, Strength: Hint, Against: true, From: inventory.VMSubject(vm.Key()),
		Left: family.value + "-*", Note: "none of the VMs of that name is known to be of " + m.cluster})
}

// settle picks the cluster. An explicit selector decides; two selectors that both match leave the cluster open.
func (m *membership) settle(votes map[string]int) {
	switch {
	case len(m.selected) == 1:
		m.cluster, m.confidence = m.selected[0], High
		return
	case len(m.selected) > 1:
		m.cluster, m.confidence = m.selected[0], Medium
		return
	}
	best, n, tie := "", 0, false
	for c, v := range votes {
		switch {
		case v > n:
			best, n, tie = c, v, false
		case v == n:
			tie = true
		}
	}
	switch {
	case n == 0:
	case tie:
		m.suspicion = append(m.suspicion, m.evidence...)
		m.evidence = nil
	case n >= 2:
		m.cluster, m.confidence = best, Medium
	default:
		m.cluster, m.confidence = best, Low
	}
}

func clusterSubject(key string) inventory.Subject {
	return inventory.Subject{Kind: inventory.SubjectCluster, Name: key}
}
