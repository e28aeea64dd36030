package identity

import (
	"github.com/proxaudit/proxaudit/inventory"
)

// joinDeclared pairs Machines with their ProxmoxMachines by infrastructureRef and ownerReference. A name alone is not
// a reference.
func (b *builder) joinDeclared() {
	b.machineOfPM = fill(len(b.s.ProxmoxMachines), -1)
	b.pmOfMachine = fill(len(b.s.Machines), -1)
	for i := range b.s.Machines {
		m := &b.s.Machines[i]
		if pm, ok := b.referred(m); ok {
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

// referred is the ProxmoxMachine that a Machine's infrastructureRef names.
func (b *builder) referred(m *inventory.Machine) (int, bool) {
	ref := m.InfrastructureRef
	if ref == nil || ref.Kind != "ProxmoxMachine" {
		return 0, false
	}
	ns := ref.Namespace
	if ns == "" {
		ns = m.Namespace
	}
	pm, ok := b.pmByName[objectKey{ns, ref.Name}]
	return pm, ok
}

func fill(n, v int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// declaredCluster is the cluster of an entity's Machine, else of its ProxmoxMachine, else of its Node.
func (b *builder) declaredCluster(e *Entity) string {
	if n := len(e.Machines); n > 0 {
		if c := b.s.Machines[e.Machines[n-1]].Cluster; c != "" {
			return c
		}
	}
	for _, i := range e.ProxmoxMachines {
		if c := b.s.ProxmoxMachines[i].Cluster; c != "" {
			return c
		}
	}
	for _, i := range e.Nodes {
		if c := b.s.Nodes[i].Cluster; c != "" {
			return c
		}
	}
	return ""
}

// refs are a Machine's references to other API objects as evidence.
func (b *builder) refs(m int) []Evidence {
	var out []Evidence
	mach := &b.s.Machines[m]
	from := machineSubject(mach)
	if pm, ok := b.referred(mach); ok {
		to := proxmoxMachineSubject(&b.s.ProxmoxMachines[pm])
		out = append(out, Evidence{Kind: KindInfraRef, Strength: Declared, From: from, To: to, Left: to.Name, Right: to.Name})
	}
	if mach.NodeRef != "" {
		to := inventory.Subject{Kind: inventory.SubjectNode, Scope: b.nodesKey(mach.Cluster), Name: mach.NodeRef}
		_, exists := b.nodeByName[nodeKey{to.Scope, to.Name}]
		ev := Evidence{Kind: KindNodeRef, Strength: Declared, From: from, To: to, Left: mach.NodeRef}
		switch {
		case exists:
			ev.Right = mach.NodeRef
		case b.nodesRead(to.Scope):
			ev.Note, ev.Against = "the cluster has no such Node", true
		default:
			ev.Note = "the cluster's Nodes were not all seen"
		}
		out = append(out, ev)
	}
	return out
}

// ownerRef is a ProxmoxMachine's ownerReference to its Machine, where no infrastructureRef says the same.
func (b *builder) ownerRef(pm int) []Evidence {
	m := b.machineOfPM[pm]
	if m < 0 {
		return nil
	}
	if named, ok := b.referred(&b.s.Machines[m]); ok && named == pm {
		return nil
	}
	from, to := proxmoxMachineSubject(&b.s.ProxmoxMachines[pm]), machineSubject(&b.s.Machines[m])
	return []Evidence{{Kind: KindOwnerRef, Strength: Declared, From: from, To: to, Left: to.Name, Right: to.Name}}
}
