package identity

import (
	"slices"
	"time"

	"github.com/proxaudit/proxaudit/inventory"
)

// Options are the settings of the analysis.
type Options struct {
	// Grace is how long a machine may be on its way before it is a finding.
	Grace time.Duration
}

// Entity is everything that is one machine. The numbers are indices into the Snapshot's lists. Every VM, ProxmoxMachine,
// Machine and Node of the Snapshot is in exactly one Entity.
type Entity struct {
	VMs             []int
	ProxmoxMachines []int
	Machines        []int
	Nodes           []int

	Class      Class
	Reason     Reason
	Confidence Confidence
	// Cluster is the key of the cluster it belongs to, as far as one is known.
	Cluster string
	// Evidence is all that was compared, what argues for the verdict first.
	Evidence []Evidence
	// Rivals are subjects of other entities that this one is in conflict with.
	Rivals []inventory.Subject
	// Missing is the coverage that the verdict would need, as SOURCE SCOPE.
	Missing []string
	// WaitingFor says what would change the verdict by itself.
	WaitingFor string
	// Notes are remarks that change no verdict.
	Notes []string
	// link is the strongest strength that ties a VM to anything else.
	link Strength
}

// Graph is the result: who is who.
type Graph struct {
	Snapshot *inventory.Snapshot
	// Entities are in the order of the Snapshot's lists once sorted: by their VM, else Machine, ProxmoxMachine, Node.
	Entities []Entity

	byVM, byPM, byMachine, byNode []int
}

// Of returns the entity of a subject, or nil if the Snapshot has no such thing.
func (g *Graph) Of(sub inventory.Subject) *Entity {
	find := func(n int, match func(int) bool, by []int) *Entity {
		for i := range n {
			if match(i) {
				return &g.Entities[by[i]]
			}
		}
		return nil
	}
	s := g.Snapshot
	switch sub.Kind {
	case inventory.SubjectVM:
		return find(len(s.VMs), func(i int) bool { return inventory.VMSubject(s.VMs[i].Key()) == sub }, g.byVM)
	case inventory.SubjectMachine:
		return find(len(s.Machines), func(i int) bool { return machineSubject(&s.Machines[i]) == sub }, g.byMachine)
	case inventory.SubjectProxmoxMachine:
		return find(len(s.ProxmoxMachines),
			func(i int) bool { return proxmoxMachineSubject(&s.ProxmoxMachines[i]) == sub }, g.byPM)
	case inventory.SubjectNode:
		return find(len(s.Nodes), func(i int) bool { return nodeSubject(&s.Nodes[i]) == sub }, g.byNode)
	default:
		return nil
	}
}

// Resolve computes the graph. The Snapshot has to be sorted (inventory.Snapshot.Sort); it is not changed.
func Resolve(s *inventory.Snapshot, opt Options) *Graph {
	b := newBuilder(s, opt)
	b.resolveAll()
	b.joinDeclared()
	b.joinLinks()
	b.joinByUUID()
	g := b.entities()
	j := newJudge(b, g)
	for i := range g.Entities {
		j.classify(&g.Entities[i])
	}
	j.judgeStrays()
	return g
}

// builder holds the resolutions and the union-find forest over all objects.
type builder struct {
	*index
	opt Options

	nodes, pms, machines []resolution
	// ids: VMs first, then ProxmoxMachines, Machines, Nodes.
	parent []int
	// holder is the ProxmoxMachine that really has a VM that several claim; duplicates are the others.
	duplicate map[int]int
	// machineOfPM and pmOfMachine are the declared pairs; -1 where there is none.
	machineOfPM, pmOfMachine []int
	// disputes lists, by VM, the subjects whose facts about it disagree.
	disputes map[int][]inventory.Subject
	// ambiguous lists, by VM, the subjects that may be it and may be another.
	ambiguous map[int][]inventory.Subject
	// unlinked are objects whose weak link was dropped, because another holds the VM or wants it too.
	unlinked map[int]bool
	// alias maps a declared cluster that was given no access to the key under which its Nodes were read.
	alias map[string]string
}

func newBuilder(s *inventory.Snapshot, opt Options) *builder {
	b := &builder{index: newIndex(s), opt: opt, duplicate: map[int]int{},
		disputes: map[int][]inventory.Subject{}, ambiguous: map[int][]inventory.Subject{},
		unlinked: map[int]bool{}, alias: map[string]string{}}
	b.parent = make([]int, len(s.VMs)+len(s.ProxmoxMachines)+len(s.Machines)+len(s.Nodes))
	for i := range b.parent {
		b.parent[i] = i
	}
	return b
}

func (b *builder) pmID(i int) int      { return len(b.s.VMs) + i }
func (b *builder) machineID(i int) int { return len(b.s.VMs) + len(b.s.ProxmoxMachines) + i }
func (b *builder) nodeID(i int) int {
	return len(b.s.VMs) + len(b.s.ProxmoxMachines) + len(b.s.Machines) + i
}

func (b *builder) find(i int) int {
	for b.parent[i] != i {
		b.parent[i] = b.parent[b.parent[i]]
		i = b.parent[i]
	}
	return i
}

// union keeps the smaller root, so that the forest does not depend on the order of the calls.
func (b *builder) union(i, j int) {
	i, j = b.find(i), b.find(j)
	if i == j {
		return
	}
	b.parent[max(i, j)] = min(i, j)
}

func (b *builder) resolveAll() {
	b.nodes = make([]resolution, len(b.s.Nodes))
	for i := range b.nodes {
		b.nodes[i] = b.resolve(b.nodeClaim(i))
	}
	b.pms = make([]resolution, len(b.s.ProxmoxMachines))
	for i := range b.pms {
		b.pms[i] = b.resolve(b.proxmoxMachineClaim(i))
	}
	b.machines = make([]resolution, len(b.s.Machines))
	for i := range b.machines {
		b.machines[i] = b.resolve(b.machineClaim(i))
	}
}

// joinDeclared pairs Machines with their ProxmoxMachines by infrastructureRef and ownerReference. A name alone is not
// a reference.
func (b *builder) joinDeclared() {
	b.machineOfPM = fill(len(b.s.ProxmoxMachines), -1)
	b.pmOfMachine = fill(len(b.s.Machines), -1)
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		ref := m.InfrastructureRef
		if ref == nil || ref.Kind != "ProxmoxMachine" {
			continue
		}
		ns := ref.Namespace
		if ns == "" {
			ns = m.Namespace
		}
		if pm, ok := b.pmByName[objectKey{ns, ref.Name}]; ok {
			b.pmOfMachine[i], b.machineOfPM[pm] = pm, i
			b.union(b.pmID(pm), b.machineID(i))
		}
	}
	for i := range b.s.ProxmoxMachines {
		pm := &b.s.ProxmoxMachines[i]
		owner := pm.Owner(inventory.GroupCluster, "Machine")
		if owner == nil || b.machineOfPM[i] >= 0 {
			continue
		}
		if m, ok := b.machByName[objectKey{pm.Namespace, owner.Name}]; ok {
			b.machineOfPM[i] = m
			if b.pmOfMachine[m] < 0 {
				b.pmOfMachine[m] = i
			}
			b.union(b.pmID(i), b.machineID(m))
		}
	}
}

func fill(n, v int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// The kinds of objects that can hold a VM.
const (
	holdsAsNode = iota
	holdsAsPM
	holdsAsMachine
)

// hold is one object's link to a VM.
type hold struct{ kind, vm, id int }

// joinLinks unites objects with their VMs, the strongest links first: a weak one never reaches a VM that an object of
// the same kind already holds by something stronger, and of several equally weak ones none does.
func (b *builder) joinLinks() {
	b.findDuplicates()
	held := map[[2]int]bool{} // kind and VM
	for _, strength := range []Strength{Proof, Strong, Supporting, Hint} {
		holds := b.holdsAt(strength)
		if strength == Supporting || strength == Hint {
			holds = b.uncontested(holds, held)
		}
		for _, h := range holds {
			b.union(h.vm, h.id)
			held[[2]int{h.kind, h.vm}] = true
		}
	}
	b.noteDoubts()
}

func (b *builder) holdsAt(strength Strength) []hold {
	var out []hold
	add := func(kind int, rs []resolution, id func(int) int, skip func(int) bool) {
		for i := range rs {
			if rs[i].vm >= 0 && rs[i].strength == strength && !skip(i) {
				out = append(out, hold{kind, rs[i].vm, id(i)})
			}
		}
	}
	add(holdsAsNode, b.nodes, b.nodeID, func(int) bool { return false })
	add(holdsAsPM, b.pms, b.pmID, func(i int) bool { _, dup := b.duplicate[i]; return dup })
	add(holdsAsMachine, b.machines, b.machineID, b.isDuplicateMachine)
	return out
}

// uncontested drops weak links to VMs that something of the same kind holds or wants as well, and notes the doubt.
func (b *builder) uncontested(holds []hold, held map[[2]int]bool) []hold {
	wanted := map[[2]int]int{}
	for _, h := range holds {
		wanted[[2]int{h.kind, h.vm}]++
	}
	return slices.DeleteFunc(holds, func(h hold) bool {
		k := [2]int{h.kind, h.vm}
		contested := held[k] || wanted[k] > 1
		if contested && !held[k] {
			b.ambiguous[h.vm] = append(b.ambiguous[h.vm], b.subjectOf(h.id))
		}
		if contested {
			b.unlinked[h.id] = true
		}
		return contested
	})
}

func (b *builder) isDuplicateMachine(m int) bool {
	pm := b.pmOfMachine[m]
	if pm < 0 {
		return false
	}
	_, dup := b.duplicate[pm]
	return dup
}

// findDuplicates looks for VMs that several ProxmoxMachines claim. If exactly one of them fits by VMID and name (the
// two by which CAPMOX itself finds a VM), it is the holder and the others are duplicates: conflicts of their own.
func (b *builder) findDuplicates() {
	claims := make(map[int][]int)
	for i := range b.pms {
		if vm := b.pms[i].vm; vm >= 0 && (b.pms[i].strength == Proof || b.pms[i].strength == Strong) {
			claims[vm] = append(claims[vm], i)
		}
	}
	for vm, pms := range claims {
		if len(pms) < 2 {
			continue
		}
		holder, n := -1, 0
		for _, pm := range pms {
			if b.fitsExactly(pm, vm) {
				holder, n = pm, n+1
			}
		}
		if n != 1 {
			continue
		}
		for _, pm := range pms {
			if pm != holder {
				b.duplicate[pm] = vm
			}
		}
	}
}

func (b *builder) fitsExactly(pm, vm int) bool {
	p, v := &b.s.ProxmoxMachines[pm], &b.s.VMs[vm]
	return p.VMID != nil && *p.VMID == v.VMID && p.Name == v.Name
}

// noteDoubts records which VMs somebody may be: a VM that an unresolved Node could be is never called an orphan. What an
// object that found its VM says of others (names repeat over sites) raises no doubt.
func (b *builder) noteDoubts() {
	note := func(rs []resolution, id func(int) int) {
		for i := range rs {
			r := &rs[i]
			for _, vm := range r.rivals {
				b.ambiguous[vm] = append(b.ambiguous[vm], b.subjectOf(id(i)))
			}
			if r.vm >= 0 {
				continue
			}
			for _, e := range r.evidence {
				if e.Against && (e.Kind == KindName || e.Kind == KindVMIDAndName) {
					for _, vm := range r.disputed {
						if inventory.VMSubject(b.s.VMs[vm].Key()) == e.To {
							b.disputes[vm] = append(b.disputes[vm], b.subjectOf(id(i)))
						}
					}
				}
			}
		}
	}
	note(b.nodes, b.nodeID)
	note(b.pms, b.pmID)
	note(b.machines, b.machineID)
}

// joinByUUID unites what carries the same UUID without a VM between: VMs that share one, Nodes and Machines whose VM
// was not seen, and Machines with the Node that their nodeRef names.
func (b *builder) joinByUUID() {
	for _, vms := range b.vmByUUID {
		for _, vm := range vms[1:] {
			b.union(vms[0], vm)
		}
	}
	joinShared := func(rs []resolution, id func(int) int) {
		for i := range rs {
			if len(rs[i].shared) > 0 {
				b.union(rs[i].shared[0], id(i))
			}
		}
	}
	joinShared(b.nodes, b.nodeID)
	joinShared(b.pms, b.pmID)
	joinShared(b.machines, b.machineID)
	b.findAliases()
	for i := range b.s.Machines {
		if b.isDuplicateMachine(i) {
			continue
		}
		m := &b.s.Machines[i]
		if m.NodeRef != "" {
			if n, ok := b.nodeByName[nodeKey{b.nodesKey(m.Cluster), m.NodeRef}]; ok {
				b.union(b.machineID(i), b.nodeID(n))
				continue
			}
		}
		if n, ok := b.nodeOfUUID(b.machineUUID(i)); ok {
			b.union(b.machineID(i), b.nodeID(n))
		}
	}
}

// nodesKey is the cluster under which a declared cluster's Nodes stand.
func (b *builder) nodesKey(cluster string) string {
	if k, ok := b.alias[cluster]; ok {
		return k
	}
	return cluster
}

// findAliases recognises a declared cluster's Nodes under another key: the configuration may give access to a cluster
// under a name of its own. It takes a Machine's UUID on a Node of the very name in its nodeRef, and no second opinion.
func (b *builder) findAliases() {
	refuted := map[string]bool{}
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		if m.NodeRef == "" || b.nodesRead(m.Cluster) {
			continue
		}
		n, ok := b.nodeOfUUID(b.machineUUID(i))
		if !ok || b.s.Nodes[n].Name != m.NodeRef {
			continue
		}
		key := b.s.Nodes[n].Cluster
		if old, found := b.alias[m.Cluster]; found && old != key {
			refuted[m.Cluster] = true
		}
		b.alias[m.Cluster] = key
	}
	for c := range refuted {
		delete(b.alias, c)
	}
}

func (b *builder) nodeOfUUID(uuid string) (int, bool) {
	if uuid == "" {
		return 0, false
	}
	if ns := b.nodeByUUID[uuid]; len(ns) == 1 {
		return ns[0], true
	}
	return 0, false
}

// machineUUID is the UUID in the Machine's or its ProxmoxMachine's providerID.
func (b *builder) machineUUID(i int) string {
	if u := inventory.ParseProviderID(b.s.Machines[i].ProviderID).UUID; u != "" {
		return u
	}
	if pm := b.pmOfMachine[i]; pm >= 0 {
		return inventory.ParseProviderID(b.s.ProxmoxMachines[pm].ProviderID).UUID
	}
	return ""
}

func (b *builder) subjectOf(id int) inventory.Subject {
	if id < len(b.s.VMs) {
		return inventory.VMSubject(b.s.VMs[id].Key())
	}
	id -= len(b.s.VMs)
	if id < len(b.s.ProxmoxMachines) {
		return proxmoxMachineSubject(&b.s.ProxmoxMachines[id])
	}
	id -= len(b.s.ProxmoxMachines)
	if id < len(b.s.Machines) {
		return machineSubject(&b.s.Machines[id])
	}
	return nodeSubject(&b.s.Nodes[id-len(b.s.Machines)])
}

// entities reads the forest. Roots are the smallest id of their set, so that entities come in the Snapshot's order.
func (b *builder) entities() *Graph {
	g := &Graph{Snapshot: b.s, byVM: make([]int, len(b.s.VMs)), byPM: make([]int, len(b.s.ProxmoxMachines)),
		byMachine: make([]int, len(b.s.Machines)), byNode: make([]int, len(b.s.Nodes))}
	at := make([]int, len(b.parent))
	for id := range b.parent {
		root := b.find(id)
		if root == id {
			at[id] = len(g.Entities)
			g.Entities = append(g.Entities, Entity{})
		}
		e := &g.Entities[at[root]]
		nv, np, nm := len(b.s.VMs), len(b.s.ProxmoxMachines), len(b.s.Machines)
		switch {
		case id < nv:
			e.VMs, g.byVM[id] = append(e.VMs, id), at[root]
		case id < nv+np:
			e.ProxmoxMachines, g.byPM[id-nv] = append(e.ProxmoxMachines, id-nv), at[root]
		case id < nv+np+nm:
			e.Machines, g.byMachine[id-nv-np] = append(e.Machines, id-nv-np), at[root]
		default:
			e.Nodes, g.byNode[id-nv-np-nm] = append(e.Nodes, id-nv-np-nm), at[root]
		}
	}
	return g
}
