package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var orphanVM = Rule{
	ID: "PXA101", Class: identity.OrphanVM, Severity: Warning,
	Title: "VM belongs to a cluster, and is neither a Node nor a Machine",
	Why: "A script or controller made the VM and died before it joined, or removed the Node and left the VM. It holds " +
		"memory, disk and addresses, nobody patches it, and it may carry join credentials.",
	Remedy: "Look at what runs on it first (console, or ssh). If it is a half-way join: finish it, or stop the VM, wait " +
		"for anybody to miss it, and then destroy it. proxaudit never deletes.",
	Sources: []string{needGuests, needConfigs, needDeclared, needNodesOfAll},
}
