package rules

import "github.com/proxaudit/proxaudit/audit/identity"

// Stuck is the class of a cluster that does not get on by itself. It is a class of clusters: no machine has it.
const Stuck identity.Class = "stuck"

// StuckCluster is the rule that report has of clusters.
var StuckCluster = Rule{
	ID: "PXA301", Class: Stuck, Severity: Warning,
	Title: "Cluster is stuck",
	Why: "Its controllers wait for something that does not come by itself, or that has not come for longer than the grace period: what " +
		"it was told to be, it will not become.",
	Remedy:  "proxaudit why says who has to act, and the next command to run.",
	Sources: []string{needCluster, needDeclared, needNodes},
}
