package pvesim

import "strings"

// privilegeGroup sorts the privileges of one area into those that only
// Administrator has, those of PVE<Area>Admin, of PVE<Area>User and of
// PVEAuditor. The built-in roles follow from these groups
// (pve-access-control src/PVE/AccessControl.pm, create_roles).
type privilegeGroup struct {
	area                     string
	root, admin, user, audit string
}

func privilegeGroups(r release) []privilegeGroup {
	vm := privilegeGroup{
		area: "VM",
		admin: "VM.Config.Disk VM.Config.CPU VM.Config.Memory VM.Config.Network VM.Config.HWType VM.Config.Options " +
			"VM.Allocate VM.Clone VM.Migrate VM.Snapshot VM.Snapshot.Rollback",
		user:  "VM.Config.CDROM VM.Config.Cloudinit VM.Console VM.Backup VM.PowerMgmt",
		audit: "VM.Audit",
	}
	sys := privilegeGroup{
		area: "Sys", root: "Sys.PowerMgmt Sys.Modify Sys.Incoming", admin: "Sys.Console Sys.Syslog", audit: "Sys.Audit",
	}
	if r.major >= 9 {
		vm.admin += " VM.GuestAgent.Unrestricted VM.Replicate"
		vm.user += " VM.GuestAgent.FileRead VM.GuestAgent.FileSystemMgmt VM.GuestAgent.FileWrite"
		vm.audit += " VM.GuestAgent.Audit"
	} else {
		vm.admin += " VM.Monitor"
	}
	if r.major >= 8 {
		sys.root += " Sys.AccessNetwork Permissions.Modify"
	} else {
		sys.admin += " Permissions.Modify"
	}
	groups := []privilegeGroup{
		vm, sys,
		{area: "Datastore", admin: "Datastore.Allocate Datastore.AllocateTemplate", user: "Datastore.AllocateSpace", audit: "Datastore.Audit"},
		{area: "SDN", admin: "SDN.Allocate SDN.Audit", user: "SDN.Use", audit: "SDN.Audit"},
		{area: "User", root: "Realm.Allocate", admin: "User.Modify Group.Allocate Realm.AllocateUser"},
		{area: "Pool", admin: "Pool.Allocate", user: "Pool.Audit", audit: "Pool.Audit"},
	}
	if r.major >= 8 {
		groups = append(groups, privilegeGroup{area: "Mapping", admin: "Mapping.Modify", user: "Mapping.Use", audit: "Mapping.Audit"})
	}
	return groups
}

// privilegeSet is the privileges of a role.
type privilegeSet map[string]bool

func (s privilegeSet) add(lists ...string) {
	for _, l := range lists {
		for _, p := range strings.Fields(l) {
			s[p] = true
		}
	}
}

// builtinRoles returns the roles that exist without being configured.
func builtinRoles(r release) map[string]privilegeSet {
	roles := map[string]privilegeSet{
		"NoAccess": {}, "Administrator": {}, "PVEAdmin": {}, "PVEAuditor": {},
		"PVETemplateUser": {"VM.Clone": true, "VM.Audit": true},
	}
	for _, g := range privilegeGroups(r) {
		roles["Administrator"].add(g.root, g.admin, g.user, g.audit)
		roles["PVEAdmin"].add(g.admin, g.user, g.audit)
		roles["PVEAuditor"].add(g.audit)
		admin := privilegeSet{}
		admin.add(g.admin, g.user, g.audit)
		roles["PVE"+g.area+"Admin"] = admin
		if g.user != "" {
			user := privilegeSet{}
			user.add(g.user, g.audit)
			roles["PVE"+g.area+"User"] = user
		}
	}
	delete(roles["PVEAdmin"], "Mapping.Modify")
	return roles
}
