package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var ghostMachine = Rule{
	ID: "PXA103", Class: identity.GhostMachine, Severity: Warning,
	Title: "Machine whose VM is gone",
	Why: "The VM was removed behind Cluster API's back. The Machine still counts as a replica, so nothing replaces it; " +
		"and its VMID is free to be given to another guest, which a later deletion of the Machine would then destroy.",
	Remedy: "Delete the Machine while its VMID is still free. If its deletion hangs, look at the ProxmoxMachine's finalizer and " +
		"the CAPMOX log before you take the finalizer off.",
	Sources: []string{needGuests, needProbe, needDeclared},
}
