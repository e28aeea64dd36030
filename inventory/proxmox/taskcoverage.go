package proxmox

import (
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// coverTasks writes the one entry of all hosts. A host counts as got if its whole list came; where the token may see its
// own tasks only, the entry is partial all the same.
func (l *listing) coverTasks(hosts []*hostTasks) {
	cov := inventory.Coverage{Scope: inventory.ScopeTasks, State: inventory.Complete, Asked: len(hosts), Optional: true}
	if len(hosts) == 0 {
		cov.State, cov.Asked, cov.Failed = inventory.Failed, 1, 1
		cov.Reason = "no host of the site is known"
		l.cover(cov)
		return
	}
	// One token that may not see is one reason, and not one for each of 32 hosts.
	byReason := map[string][]string{}
	var remedies []string
	refused, came := 0, 0
	for _, h := range hosts {
		if h.whole {
			cov.Got++
		} else {
			cov.Failed++
		}
		if h.refused {
			refused++
		}
		if h.came {
			came++
		}
		for _, reason := range h.reasons {
			byReason[reason] = append(byReason[reason], h.node)
		}
		remedies = append(remedies, h.remedies...)
	}
	cov.Reason = hostReasons(byReason)
	slices.Sort(remedies)
	cov.Remedy = firstFew(slices.Compact(remedies))
	if !l.allHosts {
		cov.Reason = strings.TrimPrefix(cov.Reason+"; not all hosts of the site are known", "; ")
	}
	switch {
	case refused == len(hosts):
		cov.State = inventory.Refused
	case came == 0:
		cov.State = inventory.Failed
	case cov.Reason != "":
		cov.State = inventory.Partial
	}
	l.cover(cov)
}

// hostReasons lists reasons with their hosts, by the first host of each.
func hostReasons(byReason map[string][]string) string {
	lines := make([]string, 0, len(byReason))
	for reason, nodes := range byReason {
		slices.Sort(nodes)
		lines = append(lines, strings.Join(fewNames(nodes), ", ")+": "+reason)
	}
	slices.Sort(lines)
	return firstFew(lines)
}
