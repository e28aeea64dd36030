// Package ignore decides which findings a team has said that it knows: rules with a reason, an owner and an end. It is pure;
// the file that holds the rules is read elsewhere, and its clock is that of the Snapshot.
package ignore

import (
	"time"

	"github.com/proxaudit/proxaudit/audit/identity"
)

// FormatVersion is what a file of rules says of itself.
const FormatVersion = "proxaudit/ignore/v1"

// Never is the Expires of a rule that somebody wants for good. It has to be said.
const Never = "never"

// Rule is one entry of the file. It is about one finding, by its Fingerprint, or about those of a Rule that a Selector chooses.
type Rule struct {
	// Line is where it stands in the file.
	Line int
	// Rule is the ID of the rule whose findings are meant, like PXA101. With a Fingerprint it may be empty.
	Rule string
	// Fingerprint is that of one finding.
	Fingerprint string
	// Subject says who that finding is about, as explain takes it: for people, and to know which source would have it. It
	// chooses nothing.
	Subject string
	// Selector chooses by the finding's subject; all of its fields have to fit.
	Selector Selector
	// Reason and Owner are for the one who asks next year.
	Reason string
	Owner  string
	// Expires is a day (the rule holds to its end, in UTC), a time in RFC 3339, or Never.
	Expires string

	until time.Time
	names *identity.Matcher
}

// Selector chooses findings by their subject: not by the other sides of the machine, so that a rule hides what it names and
// no more. An empty field says nothing.
type Selector struct {
	// Sites are those of VMs.
	Sites []string
	// Clusters and Namespaces are those of the subject, as far as it has any.
	Clusters, Namespaces []string
	// Names is a regular expression (RE2) for the whole name, as in clusters[].selector of proxaudit.yaml.
	Names string
	// VMIDs are numbers and ranges of those of VMs, like 200-299.
	VMIDs []string
}

// IsEmpty is true if it says nothing.
func (s *Selector) IsEmpty() bool {
	return len(s.Sites)+len(s.Clusters)+len(s.Namespaces)+len(s.VMIDs) == 0 && s.Names == ""
}

// Until is the moment from which the rule does not hold any more; zero for Never.
func (r *Rule) Until() time.Time { return r.until }

// Holds is true if the rule is in force at a time.
func (r *Rule) Holds(at time.Time) bool { return r.until.IsZero() || at.Before(r.until) }

// End is the moment at which something that expires so ends; zero for Never.
func End(expires string) (time.Time, error) {
	if expires == Never {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, expires); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	at, err := time.Parse(time.RFC3339, expires)
	if err != nil {
		return time.Time{}, errExpires
	}
	return at.UTC(), nil
}
