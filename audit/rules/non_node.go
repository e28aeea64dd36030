package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var nonNode = Rule{
	ID: "PXA102", Class: identity.NonNode, Severity: Warning,
	Title: "Machine is no Node of its cluster",
	Why: "Cluster API counts the Machine, and the workload cluster has no such Node: capacity that is paid for and not " +
		"there. A MachineHealthCheck may delete and re-create it in a circle.",
	Remedy: "Look at the Machine's conditions (kubectl describe machine), then at the VM's console: cloud-init, kubeadm join, network to " +
		"the control-plane endpoint.",
	Sources: []string{needDeclared, needNodes},
}
