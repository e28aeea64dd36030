package identity

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
