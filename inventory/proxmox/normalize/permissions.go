package normalize

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// The privileges that proxaudit has use for.
const (
	PrivVMAudit    = "VM.Audit"
	PrivPoolAudit  = "Pool.Audit"
	PrivSysAudit   = "Sys.Audit"
	PrivVMMonitor  = "VM.Monitor"
	PrivAgentAudit = "VM.GuestAgent.Audit"
	PrivAgentAll   = "VM.GuestAgent.Unrestricted"
	PrivStoreAudit = "Datastore.Audit"
	PrivStoreSpace = "Datastore.AllocateSpace"
)

// Permissions is the answer to access/permissions: path → privilege → whether it is passed on to paths below. A
// privilege with false is held all the same, on that exact path.
type Permissions map[string]map[string]bool

// ParsePermissions reads the dump. Perl writes an empty hash as [] in places.
func ParsePermissions(data any) (Permissions, error) {
	paths, err := hash(data)
	if err != nil {
		return nil, fmt.Errorf("the permissions are %w", err)
	}
	out := make(Permissions, len(paths))
	for path, v := range paths {
		privs, err := hash(v)
		if err != nil {
			return nil, fmt.Errorf("the permissions on %q are %w", path, err)
		}
		out[path] = make(map[string]bool, len(privs))
		for priv, flag := range privs {
			propagate, ok := Bool(flag)
			if !ok {
				return nil, fmt.Errorf("the permissions have %s as the flag of %q on %q", kind(flag), priv, path)
			}
			out[path][priv] = propagate
		}
	}
	return out, nil
}

func hash(v any) (map[string]any, error) {
	if list, ok := v.([]any); ok && len(list) == 0 {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s, not an object", kind(v))
	}
	return m, nil
}

// Empty is true for a token that may do nothing anywhere: a privilege-separated token without an ACL of its own, or a
// user without one.
func (p Permissions) Empty() bool {
	for _, privs := range p {
		if len(privs) > 0 {
			return false
		}
	}
	return true
}

// Holds says whether the privilege is held on a path of the dump, and whether it is passed on below it.
func (p Permissions) Holds(path, priv string) (held, propagate bool) {
	propagate, held = p[path][priv]
	return held, propagate
}

// topLevel are paths that every dump evaluates, whether an ACL names them or not (pve-access-control
// PVE/RPCEnvironment.pm, get_effective_permissions); one without privileges is left out.
var topLevel = []string{"/access", "/nodes", "/pool", "/pools", "/sdn", "/storage", "/vms"}

// OnVMs is Holds for /vms.
func (p Permissions) OnVMs(priv string) (held, propagate bool) { return p.onTop("/vms", priv) }

// OnNodes is Holds for /nodes.
func (p Permissions) OnNodes(priv string) (held, propagate bool) { return p.onTop("/nodes", priv) }

// OnStorages is Holds for /storage.
func (p Permissions) OnStorages(priv string) (held, propagate bool) { return p.onTop("/storage", priv) }

// onTop is Holds for a path of the top level. Where the dump has nothing but "/" above it, "/" decides; where it has other
// paths of the top level, a missing one means that nothing is held there.
func (p Permissions) onTop(top, priv string) (held, propagate bool) {
	if _, listed := p[top]; listed {
		return p.Holds(top, priv)
	}
	for _, path := range topLevel {
		if _, listed := p[path]; listed {
			return false, false
		}
	}
	if held, propagate = p.Holds("/", priv); propagate {
		return held, propagate
	}
	return false, false
}

// Visibility judges whether a guest list that was filtered by these permissions is whole. The reasons are sorted.
func (p Permissions) Visibility() inventory.Visibility {
	reasons := p.lacking("/vms", "guest", []string{"/vms/", "/pool/"}, PrivVMAudit)
	return inventory.Visibility{Complete: len(reasons) == 0, Reasons: reasons}
}

// StoragesHidden says why a list of storages that was filtered by these permissions may lack some, one reason a line;
// empty if nothing in the dump says so. Either of two privileges shows a storage (pve-storage PVE/API2/Storage/Config.pm).
func (p Permissions) StoragesHidden() []string {
	return p.lacking("/storage", "storage", []string{"/storage/"}, PrivStoreAudit, PrivStoreSpace)
}

// TasksHidden says on which hosts the dump does not show the privilege for the tasks of others.
func (p Permissions) TasksHidden() []string {
	return p.lacking("/nodes", "host", []string{"/nodes/"}, PrivSysAudit)
}

// lacking lists where none of the privileges is held: on the top path with propagation, or on a listed path below.
func (p Permissions) lacking(top, what string, below []string, privs ...string) []string {
	var reasons []string
	held, propagate := false, false
	for _, priv := range privs {
		h, pr := p.onTop(top, priv)
		held, propagate = held || h, propagate || pr
	}
	switch {
	case p.Empty():
		reasons = append(reasons, fmt.Sprintf("/: the token has no privilege at all (%s is needed on %s)", privs[0], top))
	case !held:
		reasons = append(reasons, top+": "+privs[0]+" is not held")
	case !propagate:
		reasons = append(reasons, fmt.Sprintf("%s: %s is held without propagation, so that it covers no %s", top, privs[0], what))
	}
	for _, path := range slices.Sorted(maps.Keys(p)) {
		if !slices.ContainsFunc(below, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
			continue
		}
		if !slices.ContainsFunc(privs, func(priv string) bool { held, _ := p.Holds(path, priv); return held }) {
			reasons = append(reasons, path+": "+privs[0]+" is not held")
		}
	}
	return reasons
}

// MayAuditVM reads the answer to access/permissions?path=/vms/VMID; nil if it says nothing about that path. An empty
// object under the path is a definite no.
func MayAuditVM(data any, vmid int) *bool {
	return mayOn(data, fmt.Sprintf("/vms/%d", vmid), PrivVMAudit)
}

// MayAuditNode reads the answer to access/permissions?path=/nodes/NODE in the same way: whether Sys.Audit is held on the
// host.
func MayAuditNode(data any, node string) *bool { return mayOn(data, "/nodes/"+node, PrivSysAudit) }

func mayOn(data any, path, priv string) *bool {
	paths, ok := data.(map[string]any)
	if !ok {
		return nil
	}
	v, listed := paths[path]
	if !listed {
		return nil
	}
	privs, err := hash(v)
	if err != nil {
		return nil
	}
	_, held := privs[priv]
	return &held
}
