package audit

import (
	"slices"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/inventory"
)

func vmRef(s *inventory.Snapshot, i int, cluster string) SubjectRef {
	vm := &s.VMs[i]
	return SubjectRef{Kind: inventory.SubjectVM, Site: vm.Site, Cluster: cluster, Name: vm.Name, VMID: vm.VMID,
		Node: vm.Node, UUID: vm.UUID(), ID: inventory.VMSubject(vm.Key()).String()}
}

func machineRef(s *inventory.Snapshot, i int) SubjectRef {
	m := &s.Machines[i]
	return SubjectRef{Kind: inventory.SubjectMachine, Cluster: m.Cluster, Namespace: m.Namespace, Name: m.Name,
		ID: inventory.Subject{Kind: inventory.SubjectMachine, Scope: m.Namespace, Name: m.Name}.String()}
}

func proxmoxMachineRef(s *inventory.Snapshot, i int) SubjectRef {
	pm := &s.ProxmoxMachines[i]
	ref := SubjectRef{Kind: inventory.SubjectProxmoxMachine, Cluster: pm.Cluster, Namespace: pm.Namespace, Name: pm.Name,
		ID: inventory.Subject{Kind: inventory.SubjectProxmoxMachine, Scope: pm.Namespace, Name: pm.Name}.String()}
	if pm.VMID != nil {
		ref.VMID = *pm.VMID
	}
	ref.UUID = inventory.ParseProviderID(pm.ProviderID).UUID
	return ref
}

func nodeRef(s *inventory.Snapshot, i int) SubjectRef {
	n := &s.Nodes[i]
	return SubjectRef{Kind: inventory.SubjectNode, Cluster: n.Cluster, Name: n.Name, UUID: n.SystemUUID,
		ID: inventory.Subject{Kind: inventory.SubjectNode, Scope: n.Cluster, Name: n.Name}.String()}
}

// rivals are the subjects of other machines that an entity is in conflict with, each once.
func (r *result) rivals(e *identity.Entity) []SubjectRef {
	var out []SubjectRef
	for _, s := range e.Rivals {
		if id := s.String(); !slices.ContainsFunc(out, func(ref SubjectRef) bool { return ref.ID == id }) {
			out = append(out, r.ref(s))
		}
	}
	return out
}

// ref is a subject with all that is known of it.
func (r *result) ref(s inventory.Subject) SubjectRef {
	if e := r.graph.Of(s); e != nil {
		id := s.String()
		for _, ref := range refsOf(r.s, e) {
			if ref.ID == id {
				return ref
			}
		}
	}
	return rivalRef(s)
}

// refsOf lists all members of an entity, the one that the class is about first.
func refsOf(s *inventory.Snapshot, e *identity.Entity) []SubjectRef {
	var vms, machines, pms, nodes []SubjectRef
	for _, i := range e.VMs {
		vms = append(vms, vmRef(s, i, e.Cluster))
	}
	for _, i := range e.Machines {
		machines = append(machines, machineRef(s, i))
	}
	for _, i := range e.ProxmoxMachines {
		pms = append(pms, proxmoxMachineRef(s, i))
	}
	for _, i := range e.Nodes {
		nodes = append(nodes, nodeRef(s, i))
	}
	order := [][]SubjectRef{vms, machines, nodes, pms}
	switch e.Class {
	case identity.NonNode, identity.GhostMachine:
		order = [][]SubjectRef{machines, pms, vms, nodes}
	case identity.DetachedInfra:
		order = [][]SubjectRef{pms, vms, nodes, machines}
	case identity.GhostNode, identity.ForeignNode:
		order = [][]SubjectRef{nodes, vms, machines, pms}
	default:
		if e.Reason == identity.ReasonDuplicateClaim || e.Reason == identity.ReasonRecycledVMID {
			order = [][]SubjectRef{machines, pms, nodes, vms}
		}
	}
	var out []SubjectRef
	for _, refs := range order {
		out = append(out, refs...)
	}
	return out
}
