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
var topLevel = []string{"/access", "/nodes", "/pool", "/pools", "/sdn", "/storage"}

// OnVMs is Holds for /vms. Where the dump has nothing but "/" above it, "/" decides; where it has other paths of the
// top level, a missing /vms means that nothing is held there.
func (p Permissions) OnVMs(priv string) (held, propagate bool) {
	if _, listed := p["/vms"]; listed {
		return p.Holds("/vms", priv)
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
	var reasons []string
	held, propagate := p.OnVMs(PrivVMAudit)
	switch {
	case p.Empty():
		reasons = append(reasons, "/: the token has no privilege at all (VM.Audit is needed on /vms)")
	case !held:
		reasons = append(reasons, "/vms: VM.Audit is not held")
	case !propagate:
		reasons = append(reasons, "/vms: VM.Audit is held without propagation, so that it covers no guest")
	}
	for _, path := range slices.Sorted(maps.Keys(p)) {
		if !strings.HasPrefix(path, "/vms/") && !strings.HasPrefix(path, "/pool/") {
			continue
		}
		if held, _ := p.Holds(path, PrivVMAudit); !held {
			reasons = append(reasons, path+": VM.Audit is not held")
		}
	}
	return inventory.Visibility{Complete: len(reasons) == 0, Reasons: reasons}
}

// MayAuditVM reads the answer to access/permissions?path=/vms/VMID; nil if it says nothing about that path. An empty
// object under the path is a definite no.
func MayAuditVM(data any, vmid int) *bool {
	paths, ok := data.(map[string]any)
	if !ok {
		return nil
	}
	v, listed := paths[fmt.Sprintf("/vms/%d", vmid)]
	if !listed {
		return nil
	}
	privs, err := hash(v)
	if err != nil {
		return nil
	}
	_, held := privs[PrivVMAudit]
	return &held
}
