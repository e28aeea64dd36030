package proxmox

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/normalize"
)

// permissions checks the privileges that proxaudit has use for, each on its path.
func (d *doctor) permissions(ctx context.Context) {
	data, e := d.c.get(ctx, pathPermissions)
	if e != nil {
		d.vis.Reasons = []string{e.Error()}
		d.add(checkPerms, inventory.CheckFailed, e.Error(), d.c.remedy(e))
		return
	}
	perms, err := normalize.ParsePermissions(data)
	if err != nil {
		d.vis.Reasons = []string{err.Error()}
		d.add(checkPerms, inventory.CheckFailed, err.Error(), "")
		return
	}
	d.vis = perms.Visibility()
	if perms.Empty() {
		d.add(checkPerms, inventory.CheckFailed,
			"the token may do nothing: with privilege separation a token starts without any permission, whatever its user may do",
			d.c.grant("/", "PVEAuditor"))
	} else {
		d.add(checkPerms, inventory.CheckOK, "the token has permissions", "")
	}
	d.privilege("VM.Audit on /vms", vmsPropagated(perms, normalize.PrivVMAudit), inventory.CheckFailed,
		"without it (and its propagation) guests stay invisible, and nothing can be called gone", d.c.grant("/", "PVEAuditor"))
	d.holes(perms)
	d.privilege("Pool.Audit on /pool", poolsVisible(perms), inventory.CheckWarning,
		"without it guests show no pool, and selectors by pool find nothing", d.c.grant("/", "PVEAuditor"))
	sysHeld, _ := perms.Holds("/", normalize.PrivSysAudit)
	d.privilege("Sys.Audit on /", sysHeld, inventory.CheckWarning,
		"without it quorum, the cluster's name and the nodes' addresses stay unknown", d.c.grant("/", "PVEAuditor"))
	if d.c.cfg.asksTasks() {
		d.privilege("Sys.Audit on /nodes", len(perms.TasksHidden()) == 0, inventory.CheckWarning,
			"without it on every host Proxmox shows the token's own tasks only, so that nobody can say what was done to an adopted VM",
			d.c.grant("/nodes", "PVEAuditor"))
	}
	if d.c.cfg.Adoption {
		d.privilege("Datastore.Audit on /storage", len(perms.StoragesHidden()) == 0, inventory.CheckWarning,
			"without it storages stay invisible", d.c.grant("/storage", "PVEAuditor"))
	}
	if d.c.cfg.GuestAgent {
		d.agent(perms)
	}
	d.tooMuch(perms)
}

func (d *doctor) privilege(what string, held bool, otherwise inventory.CheckStatus, why, remedy string) {
	if held {
		d.add("permission "+what, inventory.CheckOK, "", "")
		return
	}
	d.add("permission "+what, otherwise, why, remedy)
}

func vmsPropagated(perms normalize.Permissions, priv string) bool {
	held, propagate := perms.OnVMs(priv)
	return held && propagate
}

func poolsVisible(perms normalize.Permissions) bool {
	_, propagate := perms.Holds("/pool", normalize.PrivPoolAudit)
	return propagate || vmsPropagated(perms, normalize.PrivPoolAudit)
}

// holes lists paths below which VM.Audit is taken away again. Those of the role NoAccess are not in the dump at all;
// they are found guest by guest, when a scan probes what it misses.
func (d *doctor) holes(perms normalize.Permissions) {
	for _, path := range slices.Sorted(maps.Keys(perms)) {
		if !strings.HasPrefix(path, "/vms/") && !strings.HasPrefix(path, "/pool/") {
			continue
		}
		if held, _ := perms.Holds(path, normalize.PrivVMAudit); !held {
			d.add("permission VM.Audit on "+path, inventory.CheckFailed,
				"a role on this path replaces the inherited one and lacks VM.Audit, so that the guest list has a hole",
				d.c.grant(path, "PVEAuditor"))
		}
	}
}

// agent checks the privilege for the guest agent, which has another name in Proxmox VE 9.
func (d *doctor) agent(perms normalize.Permissions) {
	names := []string{normalize.PrivVMMonitor}
	if d.c.majorVersion() >= 9 {
		names = []string{normalize.PrivAgentAudit, normalize.PrivAgentAll}
	}
	held := slices.ContainsFunc(names, func(priv string) bool { return vmsPropagated(perms, priv) })
	d.privilege(names[0]+" on /vms", held, inventory.CheckWarning, "without it guest agents cannot be asked", d.c.agentRemedy())
}

// tooMuch warns of a token that could do more than read. proxaudit never would, but a token that leaks can be used by
// others.
func (d *doctor) tooMuch(perms normalize.Permissions) {
	var writes []string
	for _, privs := range perms {
		for priv := range privs {
			if !strings.HasSuffix(priv, ".Audit") && priv != normalize.PrivVMMonitor && priv != "Sys.Syslog" {
				writes = append(writes, priv)
			}
		}
	}
	if len(writes) == 0 {
		d.add("token is read-only", inventory.CheckOK, "", "")
		return
	}
	slices.Sort(writes)
	writes = slices.Compact(writes)
	d.add("token is read-only", inventory.CheckWarning, "it may do more than read: "+firstFew(writes),
		"make one of its own for proxaudit: pveum user token add '"+d.c.user()+"' proxaudit --privsep 1 && pveum acl modify / --tokens '"+
			d.c.user()+"!proxaudit' --roles PVEAuditor")
}
