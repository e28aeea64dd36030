package proxmox

import (
	"context"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
)

// guests reads the guest list and judges whether it is whole. Proxmox leaves out what the token may not see and
// reports no error, so that the permissions decide as much as the answer does.
func (l *listing) guests(ctx context.Context) {
	data, e := l.c.get(ctx, pathResources)
	if e != nil {
		l.cover(l.c.unanswered(inventory.ScopeGuests, e))
		return
	}
	vms, bad, err := normalize.Guests(data)
	if err != nil {
		l.cover(misread(inventory.ScopeGuests, pathResources, err))
		return
	}
	l.vms = vms
	l.c.mu.Lock()
	l.c.listed = true
	l.c.mu.Unlock()
	remedy := ""
	if l.permitted != nil && !l.permitted.Complete {
		remedy = l.c.grant("/", "PVEAuditor")
	}
	if l.site.Quorate != nil && !*l.site.Quorate {
		remedy = strings.TrimPrefix(remedy+"; on a node: pvecm status", "; ")
		// The part of a cluster without a quorum shows what was there when it lost the others.
		l.site.Visibility.Complete = false
		l.site.Visibility.Reasons = append(l.site.Visibility.Reasons,
			"the cluster is not quorate: this part of it shows an old list, and the other part may have changed it")
	}
	l.whole = l.site.Visibility.Complete && len(bad) == 0
	cov := inventory.Coverage{Scope: inventory.ScopeGuests, State: inventory.Complete,
		Asked: len(vms) + len(bad), Got: len(vms), Failed: len(bad)}
	var reasons []string
	if !l.site.Visibility.Complete {
		cov.State = inventory.Partial
		cov.Remedy = remedy
		text := "the token may not see every VM: "
		if len(vms) == 0 {
			// An empty list from a token that may see nothing is a refusal in all but its status.
			cov.State = inventory.Refused
			cov.Asked, cov.Failed = 1, 1
			text = "the token cannot see VMs: Proxmox answered with an empty list; "
		}
		reasons = append(reasons, text+firstFew(l.site.Visibility.Reasons))
	}
	if len(bad) > 0 {
		if cov.State == inventory.Complete {
			cov.State = inventory.Partial
		}
		reasons = append(reasons, fmt.Sprintf("%d of %d rows could not be read: %s", len(bad), len(vms)+len(bad), firstFew(bad)))
	}
	cov.Reason = strings.Join(reasons, "; ")
	l.cover(cov)
}

// firstFew keeps a line of a report readable.
func firstFew(list []string) string {
	if len(list) <= maxReasons {
		return strings.Join(list, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(list[:maxReasons], "; "), len(list)-maxReasons)
}
