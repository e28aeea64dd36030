package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var unknown = Rule{
	ID: "PXA108", Class: identity.Unknown, Severity: Info,
	Title: "No verdict: something that it needs was not seen, or cannot be decided",
	Why: "Absence of evidence from a source that did not answer is no evidence of absence. proxaudit says so instead of " +
		"guessing, and the run is incomplete (exit 3). Where every source did answer and the facts still do not decide, it is a " +
		"warning: a person has to.",
	Remedy: "See the coverage footer: make the named source answer, or say in proxaudit.yaml what cannot be seen (site, region, " +
		"selector), and run again.",
	Sources: []string{},
}
