package audit

import (
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/rules"
)

// titles say what is the matter, per reason; where a reason has none the rule's own title stands.
var titles = map[identity.Reason]string{
	identity.ReasonNodeRefBroken:    "Machine's nodeRef names a Node that does not exist",
	identity.ReasonNeverProvided:    "Machine was never given a VM",
	identity.ReasonStuckDeleting:    "Machine hangs in deletion, and its VM is already gone",
	identity.ReasonSharedUUID:       "Several VMs carry the same SMBIOS UUID",
	identity.ReasonRecycledVMID:     "The VMID it names belongs to another guest: deleting it would destroy that one",
	identity.ReasonDuplicateClaim:   "ProxmoxMachine claims a VM that another ProxmoxMachine has",
	identity.ReasonTwoNodes:         "Two Nodes run on one VM",
	identity.ReasonTwoMachines:      "Two Machines claim one VM",
	identity.ReasonIdentitiesDiffer: "Strong evidence disagrees about which VM it is",
	identity.ReasonWrongCluster:     "Machine of one cluster, Node of another",
	identity.ReasonNoProviderID:     "Machine and Node are one, but the Node has no providerID",
	identity.ReasonNotSeen:          "No verdict: something that it needs was not seen",
	identity.ReasonHidden:           "No verdict: Proxmox says the VMID is taken, by a guest that the token may not see",
	identity.ReasonUnverifiable:     "No verdict: it cannot be checked whether its VM exists",
	identity.ReasonAmbiguous:        "No verdict: more than one could be it",
	identity.ReasonAlive:            "No verdict: the Node is Ready, and no VM was found for it",
	identity.ReasonUnmappedRegion:   "No verdict: the region in the Node's providerID is mapped to no site",
	identity.ReasonLooksLike:        "No verdict: it looks like a cluster's VM, but what it shares is not one cluster's alone",
	identity.ReasonDeleting:         "Being deleted, within the grace period",
}

// remedies say what to do, per reason; where a reason has none the rule's remedy stands.
var remedies = map[identity.Reason]string{
	identity.ReasonSharedUUID: "Find out which of them is the copy (a restore without --unique, a stopped source of a remote " +
		"migration). Stop it, and give it a new UUID (qm set VMID --smbios1 uuid=…) or remove it.",
	identity.ReasonRecycledVMID: "Do not delete it: CAPMOX deletes by VMID and host without looking at the name. Pause the " +
		"ProxmoxMachine, then correct or clear its spec.virtualMachineID before anything else.",
	identity.ReasonNoOwnerOfNode: "Do not delete it: its VM is a Node that runs. Finish the move or restore that left it without its " +
		"Machine, or re-create the Machine.",
	identity.ReasonNoProviderID: "Set the Node's providerID to the Machine's, once: kubectl patch node NAME -p " +
		`'{"spec":{"providerID":"…"}}'. It cannot be changed afterwards.`,
	identity.ReasonNeverProvided: "Look at the conditions of the Machine and its ProxmoxMachine, and at the CAPMOX log: template, " +
		"credentials, IP pool, storage.",
	identity.ReasonHidden: "Give the token VM.Audit on /vms with propagation, and look for a NoAccess role on that path or its " +
		"pool: the guest exists.",
	identity.ReasonUnverifiable: "A UUID cannot be asked for in Proxmox, only a VMID. Make all guests readable (offline hosts, " +
		"permissions), or look by hand.",
	identity.ReasonAmbiguous: "Tell them apart: give each VM its own name and SMBIOS UUID, or name the cluster's site in " +
		"proxaudit.yaml (clusters[].site).",
	identity.ReasonAlive:          "Its machine runs somewhere: add the missing site to proxaudit.yaml.",
	identity.ReasonUnmappedRegion: "Name the region in proxaudit.yaml (sites[].regions).",
	identity.ReasonSiteUnknown: "Add the site to proxaudit.yaml (sites[]), or say in which site the cluster lies " +
		"(clusters[].site): nothing ties it to one of the sites of this run.",
	identity.ReasonNoMember: "Check that the cluster's context leads to the cluster that its selector means: none of the Nodes that it " +
		"has is a VM of a scanned site.",
	identity.ReasonLooksLike: "Add the cluster that it belongs to to proxaudit.yaml (clusters[]), or give the known cluster a " +
		"selector that tells.",
}

func titleOf(r rules.Rule, e *identity.Entity) string {
	if pointsAtOther(e) {
		return "The VMID in its providerID belongs to another guest"
	}
	if t, ok := titles[e.Reason]; ok {
		return t
	}
	if e.Class == identity.OrphanVM && e.Cluster != "" {
		return "VM belongs to cluster " + e.Cluster + ", and is neither a Node nor a Machine"
	}
	return r.Title
}

// pointsAtOther is true for a Node alone whose VMID is another guest's: no controller acts on that VMID.
func pointsAtOther(e *identity.Entity) bool {
	return e.Reason == identity.ReasonRecycledVMID && len(e.ProxmoxMachines) == 0
}

func remedyOf(r rules.Rule, e *identity.Entity) string {
	if pointsAtOther(e) {
		return "Look which VM runs this Node. If none does, its VM is gone and the VMID was given to another: drain and delete the Node object, which touches no guest."
	}
	if t, ok := remedies[e.Reason]; ok {
		return t
	}
	if len(e.Missing) > 0 {
		names := make([]string, len(e.Missing))
		for i, n := range e.Missing {
			names[i] = n.String()
		}
		return "Make " + strings.Join(names, ", ") + " readable (see coverage), and run again."
	}
	return r.Remedy
}
