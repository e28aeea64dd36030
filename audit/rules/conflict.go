package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var conflict = Rule{
	ID: "PXA106", Class: identity.Conflict, Severity: Critical,
	Title: "Two claim one machine",
	Why: "Identities disagree: a recycled VMID, a shared UUID, a duplicated providerID. CAPMOX deletes by VMID and host " +
		"without looking at the name, so that removing one of the two may destroy the other's VM.",
	Remedy: "Touch neither of them before it is clear which is right: proxaudit explain shows the facts on both sides. Pause the " +
		"ProxmoxMachine (annotation cluster.x-k8s.io/paused) so that no controller acts meanwhile.",
	Sources: []string{needGuests, needConfigs, needDeclared, needNodes},
}
