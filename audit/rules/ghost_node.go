package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var ghostNode = Rule{
	ID: "PXA104", Class: identity.GhostNode, Severity: Warning,
	Title: "Node whose VM is gone",
	Why: "The Node object stays NotReady for ever: its Pods are stuck in Terminating, volumes stay attached, and its " +
		"address may be given to another machine.",
	Remedy: "kubectl drain and kubectl delete node, after a look that the machine does not run elsewhere. A control-plane Node " +
		"also has an etcd member to remove first.",
	Sources: []string{needGuests, needProbe, needNodes},
}
