package identity

import (
	"slices"
	"strconv"

	"github.com/proxaudit/proxaudit/inventory"
)

// conflict decides whether two claim one. It is the first question: a machine about which the facts disagree has no
// other verdict.
func (j *judge) conflict(e *Entity) bool {
	reason := j.conflictReason(e)
	if reason == "" {
		return false
	}
	e.Confidence = High
	e.verdict(Conflict, reason)
	if own := j.nodesKey(e.Cluster); reason == ReasonTwoMachines && j.claimants(e) < 2 && !j.nodesRead(own) {
		// They meet in a Node alone, and another one that was not listed may be the second's.
		e.unknown(ReasonNotSeen, nodesNeed([]string{own})...)
	}
	if two := reason == ReasonTwoNodes || reason == ReasonTwoMachines && len(e.ProxmoxMachines) > 1; two && len(e.VMs) == 1 && j.s.VMs[e.VMs[0]].Config == nil {
		// What brought them together there is less than its UUID, which would say whose it is.
		e.unknown(ReasonNotSeen, configNeed(j.index, &j.s.VMs[e.VMs[0]]))
	}
	j.remarks(e)
	return true
}

func (j *judge) conflictReason(e *Entity) Reason {
	switch {
	case len(e.VMs) > 1 && j.shareUUID(e.VMs):
		return ReasonSharedUUID
	case j.isDuplicate(e):
		return ReasonDuplicateClaim
	case len(e.VMs) > 1:
		return ReasonIdentitiesDiffer
	case j.distinctNodes(e) > 1:
		return ReasonTwoNodes
	case len(e.Machines) > 1, len(e.ProxmoxMachines) > 1:
		return ReasonTwoMachines
	case j.proofsDisagree(e):
		return ReasonIdentitiesDiffer
	case j.recycled(e):
		return ReasonRecycledVMID
	case j.wrongCluster(e):
		return ReasonWrongCluster
	default:
		return ""
	}
}

// distinctNodes counts a Node that was listed through two contexts once.
func (j *judge) distinctNodes(e *Entity) int {
	n := 0
	for _, i := range e.Nodes {
		if int(j.firstNode[i]) == i {
			n++
		}
	}
	return n
}

func (j *judge) shareUUID(vms []int) bool {
	seen := map[string]bool{}
	for _, i := range vms {
		u := j.s.VMs[i].UUID()
		if u != "" && seen[u] {
			return true
		}
		seen[u] = true
	}
	return false
}

// isDuplicate: the ProxmoxMachine claims a VM that another one really has.
func (j *judge) isDuplicate(e *Entity) bool {
	for _, pm := range e.ProxmoxMachines {
		vm, ok := j.duplicate[pm]
		if !ok {
			continue
		}
		e.Rivals = append(e.Rivals, inventory.VMSubject(j.s.VMs[vm].Key()))
		for _, o := range j.g.Entities[j.g.byVM[vm]].ProxmoxMachines {
			e.Rivals = append(e.Rivals, proxmoxMachineSubject(&j.s.ProxmoxMachines[o]))
		}
		return true
	}
	return false
}

// proofsDisagree: one object names two VMs by proof, or VMID and name fit a VM whose UUID does not.
func (j *judge) proofsDisagree(e *Entity) bool {
	found := false
	look := func(r *resolution) {
		if r.strength == Proof {
			for _, vm := range r.rivals {
				e.Rivals = append(e.Rivals, inventory.VMSubject(j.s.VMs[vm].Key()))
				found = true
			}
		}
		for _, vm := range r.deadlocked {
			if j.rulesOut(e, vm) {
				continue
			}
			e.Rivals = append(e.Rivals, inventory.VMSubject(j.s.VMs[vm].Key()))
			found = true
		}
	}
	j.eachResolution(e, look)
	return found
}

// rulesOut is true if an address at which somebody else was found says nothing: the entity has that very VM by other
// facts (it was renamed), it has its VM in another site, or its VM may lie in a site that was not scanned, where the same
// VMID is a coincidence; or what could lead to its VM was not read.
func (j *judge) rulesOut(e *Entity, vm int) bool {
	if len(e.VMs) > 0 && j.s.VMs[e.VMs[0]].Config == nil && !certain(e.link) {
		// Which VM it has is not certain itself.
		return true
	}
	if len(e.VMs) == 0 {
		return j.mayBe(e, vm) || j.nodeUnseen(e, vm) || j.declarationUnseen(e) || !j.homeScanned(e) || j.gapsBeside(j.s.VMs[vm].Site)
	}
	return slices.Contains(e.VMs, vm) || j.s.VMs[e.VMs[0]].Site != j.s.VMs[vm].Site
}

func (j *judge) eachResolution(e *Entity, f func(*resolution)) {
	for _, i := range e.Machines {
		f(&j.machines[i])
	}
	for _, i := range e.ProxmoxMachines {
		f(&j.pms[i])
	}
	for _, i := range e.Nodes {
		f(&j.nodes[i])
	}
}

// recycled: the VMID that an object names is held by another guest. Deleting such a ProxmoxMachine would destroy that
// guest, for CAPMOX deletes by VMID and host without looking at the name (ionos-cloud/cluster-api-provider-proxmox
// issue 856). A guest with that VMID in a site where the cluster's VMs do not lie is a coincidence; where it is not known
// in which of several sites they lie, the VMID has to be another guest's in each of them.
func (j *judge) recycled(e *Entity) bool {
	found := false
	check := func(r *resolution, home []addressClaim) {
		if len(r.taken) == 0 || len(r.unverified) > 0 {
			return
		}
		if len(e.VMs) == 0 && !j.allHeld(home, r.taken) {
			return
		}
		for _, vm := range r.taken {
			coincidence := !slices.ContainsFunc(home, func(a addressClaim) bool { return a.key == j.s.VMs[vm].Key() })
			if coincidence || j.rulesOut(e, vm) {
				continue
			}
			e.Rivals = append(e.Rivals, inventory.VMSubject(j.s.VMs[vm].Key()))
			found = true
		}
	}
	for _, i := range e.ProxmoxMachines {
		check(&j.pms[i], j.atHomeOf(e, j.pmAddresses[i]))
	}
	for _, i := range e.Nodes {
		// A Node names the region, and with it the site.
		check(&j.nodes[i], j.nodeAddresses(&j.s.Nodes[i]))
	}
	return found
}

// nodeUnseen is true if a Machine's cluster was not read and a Node of it could tell that a VM is its own after all: the one
// that nodeRef names, or one with its UUID where the VM has none to compare.
func (j *judge) nodeUnseen(e *Entity, vm int) bool {
	return slices.ContainsFunc(e.Machines, func(m int) bool {
		if j.nodesRead(j.nodesKey(j.s.Machines[m].Cluster)) {
			return false
		}
		return j.s.Machines[m].NodeRef != "" || (vm >= 0 && j.machineUUID(m) != "" && j.s.VMs[vm].UUID() == "")
	})
}

// mayBe is true if one of an entity's objects fits a VM by something that was too little to tie them, or another by a UUID in
// swapped form.
func (j *judge) mayBe(e *Entity, vm int) bool {
	fits := false
	j.eachResolution(e, func(r *resolution) {
		fits = fits || r.vm == vm || slices.Contains(r.rivals, vm) || r.swapped
	})
	return fits
}

// claimants counts the Machines that say for themselves which VM they are.
func (j *judge) claimants(e *Entity) int {
	n := 0
	for _, m := range e.Machines {
		pm := j.pmOfMachine[m]
		if slices.Contains(e.VMs, j.machines[m].vm) || (pm >= 0 && slices.Contains(e.VMs, j.pms[pm].vm)) {
			n++
		}
	}
	return n
}

// declarationUnseen is true if Machines or ProxmoxMachines were not all read: one of those could lead to an entity's VM.
// What has a Machine is declared in that Machine's namespace, whatever others were left out.
func (j *judge) declarationUnseen(e *Entity) bool {
	if len(e.Machines) == 0 {
		return len(j.declaredGaps) > 0
	}
	return !j.known(inventory.ManagementSource, inventory.ScopeMachines) || !j.known(inventory.ManagementSource, inventory.ScopeProxmoxMachines)
}

// allHeld is true if each address is held by one of the guests.
func (j *judge) allHeld(addresses []addressClaim, guests []int) bool {
	held := map[inventory.Key]bool{}
	for _, vm := range guests {
		held[j.s.VMs[vm].Key()] = true
	}
	return !slices.ContainsFunc(addresses, func(a addressClaim) bool { return !held[a.key] })
}

// wrongCluster: the Machine belongs to one cluster, and its VM is a Node of another, both of which were read.
func (j *judge) wrongCluster(e *Entity) bool {
	for _, m := range e.Machines {
		own := j.nodesKey(j.s.Machines[m].Cluster)
		if slices.ContainsFunc(e.Nodes, func(n int) bool { return j.s.Nodes[n].Cluster == own }) {
			continue
		}
		for _, n := range e.Nodes {
			if j.s.Nodes[n].Cluster != own && j.nodesRead(own) {
				e.added = append(e.added, Evidence{Kind: KindState, Against: true,
					From: machineSubject(&j.s.Machines[m]), To: nodeSubject(&j.s.Nodes[n]),
					Left: own, Right: j.s.Nodes[n].Cluster, Note: "the Machine's cluster is not the Node's"})
				return true
			}
		}
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }
