package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var mismatched = Rule{
	ID: "PXA107", Class: identity.Mismatched, Severity: Warning,
	Title: "One machine, but Machine and Node have different providerIDs",
	Why: "Cluster API compares providerIDs as strings. Where they differ, the Machine never gets its nodeRef and stays in " +
		"Provisioned, although the Node is there and works; a MachineHealthCheck may delete it.",
	Remedy: "A Node's providerID can be set once and never changed. Where it is empty, set it (the cloud controller manager with " +
		"provider=capmox does, or kubectl patch node). Where another controller wrote another form, the Node has to " +
		"re-register: configure that controller first, then delete the Node object and restart its kubelet.",
	Sources: []string{needGuests, needConfigs, needDeclared, needNodes},
}
