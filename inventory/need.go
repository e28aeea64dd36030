package inventory

import "cmp"

// Need names the coverage entry that a verdict would need. A scope or the name of a kubeconfig context may hold any
// character, so that the two are never one text before the render boundary.
type Need struct {
	Source string `json:"source"`
	Scope  string `json:"scope"`
}

// AnySite is needed where no site was scanned at all, or none is known to be the one that matters.
var AnySite = Need{Source: "sites", Scope: ScopeGuests}

// String is for people; nothing takes it apart again.
func (n Need) String() string { return n.Source + " " + n.Scope }

// CompareNeeds orders needs as coverage is ordered: by source, then by scope.
func CompareNeeds(a, b Need) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
}

// Need is what a verdict names if this entry is what it lacks.
func (c Coverage) Need() Need { return Need{c.Source, c.Scope} }
