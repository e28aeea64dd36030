package proxmox

import (
	"context"
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
)

const pathStorages = "/storage"

// storages reads the definitions of the site's storages. Proxmox leaves out those that the token may neither audit nor use,
// and reports no error, so that the permissions decide as much as the answer does. A storage that a role NoAccess hides is
// not in the dump of the permissions either: that a name is not listed proves nothing about it.
func (l *listing) storages(ctx context.Context) {
	data, e := l.c.get(ctx, pathStorages)
	if e != nil {
		l.coverStorages(l.c.unanswered(inventory.ScopeStorages, e))
		return
	}
	list, bad, err := normalize.Storages(data)
	if err != nil {
		l.coverStorages(misread(inventory.ScopeStorages, pathStorages, err))
		return
	}
	l.site.Storages = list
	cov := inventory.Coverage{Scope: inventory.ScopeStorages, State: inventory.Complete,
		Asked: len(list) + len(bad), Got: len(list), Failed: len(bad)}
	var reasons []string
	if l.perms == nil {
		reasons = append(reasons, "whether the token may see every storage is not known: its permissions could not be read")
	} else if hidden := l.perms.StoragesHidden(); len(hidden) > 0 {
		reasons = append(reasons, "the token may not see every storage: "+firstFew(hidden))
		cov.Remedy = l.c.grant("/storage", "PVEAuditor")
	}
	if len(bad) > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d rows could not be read: %s", len(bad), len(list)+len(bad), firstFew(bad)))
	}
	if cov.Reason = strings.Join(reasons, "; "); cov.Reason != "" {
		cov.State = inventory.Partial
	}
	l.coverStorages(cov)
}

// coverStorages notes an entry without which every verdict of who is who stands all the same.
func (l *listing) coverStorages(cov inventory.Coverage) {
	cov.Optional = true
	l.cover(cov)
}
