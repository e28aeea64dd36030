package kube

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// listCoverage says how much of a kind the lists of its namespaces gave. Broken objects are added afterwards.
func (c *Client) listCoverage(cov inventory.Coverage, k kind, namespaces []string, lists []listing) inventory.Coverage {
	var reasons []string
	failedLists, refused, any := 0, 0, false
	for i, l := range lists {
		cov.Asked += len(l.items) + int(l.remaining)
		cov.Got += len(l.items)
		any = any || l.pages > 0
		if l.err == nil {
			continue
		}
		failedLists++
		f := c.explain(l.err)
		reason := f.reason
		if namespaces[i] != "" && !f.whole {
			reason = "namespace " + namespaces[i] + ": " + reason
		}
		if l.pages > 0 {
			times := ""
			if l.restarted {
				times = " for the second time"
			}
			reason = fmt.Sprintf("the list broke off after %d pages%s: %s", l.pages, times, reason)
		}
		reasons = append(reasons, reason)
		if f.state == inventory.Refused {
			refused++
			if f.remedy == "" {
				f.remedy = rbacRule(k.group, k.resource, "list")
			}
		}
		if cov.Remedy == "" {
			cov.Remedy = f.remedy
		}
	}
	switch {
	case failedLists == 0:
		cov.State = inventory.Complete
	case any:
		cov.State = inventory.Partial
	case refused == failedLists:
		cov.State = inventory.Refused
	default:
		cov.State = inventory.Failed
	}
	cov.Reason = joinReasons(reasons)
	return cov
}

// addBroken takes objects that could not be used out of what was got.
func addBroken(cov *inventory.Coverage, broken []string) {
	if len(broken) == 0 {
		return
	}
	cov.Got -= len(broken)
	cov.Failed += len(broken)
	if cov.State == inventory.Complete {
		cov.State = inventory.Partial
	}
	cov.Reason = joinReasons([]string{cov.Reason, "unusable: " + joinReasons(broken)})
	if cov.Remedy == "" {
		cov.Remedy = "look at the named objects with kubectl get -o yaml"
	}
}

// joinReasons puts the different ones into one line; of many, the first few.
func joinReasons(reasons []string) string {
	const most = 3
	var kept []string
	seen := map[string]bool{}
	dropped := 0
	for _, r := range reasons {
		switch {
		case r == "" || seen[r]:
		case len(kept) == most:
			dropped++
		default:
			seen[r] = true
			kept = append(kept, oneLine(r))
		}
	}
	out := strings.Join(kept, "; ")
	if dropped > 0 {
		out += fmt.Sprintf("; and %d more", dropped)
	}
	return out
}

// scrubCoverage is the last look at the texts of a fragment before it is handed out. Those of the server went through
// one before; this is for what was put together since, from objects say.
func (c *Client) scrubCoverage(s *inventory.Snapshot) {
	for i := range s.Coverage {
		s.Coverage[i].Reason = c.known.scrub(s.Coverage[i].Reason)
		s.Coverage[i].Remedy = c.known.scrub(s.Coverage[i].Remedy)
	}
}
