package adopt

import (
	"cmp"
	"slices"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

// Finding is one thing that stands in the way of an adoption, or that whoever does it has to know.
type Finding struct {
	Rule string `json:"rule"`
	// Blocks is true for a blocker, Destroys for one that --force does not override.
	Blocks   bool `json:"blocks"`
	Destroys bool `json:"destroys"`
	// Subject is what it is about.
	Subject audit.SubjectRef `json:"subject"`
	Title   string           `json:"title"`
	// Details are the facts, one each.
	Details []string `json:"details,omitempty"`
	Remedy  string   `json:"remedy"`
}

// Rule is one reason not to adopt, or one thing to know about it.
type Rule struct {
	// ID is like PXA201. It never changes its meaning.
	ID string `json:"id"`
	// Blocks and Destroys: see Finding.
	Blocks   bool `json:"blocks"`
	Destroys bool `json:"destroys"`
	// Title says in a few words what is wrong.
	Title string `json:"title"`
	// Why says what would happen.
	Why string `json:"why"`
	// Remedy is what a person does about it.
	Remedy string `json:"remedy"`
	// check finds it; it is called once with everything that is known.
	check func(r *Rule, p *planner) []Finding
}

// of makes a Finding of the rule.
func (r *Rule) of(sub audit.SubjectRef, details ...string) Finding {
	return Finding{Rule: r.ID, Blocks: r.Blocks, Destroys: r.Destroys, Subject: sub, Title: r.Title, Details: details, Remedy: r.Remedy}
}

// advise is of with a remedy that fits the case better than the rule's own.
func (r *Rule) advise(sub audit.SubjectRef, remedy string, details ...string) Finding {
	f := r.of(sub, details...)
	f.Remedy = remedy
	return f
}

// sortFindings orders by what destroys, rule and subject.
func sortFindings(fs []Finding) {
	rank := func(f *Finding) int {
		switch {
		case f.Destroys:
			return 0
		case f.Blocks:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject.Kind, b.Subject.Kind),
			cmp.Compare(a.Subject.Site, b.Subject.Site), cmp.Compare(a.Subject.VMID, b.Subject.VMID), cmp.Compare(a.Subject.ID, b.Subject.ID))
	})
}

// unknownOf are those of a list of coverage scopes of one source that are not known in full, as needs.
func unknownOf(s *inventory.Snapshot, source string, scopes ...string) []inventory.Need {
	var out []inventory.Need
	for _, scope := range scopes {
		if !s.Known(source, scope) {
			out = append(out, inventory.Need{Source: source, Scope: scope})
		}
	}
	return out
}
