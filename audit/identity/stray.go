package identity

import (
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// judgeStrays decides the lone VMs, after everything else: what belongs to a cluster is learnt from its members.
func (j *judge) judgeStrays() {
	ms := j.learnMembers()
	inParts(j.size, len(j.g.Entities), func(from, to int) {
		for i := from; i < to; i++ {
			if e := &j.g.Entities[i]; e.Class == "" && len(e.VMs) == 1 {
				j.stray(e, ms)
			}
		}
	})
}

func (j *judge) stray(e *Entity, ms *members) {
	i := e.VMs[0]
	vm := &j.s.VMs[i]
	e.Confidence = High
	switch {
	case vm.Type != inventory.GuestQEMU:
		e.verdict(Unrelated, ReasonContainer)
		return
	case vm.IsTemplate():
		e.verdict(Template, ReasonTemplate)
		return
	}
	m := ms.of(vm)
	e.Cluster = m.cluster
	e.added = slices.Concat(m.evidence, m.suspicion)
	j.addDoubts(e, i)
	service := j.serviceOf(vm)
	if service != nil {
		e.added = append(e.added, *service)
	}
	switch {
	case vm.Config == nil:
		// Without its UUID it may be any Node or Machine.
		e.unknown(ReasonNotSeen, configNeed(j.index, vm))
	case len(j.ambiguous[i]) > 0, len(j.disputes[i]) > 0:
		e.unknown(ReasonAmbiguous)
	case service != nil && service.Kind == KindIP && vm.Status == "running":
		e.Cluster = service.To.Name
		e.verdict(Unrelated, ReasonServes)
	case service != nil && m.cluster != "":
		e.Cluster = service.To.Name
		e.unknown(ReasonAmbiguous)
	case m.cluster == "" && len(m.suspicion) > 0:
		e.unknown(ReasonLooksLike, m.missing...)
	case m.cluster == "":
		e.verdict(Unrelated, ReasonNothingTies)
		if len(m.mayMatch) > 0 {
			e.Confidence = Medium
			for _, c := range m.mayMatch {
				e.added = append(e.added, Evidence{Kind: KindSelector, Strength: Hint, From: inventory.VMSubject(vm.Key()),
					To: clusterSubject(c), Against: true, Note: "the selector of cluster " + c + " asks for an address or name that was not seen"})
			}
		}
	default:
		j.orphan(e, vm, &m)
	}
}

// addDoubts lists who else may be this VM.
func (j *judge) addDoubts(e *Entity, vm int) {
	to := inventory.VMSubject(j.s.VMs[vm].Key())
	for _, s := range j.ambiguous[vm] {
		e.added = append(e.added, Evidence{Kind: KindName, Strength: Hint, From: s, To: to, Against: true,
			Note: "it may be this VM, and it may be another"})
	}
	for _, s := range j.disputes[vm] {
		e.added = append(e.added, Evidence{Kind: KindName, Strength: Hint, From: s, To: to, Against: true,
			Note: "some facts fit this VM, but the UUIDs differ"})
	}
	for _, s := range j.unlike[vm] {
		e.added = append(e.added, Evidence{Kind: KindName, Strength: Hint, From: s, To: to, Against: true,
			Note: "it has no VM, and its name or address is this one's, but the UUIDs differ"})
	}
}

// orphan asks everything that could still make the VM somebody's before it calls it an orphan.
func (j *judge) orphan(e *Entity, vm *inventory.VM, m *membership) {
	homes := []string{m.cluster}
	if len(m.selected) > 1 {
		homes = m.selected
	}
	missing := slices.Concat(m.missing, j.declaredGaps, j.lost)
	for _, c := range homes {
		if !j.nodesRead(j.nodesKey(c)) {
			missing = append(missing, nodesNeed([]string{c})...)
		}
	}
	missing = append(missing, nodesNeed(j.couldBeOf(vm, m, j.unread))...)
	loose, runs := "", j.runsAs(e.VMs[0], m.cluster)
	for _, c := range j.couldBeOf(vm, m, j.loose.clustersFor(vm)) {
		loose = c
	}
	switch {
	case runs != "":
		e.unknown(ReasonAmbiguous, missing...)
		e.Notes = append(e.Notes, runs)
	case loose != "":
		e.unknown(ReasonAmbiguous, missing...)
		e.Notes = append(e.Notes, "a Node of cluster "+loose+" found no VM and may be this one: there is no UUID to compare")
	case len(missing) > 0:
		e.unknown(ReasonNotSeen, missing...)
	case j.fresh(vm):
		e.verdict(Converging, ReasonYoung)
		e.Confidence = m.confidence
		e.WaitingFor = "its Node to register"
		if vm.Config != nil {
			j.noteClock(e, vm.Config.CreatedAt)
		}
	case !slices.ContainsFunc(homes, func(c string) bool { return j.here(c) }):
		// Either none of its Nodes is here, or what answered was another API server than the one that is meant.
		e.unknown(ReasonNoMember)
	default:
		e.verdict(OrphanVM, ReasonBelongs)
		e.Confidence = m.confidence
		j.withoutMachines(e, vm)
		if len(j.unlike[e.VMs[0]]) > 0 {
			e.Confidence = e.Confidence.lower()
		}
	}
}

// here is true if at least one machine of a cluster is a VM of a scanned site.
func (j *judge) here(cluster string) bool {
	nodes := j.nodesKey(cluster)
	return len(j.homes[nodes]) > 0 || j.loose.cluster(nodes).found > 0
}

// withoutMachines says what a run without a management cluster cannot know: whether one that was not named declares the VM.
func (j *judge) withoutMachines(e *Entity, vm *inventory.VM) {
	if j.s.Management != nil {
		return
	}
	e.added = append(e.added, Evidence{Kind: KindCoverage, Against: true, From: inventory.VMSubject(vm.Key()),
		Note: "no management cluster was read: whether a Machine declares it is not known"})
	e.Confidence = e.Confidence.lower()
}

// couldBeOf are those of some clusters whose Node this VM may be. A cluster with a selector says which VMs are its own, so
// a VM that it does not select, with all that it asks for seen, is not; but only the explicit word of another selector rules
// out a cluster that has none.
func (j *judge) couldBeOf(vm *inventory.VM, m *membership, clusters []string) []string {
	var out []string
	for _, key := range clusters {
		c := j.clusters[key]
		if len(m.selected) > 0 && !slices.Contains(m.selected, key) && !slices.Contains(m.mayMatch, key) &&
			c != nil && !c.Selector.IsZero() {
			continue
		}
		if len(m.selected) > 0 && c != nil && c.Site != "" && c.Site != vm.Site {
			continue
		}
		out = append(out, key)
	}
	return out
}

// fresh is true for a VM that somebody may still be working on: it was created, or started, within the grace period,
// or is locked by a creation or clone. A script that joins a worker right now must not have it called an orphan.
func (j *judge) fresh(vm *inventory.VM) bool {
	if (vm.Lock == "create" || vm.Lock == "clone") && j.withinADay(vm) {
		return true
	}
	if vm.Config != nil && j.young(vm.Config.CreatedAt) {
		return true
	}
	// Of several scans, the one that saw it run may be the last, and it has not run that long for the first.
	return vm.UptimeSeconds > 0 && time.Duration(vm.UptimeSeconds)*time.Second < j.opt.Grace+j.spread
}

// withinADay is false for a VM that is known to be older: no clone takes a day, but a clone that died leaves its lock for
// ever.
func (j *judge) withinADay(vm *inventory.VM) bool {
	const longestClone = 24 * time.Hour
	return vm.Config == nil || vm.Config.CreatedAt == nil || j.s.CollectedAt.Sub(*vm.Config.CreatedAt).Abs() < longestClone
}
