package ignore

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/audit/identity"
	"github.com/proxaudit/proxaudit/audit/rules"
	"github.com/proxaudit/proxaudit/inventory"
)

// Problem is what is wrong with a rule; Field is the key in the file, empty where it is about the rule as a whole.
type Problem struct{ Field, Msg string }

var (
	errExpires  = errors.New("want a day like 2027-01-31 (the rule holds to its end, in UTC), a time in RFC 3339, or the word never")
	fingerprint = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// prepare checks a rule, and readies it for Set.
func (r *Rule) prepare() []Problem {
	var out []Problem
	problem := func(field, format string, args ...any) {
		out = append(out, Problem{Field: field, Msg: fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(r.Reason) == "" {
		problem("reason", "is missing: whoever sees this in a year wants to know why")
	}
	if strings.TrimSpace(r.Owner) == "" {
		problem("owner", "is missing: who is asked when it expires?")
	}
	var err error
	if r.until, err = End(r.Expires); err != nil {
		problem("expires", "%v", err)
	}
	if r.Rule != "" {
		r.checkRule(problem)
	}
	switch {
	case r.Fingerprint == "" && r.Selector.IsEmpty() && r.Rule == "":
		problem("", "chooses nothing and so everything: give a fingerprint, or a rule and a selector")
	case r.Fingerprint != "":
		r.checkFingerprint(problem)
	case r.Rule == "":
		problem("", "has a selector and no rule: it would hide whatever is ever found there. Give the rule, like PXA101")
	case r.Selector.IsEmpty():
		problem("", "chooses all that %s ever finds: give a fingerprint, or a selector", r.Rule)
	default:
		r.checkSelector(problem)
	}
	return out
}

func (r *Rule) checkRule(problem func(field, format string, args ...any)) {
	all := slices.Concat(rules.All(), rules.OfClusters())
	i := slices.IndexFunc(all, func(k rules.Rule) bool { return k.ID == r.Rule })
	if i < 0 {
		problem("rule", "there is no rule of that name: want one like PXA101 (docs/rules has them)")
		return
	}
	known := all[i]
	switch {
	case !known.Class.IsFinding() && known.Severity == rules.Info:
		problem("rule", "%s is for information, and counts nowhere: there is nothing to ignore", r.Rule)
	case known.Severity == rules.Critical && r.Fingerprint == "":
		problem("rule", "%s is critical: it is ignored one by one, by its fingerprint, for the next one may destroy a VM", r.Rule)
	}
}

func (r *Rule) checkFingerprint(problem func(field, format string, args ...any)) {
	if !fingerprint.MatchString(r.Fingerprint) {
		problem("fingerprint", "want the 32 hexadecimal digits that -o wide and -o json show")
	}
	if !r.Selector.IsEmpty() {
		problem("selector", "means nothing beside a fingerprint, which is one finding's: leave one of them out")
	}
	if r.Subject != "" {
		if _, err := inventory.ParseSubject(r.Subject); err != nil {
			problem("subject", "%v", err)
		}
	}
}

// unlikely are names that nobody has: what fits all of them fits everything.
var unlikely = []string{"", "qx-7y8w-qx", "Zz", "0", "_._"}

func (r *Rule) checkSelector(problem func(field, format string, args ...any)) {
	if r.Subject != "" {
		problem("subject", "belongs to a fingerprint: a selector chooses by sites, clusters, namespaces, names and vmids")
	}
	s := &r.Selector
	for _, list := range []struct {
		field  string
		values []string
	}{{"sites", s.Sites}, {"clusters", s.Clusters}, {"namespaces", s.Namespaces}} {
		for i, v := range list.values {
			if strings.TrimSpace(v) == "" {
				problem(fmt.Sprintf("selector.%s[%d]", list.field, i), "is empty")
			}
		}
	}
	m, err := identity.CompileSelector(inventory.Selector{Names: s.Names, VMIDs: s.VMIDs})
	if err != nil {
		field := "selector.vmids"
		if strings.HasPrefix(err.Error(), "names:") {
			field = "selector.names"
		}
		_, text, _ := strings.Cut(err.Error(), ": ")
		problem(field, "%s", text)
		return
	}
	if _, err := regexp.Compile(s.Names); err != nil {
		// "a)|(b" compiles only by accident of the brackets that it is applied in.
		problem("selector.names", "is no regular expression (RE2)")
		return
	}
	if s.Names != "" {
		// As it is applied: for the whole name.
		if re := regexp.MustCompile("^(?:" + s.Names + ")$"); !slices.ContainsFunc(unlikely, func(n string) bool { return !re.MatchString(n) }) {
			problem("selector.names", "fits every name: leave it out, or say which")
		}
	}
	for i, v := range s.VMIDs {
		if lo, hi, ok := strings.Cut(v, "-"); ok && strings.TrimSpace(lo) == "100" && strings.TrimSpace(hi) == "999999999" {
			problem(fmt.Sprintf("selector.vmids[%d]", i), "is every VMID: leave it out, or say which")
		}
	}
	r.names = m
}
