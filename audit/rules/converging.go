package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var converging = Rule{
	ID: "PXA111", Class: identity.Converging, Severity: Info,
	Title:   "On its way, within the grace period",
	Why:     "A machine that is being made or deleted looks like an orphan for a while.",
	Remedy:  "Wait. Past the grace period it becomes a finding.",
	Sources: []string{},
}
