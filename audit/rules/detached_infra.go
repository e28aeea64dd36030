package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var detachedInfra = Rule{
	ID: "PXA105", Class: identity.DetachedInfra, Severity: Warning,
	Title: "ProxmoxMachine that no Machine owns",
	Why: "No controller reconciles it and no deletion will ever reach it: its VM, if there is one, runs on unmanaged. " +
		"Deleting the object by hand makes CAPMOX delete the VM with its VMID.",
	Remedy: "Find out which Machine it belonged to (kubectl get proxmoxmachine -o yaml: labels, annotations, creation time). " +
		"Re-create the Machine, or check the VM and then delete the ProxmoxMachine.",
	Sources: []string{needDeclared},
}
