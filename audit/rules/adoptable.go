package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var adoptable = Rule{
	ID: "PXA109", Class: identity.Adoptable, Severity: Info,
	Title: "Node on a VM that no Machine declares",
	Why: "The machine works and is not under Cluster API: nothing repairs or replaces it, and scripts are all that knows " +
		"how it was made.",
	Remedy:  "Nothing is wrong. It can be brought under Cluster API as it runs.",
	Sources: []string{needGuests, needConfigs, needDeclared, needNodes},
}
