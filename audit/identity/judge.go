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
	declaredGaps []inventory.Need
	unread       []string
	// nameGaps is why a VM of a given name may exist and not have been seen under it.
	nameGaps []inventory.Need
	// siteGaps says for which sites uuidGaps has something.
	siteGaps map[string]bool
	loose    looseNodes
	matchers []clusterMatcher
	// matcherOf lists the numbers of a cluster's matchers: more than one where it is configured under two names.
	matcherOf map[string][]int
	services  services
	// namesakes are for runsAs.
	namesakes map[string]*nameIndex[namesake]
	// spread is the time between the first and the last of the scans that the Snapshot is made of; zero for one.
	spread time.Duration
	// clones counts Nodes by machine-id.
	clones map[string]int
}

func newJudge(b *builder, g *Graph) *judge {
	j := &judge{builder: b, g: g, declaredGaps: b.declaredMissing(),
		nameGaps: b.namesMissing(), unread: b.unreadClusters(),
		clones: map[string]int{}, siteGaps: map[string]bool{}, spread: b.s.LastReadAt().Sub(b.s.CollectedAt)}
	j.matchers, j.services = matchersOf(b.s.Clusters), servicesOf(b.s.Clusters)
	j.matcherOf = map[string][]int{}
	for i := range j.matchers {
		key := b.nodesKey(j.matchers[i].cluster)
		j.matcherOf[key] = append(j.matcherOf[key], i)
	}
	whole := len(j.uuidGaps)+len(j.unread)+len(j.declaredGaps) == 0
	together(j.size,
		func() { j.heldByNodes(g) },
		func() { j.namesakes = j.namesakesOf(g, whole) },
		func() { j.loose = j.findLoose(g, whole) },
		j.countClones)
	for i := range b.s.Sites {
		name := b.s.Sites[i].Name
		j.siteGaps[name] = len(b.guestsMissing(name)) > 0
	}
	for i := range b.s.VMs {
		if vm := &b.s.VMs[i]; candidate(vm) && vm.Config == nil {
			j.siteGaps[vm.Site] = true
		}
	}
	return j
}

func (j *judge) countClones() {
	for i := range j.s.Nodes {
		if id := j.s.Nodes[i].MachineID; id != "" {
			j.clones[id]++
		}
	}
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

func (e *Entity) unknown(r Reason, missing ...inventory.Need) {
	e.Class, e.Reason, e.Confidence = Unknown, r, Low
	e.Missing = append(e.Missing, missing...)
	slices.SortFunc(e.Missing, inventory.CompareNeeds)
	e.Missing = slices.Compact(e.Missing)
}

// weakGaps are why another may fit as well where only addresses or a name tie a VM to the rest: what was not seen of the
// guests, of the Nodes and of the declarations. Empty for what is certain.
func (j *judge) weakGaps(e *Entity) []inventory.Need {
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
