package identity

import (
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// judge gives every entity its class. It asks the coverage before it calls anything missing: what was not seen is
// unknown, never gone.
type judge struct {
	*builder
	g            *Graph
	declaredGaps []string
	unread       []string
	// nameGaps is why a VM of a given name may exist and not have been seen under it.
	nameGaps []string
	// siteGaps says for which sites uuidGaps has something.
	siteGaps map[string]bool
	loose    looseNodes
	// clones counts Nodes by machine-id.
	clones map[string]int
}

func newJudge(b *builder, g *Graph) *judge {
	j := &judge{builder: b, g: g, declaredGaps: b.declaredMissing(),
		nameGaps: b.namesMissing(), unread: b.unreadClusters(),
		clones: map[string]int{}, siteGaps: map[string]bool{}}
	j.loose = b.findLoose(g, len(j.uuidGaps)+len(j.unread)+len(j.declaredGaps) == 0)
	for i := range b.s.Sites {
		name := b.s.Sites[i].Name
		j.siteGaps[name] = len(b.guestsMissing(name)) > 0
	}
	for i := range b.s.VMs {
		if vm := &b.s.VMs[i]; candidate(vm) && vm.Config == nil {
			j.siteGaps[vm.Site] = true
		}
	}
	for i := range b.s.Nodes {
		n := &b.s.Nodes[i]
		if n.MachineID != "" {
			j.clones[n.MachineID]++
		}
	}
	return j
}

// classify decides everything but lone VMs: those need to know first who the members of the clusters are.
func (j *judge) classify(e *Entity) {
	j.gather(e)
	if j.conflict(e) || j.mayBeCopy(e) {
		return
	}
	hasVM, hasNode := len(e.VMs) > 0, len(e.Nodes) > 0
	declared := len(e.Machines) > 0 || len(e.ProxmoxMachines) > 0
	switch {
	case hasVM && !declared && !hasNode:
		// judgeStrays decides.
	case hasVM && declared && hasNode:
		j.whole(e)
	case hasVM && hasNode:
		j.undeclared(e)
	case hasVM:
		j.noNode(e)
	case declared:
		j.noVM(e)
	default:
		j.nodeOnly(e)
	}
}

func (e *Entity) verdict(c Class, r Reason) { e.Class, e.Reason = c, r }

func (e *Entity) unknown(r Reason, missing ...string) {
	e.Class, e.Reason, e.Confidence = Unknown, r, Low
	e.Missing = append(e.Missing, missing...)
	slices.Sort(e.Missing)
	e.Missing = slices.Compact(e.Missing)
}

// whole: VM, Node and a declaration.
func (j *judge) whole(e *Entity) {
	switch {
	case j.unverifiable(e):
		e.unknown(ReasonUnverifiable, configNeed(j.index, &j.s.VMs[e.VMs[0]]))
		j.remarks(e)
	case len(e.Machines) == 0:
		j.detached(e)
	default:
		j.providerIDs(e)
	}
}

// unverifiable is true if what ties the VM or the Node to the rest is less than strong and the configuration, which would
// settle it, was not read.
func (j *judge) unverifiable(e *Entity) bool {
	if len(e.VMs) == 0 || j.s.VMs[e.VMs[0]].Config != nil {
		return false
	}
	return !certain(e.link) || !j.nodeTied(e)
}

// certain is true for evidence that says which VM it is.
func certain(s Strength) bool { return s == Proof || s == Strong }

// nodeTied is true if an entity's Node belongs to it by more than an address or a name: by its own evidence for the VM,
// or by the declaration's nodeRef or UUID.
func (j *judge) nodeTied(e *Entity) bool {
	for _, n := range e.Nodes {
		if j.nodes[n].vm >= 0 && certain(j.nodes[n].strength) {
			return true
		}
		for _, m := range e.Machines {
			if j.s.Machines[m].NodeRef == j.s.Nodes[n].Name {
				return true
			}
			if u := j.machineUUID(m); u != "" && u == j.s.Nodes[n].SystemUUID {
				return true
			}
		}
	}
	return false
}

// providerIDs compares the providerIDs as Cluster API does: as strings, exactly
// (sigs.k8s.io/cluster-api internal/controllers/machine: the Node is looked up by spec.providerID).
func (j *judge) providerIDs(e *Entity) {
	m, n := &j.s.Machines[e.Machines[0]], &j.s.Nodes[e.Nodes[0]]
	declared := m.ProviderID
	if declared == "" && len(e.ProxmoxMachines) > 0 {
		declared = j.s.ProxmoxMachines[e.ProxmoxMachines[0]].ProviderID
	}
	ev := Evidence{Kind: KindProviderIDString, From: machineSubject(m), To: nodeSubject(n), Left: declared, Right: n.ProviderID}
	young := j.young(m.CreatedAt) || j.young(n.CreatedAt)
	switch {
	case declared == n.ProviderID && declared != "":
		ev.Strength = Declared
		e.added = append(e.added, ev)
		e.verdict(Managed, ReasonLinked)
		if m.NodeRef == "" {
			e.WaitingFor = "the Machine controller, to set nodeRef"
			e.Notes = append(e.Notes, "nodeRef is not set yet")
		}
	case (n.ProviderID == "" || declared == "") && young && j.progressing(e):
		ev.Against = true
		e.added = append(e.added, ev)
		e.verdict(Converging, ReasonYoung)
		e.WaitingFor = "the providerID to be set on both sides"
	case n.ProviderID == "":
		ev.Against, ev.Note = true, "the Node has no providerID, so the Machine never finds it"
		e.added = append(e.added, ev)
		e.verdict(Mismatched, ReasonNoProviderID)
	default:
		ev.Against, ev.Note = true, "Cluster API compares these as strings"
		e.added = append(e.added, ev)
		e.verdict(Mismatched, ReasonProviderIDs)
	}
	j.remarks(e)
}

// weakGaps are why another may fit as well where only addresses or a name tie a VM to the rest: what was not seen of the
// guests, of the Nodes and of the declarations. Empty for what is certain.
func (j *judge) weakGaps(e *Entity) []string {
	if certain(e.link) {
		return nil
	}
	return slices.Concat(j.uuidGaps, j.declaredGaps, nodesNeed(j.unread))
}

// declares is true for a Machine or ProxmoxMachine of a cluster.
func (j *judge) declares(s inventory.Subject, cluster string) bool {
	at, of := objectKey{s.Scope, s.Name}, ""
	if i, ok := j.machByName[at]; ok && s.Kind == inventory.SubjectMachine {
		of = j.s.Machines[i].Cluster
	}
	if i, ok := j.pmByName[at]; ok && s.Kind == inventory.SubjectProxmoxMachine {
		of = j.s.ProxmoxMachines[i].Cluster
	}
	return of != "" && j.nodesKey(of) == j.nodesKey(cluster)
}

// undeclared: VM and Node, and nothing declares them.
func (j *judge) undeclared(e *Entity) {
	switch {
	case j.s.VMs[e.VMs[0]].Config == nil:
		// A VMID and a name that fit are not enough to take the Node's own word: the UUID may say otherwise.
		e.unknown(ReasonUnverifiable, configNeed(j.index, &j.s.VMs[e.VMs[0]]))
	case slices.ContainsFunc(j.ambiguous[e.VMs[0]], func(s inventory.Subject) bool { return j.declares(s, e.Cluster) }):
		// A declaration may be this VM's, and may be another's.
		j.addDoubts(e, e.VMs[0])
		e.unknown(ReasonAmbiguous)
	case len(j.declaredGaps)+len(j.weakGaps(e)) > 0:
		e.unknown(ReasonNotSeen, slices.Concat(j.declaredGaps, j.weakGaps(e))...)
	default:
		e.verdict(Adoptable, ReasonNoMachine)
	}
	j.remarks(e)
}

// detached: a ProxmoxMachine that no Machine owns.
func (j *judge) detached(e *Entity) {
	pm := &j.s.ProxmoxMachines[e.ProxmoxMachines[0]]
	switch {
	case len(j.declaredGaps) > 0:
		e.unknown(ReasonNotSeen, j.declaredGaps...)
	case len(e.VMs) > 0 && j.s.VMs[e.VMs[0]].Config == nil:
		// The VM may be another's: its UUID would tell.
		e.unknown(ReasonUnverifiable, configNeed(j.index, &j.s.VMs[e.VMs[0]]))
	case len(e.VMs) > 0 && len(j.weakGaps(e)) > 0:
		e.unknown(ReasonUnverifiable, j.weakGaps(e)...)
	case j.young(pm.CreatedAt) && pm.DeletedAt == nil, j.young(pm.DeletedAt):
		e.verdict(Converging, ReasonYoung)
		e.WaitingFor = "a Machine to take it, or its deletion"
	default:
		e.Confidence = High
		e.verdict(DetachedInfra, ReasonNoOwner)
	}
	j.remarks(e)
}

// noNode: a VM and a declaration, no Node.
func (j *judge) noNode(e *Entity) {
	if len(e.Machines) == 0 {
		j.detached(e)
		return
	}
	m, vm := &j.s.Machines[e.Machines[0]], &j.s.VMs[e.VMs[0]]
	nodes := j.nodesKey(m.Cluster)
	switch {
	case !j.nodesRead(nodes):
		e.unknown(ReasonNotSeen, nodesNeed([]string{m.Cluster})...)
	case !j.known(inventory.ManagementSource, inventory.ScopeProxmoxMachines):
		// Another ProxmoxMachine may have the VM.
		e.unknown(ReasonNotSeen, need(inventory.ManagementSource, inventory.ScopeProxmoxMachines))
	case vm.Config == nil:
		// It may be another machine's VM, or that of a Node that found none: only the UUID could tell.
		e.unknown(ReasonNotSeen, configNeed(j.index, vm))
	case len(j.weakGaps(e)) > 0:
		e.unknown(ReasonNotSeen, j.weakGaps(e)...)
	case slices.ContainsFunc(j.ambiguous[e.VMs[0]], func(s inventory.Subject) bool {
		return s.Kind == inventory.SubjectNode && s.Scope == nodes
	}):
		j.addDoubts(e, e.VMs[0])
		e.unknown(ReasonAmbiguous)
	case j.loose.mayBeNodeOf(nodes, vm) > 0:
		e.unknown(ReasonAmbiguous)
		e.Notes = append(e.Notes, "a Node of the cluster found no VM and may be this machine: there is no UUID to compare")
	case m.NodeRef != "":
		e.Confidence = High
		e.verdict(NonNode, ReasonNodeRefBroken)
	default:
		j.nonNode(e, ReasonNoNode)
	}
	j.remarks(e)
}

// nonNode is converging within the grace period, and a finding after it.
func (j *judge) nonNode(e *Entity, why Reason) {
	m := &j.s.Machines[e.Machines[0]]
	switch {
	case j.young(m.DeletedAt):
		e.verdict(Converging, ReasonDeleting)
		e.WaitingFor = "its deletion"
	case m.DeletedAt == nil && j.young(m.CreatedAt) && j.progressing(e):
		e.verdict(Converging, ReasonYoung)
		e.WaitingFor = "its Node to register"
	default:
		e.Confidence = High
		e.verdict(NonNode, why)
	}
}

// young is true within the grace period. A time in the future (clocks differ) counts by its distance.
func (j *judge) young(t *time.Time) bool {
	return t != nil && j.s.CollectedAt.Sub(*t).Abs() < j.opt.Grace
}

// progressing is false if something is known to hold the controllers up, so that waiting longer is no use.
func (j *judge) progressing(e *Entity) bool {
	for _, i := range e.Machines {
		m := &j.s.Machines[i]
		if m.Paused || m.FailureReason != "" || m.FailureMessage != "" {
			return false
		}
		if c := j.clusters[m.Cluster]; c != nil && c.Declared != nil && c.Declared.Paused {
			return false
		}
	}
	for _, i := range e.ProxmoxMachines {
		pm := &j.s.ProxmoxMachines[i]
		if pm.Paused || pm.FailureReason != "" || pm.FailureMessage != "" {
			return false
		}
	}
	for i := range j.s.Providers {
		p := &j.s.Providers[i]
		if p.Desired > 0 && p.Available == 0 {
			return false
		}
	}
	return true
}
