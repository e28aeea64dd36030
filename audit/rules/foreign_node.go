package rules

import "github.com/proxaudit/proxaudit/audit/identity"

var foreignNode = Rule{
	ID: "PXA110", Class: identity.ForeignNode, Severity: Info,
	Title:   "Node that is no VM of any scanned site",
	Why:     "A bare-metal or cloud Node, or a site that this run did not scan.",
	Remedy:  "Nothing, if that is so. Else add its site to proxaudit.yaml.",
	Sources: []string{needGuests, needConfigs, needNodes},
}
