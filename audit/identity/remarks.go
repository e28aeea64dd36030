package identity

// remarks are facts that a person wants to know beside the verdict.
func (j *judge) remarks(e *Entity) {
	for _, i := range e.Machines {
		m := &j.s.Machines[i]
		if m.Paused {
			e.Notes = append(e.Notes, "the Machine is paused")
		}
		if m.DeletedAt != nil {
			e.Notes = append(e.Notes, "the Machine is being deleted")
		}
		if m.FailureMessage != "" {
			e.Notes = append(e.Notes, "the Machine reports: "+m.FailureMessage)
		}
	}
	for _, i := range e.ProxmoxMachines {
		pm := &j.s.ProxmoxMachines[i]
		if len(e.VMs) == 1 && pm.ProxmoxNode != "" && pm.ProxmoxNode != j.s.VMs[e.VMs[0]].Node {
			e.Notes = append(e.Notes, "the ProxmoxMachine says host "+pm.ProxmoxNode+", the VM is on "+j.s.VMs[e.VMs[0]].Node)
		}
		if pm.FailureMessage != "" {
			e.Notes = append(e.Notes, "the ProxmoxMachine reports: "+pm.FailureMessage)
		}
	}
	for _, i := range e.Nodes {
		n := &j.s.Nodes[i]
		if len(e.VMs) == 1 && n.Ready == "True" && j.s.VMs[e.VMs[0]].Status == "stopped" {
			e.Notes = append(e.Notes, "the Node reports Ready, and the VM is stopped: the same UUID may run elsewhere")
		}
		if n.MachineID != "" && j.clones[n.MachineID] > 1 {
			e.Notes = append(e.Notes, "other Nodes have the same machine-id: the template was not reset before it was cloned")
		}
	}
	if len(e.VMs) == 1 {
		vm := &j.s.VMs[e.VMs[0]]
		if vm.Config != nil && vm.Config.UUID == "" {
			e.Notes = append(e.Notes, "the VM sets no SMBIOS UUID that could identify it")
		}
	}
}
