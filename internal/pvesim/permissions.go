package pvesim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

const rootUser = "root@pam"

// grants maps a role, or a privilege, to its propagation flag. An entry means
// that it is held, also with false: it then holds on that path alone.
type grants map[string]bool

// permissions answers what a user or token may do on a path
// (pve-access-control: AccessControl.pm roles, RPCEnvironment.pm permissions).
// It does not change after it is built; answers are cached.
type permissions struct {
	root    *aclNode
	roles   map[string]privilegeSet
	members map[string]map[string]bool // group to users
	privsep map[string]bool            // of the tokens that exist
	pools   map[string]*Pool
	cache   sync.Map // authID + "\n" + path to grants
	pooled  sync.Map // authID to map[path]map[role]bool
	base    []string
}

var (
	reUserID  = regexp.MustCompile(`^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+$`)
	reTokenID = regexp.MustCompile(`^([^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+)!([A-Za-z][A-Za-z0-9.\-_]+)$`)
	reRole    = regexp.MustCompile(`^[A-Za-z0-9.\-_]+$`)
)

// tokenOwner splits the ID of a token; ok is false for anything else. A token
// name has at least two characters.
func tokenOwner(id string) (user string, ok bool) {
	m := reTokenID.FindStringSubmatch(id)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// rolesOn returns the roles of a user or token on a path, pools left aside. The
// deepest entry along the path replaces what came before it; on one path a
// token's entry goes before its user's and a user's before its groups'.
func (p *permissions) rolesOn(id, path string) grants {
	if owner, ok := tokenOwner(id); ok {
		sep, exists := p.privsep[id]
		if !exists {
			return nil
		}
		if !sep {
			return p.rolesOn(owner, path)
		}
	}
	res := grants{}
	parts := splitPath(path)
	n := p.root
	for i, part := range parts {
		if part != "" && n != nil {
			n = n.children[part]
		}
		if n == nil {
			break
		}
		final := i == len(parts)-1
		if r := effective(n.tokens[id], final); r != nil {
			res = r
			continue
		}
		if r := effective(n.users[id], final); r != nil {
			res = r
			continue
		}
		var fromGroups grants
		for g, roles := range n.groups {
			if !p.members[g][id] {
				continue
			}
			for role, prop := range effective(roles, final) {
				if fromGroups == nil {
					fromGroups = grants{}
				}
				fromGroups[role] = prop
			}
		}
		if fromGroups != nil {
			res = fromGroups
		}
	}
	if prop, ok := res["NoAccess"]; ok {
		return grants{"NoAccess": prop}
	}
	return res
}

// effective picks the roles of an entry that reach the path asked for; nil when
// none does.
func effective(roles map[string]bool, final bool) grants {
	var res grants
	for role, propagate := range roles {
		if final || propagate {
			if res == nil {
				res = grants{}
			}
			res[role] = propagate
		}
	}
	return res
}

// poolRoles are the roles that reach a guest or storage through its pool.
func (p *permissions) poolRoles(id string) map[string]map[string]bool {
	if v, ok := p.pooled.Load(id); ok {
		return v.(map[string]map[string]bool)
	}
	res := map[string]map[string]bool{}
	put := func(path string, roles grants) {
		if res[path] == nil {
			res[path] = map[string]bool{}
		}
		for role := range roles {
			res[path][role] = true
		}
	}
	for name, pool := range p.pools {
		roles := p.rolesOn(id, "/pool/"+name)
		if len(roles) == 0 {
			continue
		}
		for _, vmid := range pool.VMs {
			put("/vms/"+strconv.Itoa(vmid), roles)
		}
		for _, s := range pool.Storages {
			put("/storage/"+s, roles)
		}
	}
	p.pooled.Store(id, res)
	return res
}

// on returns the privileges of a user or token on a path.
func (p *permissions) on(id, path string) grants {
	if id == rootUser {
		res := grants{}
		for priv := range p.roles["Administrator"] {
			res[priv] = true
		}
		return res
	}
	owner, isToken := tokenOwner(id)
	if isToken {
		sep, exists := p.privsep[id]
		if !exists {
			return grants{}
		}
		if !sep {
			return p.on(owner, path)
		}
	} else if !reUserID.MatchString(id) {
		return grants{}
	}
	key := id + "\n" + path
	if v, ok := p.cache.Load(key); ok {
		return v.(grants)
	}
	privs := p.privileges(p.withPools(id, path))
	if isToken && owner != rootUser {
		privs = intersect(privs, p.on(owner, path))
	}
	p.cache.Store(key, privs)
	return privs
}

// withPools adds what the pool of a guest grants: never over a NoAccess, never
// propagating; a NoAccess on the pool takes everything away.
func (p *permissions) withPools(id, path string) grants {
	roles := p.rolesOn(id, path)
	fromPool := p.poolRoles(id)[path]
	if _, denied := roles["NoAccess"]; denied || fromPool == nil {
		return roles
	}
	if fromPool["NoAccess"] {
		return grants{"NoAccess": false}
	}
	res := maps.Clone(roles)
	if res == nil {
		res = grants{}
	}
	for role := range fromPool {
		if _, ok := res[role]; !ok {
			res[role] = false
		}
	}
	return res
}

func (p *permissions) privileges(roles grants) grants {
	res := grants{}
	for role, propagate := range roles {
		for priv := range p.roles[role] {
			res[priv] = res[priv] || propagate
		}
	}
	return res
}

func intersect(token, user grants) grants {
	res := grants{}
	for priv, propagate := range token {
		if own, ok := user[priv]; ok {
			res[priv] = own && propagate
		}
	}
	return res
}

// has says whether any of privs is held on path.
func (p *permissions) has(id, path string, privs ...string) bool {
	held := p.on(id, path)
	return slices.ContainsFunc(privs, func(priv string) bool { _, ok := held[priv]; return ok })
}
