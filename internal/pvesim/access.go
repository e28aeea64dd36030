package pvesim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// compileAccess builds users, tokens and the permission tree.
func (s *fleetState) compileAccess() error {
	f := s.fleet
	p := &permissions{
		root: newACLNode(), roles: builtinRoles(s.release), members: map[string]map[string]bool{},
		privsep: map[string]bool{}, pools: map[string]*Pool{},
		base: []string{"/", "/access", "/access/groups", "/nodes", s.release.poolRoot(), "/sdn", "/storage", "/vms"},
	}
	s.perms = p
	s.users = map[string]*User{rootUser: {}}
	s.tokens = map[string]*tokenState{}
	for id, u := range f.Users {
		if !reUserID.MatchString(id) {
			return fault("not a user ID of the form name@realm", "users", id)
		}
		if u == nil {
			u = &User{}
		}
		s.users[id] = u
	}
	for id, pool := range f.Pools {
		if pool != nil {
			p.pools[id] = pool
		}
	}
	if err := s.compileRoles(); err != nil {
		return err
	}
	if err := s.compileGroups(); err != nil {
		return err
	}
	if err := s.compileTokens(); err != nil {
		return err
	}
	for i, e := range f.ACL {
		if err := s.checkACL(e, i); err != nil {
			return err
		}
		p.add(e)
	}
	return nil
}

func (s *fleetState) compileRoles() error {
	known := s.perms.roles["Administrator"]
	for name, privs := range s.fleet.Roles {
		if _, dup := s.perms.roles[name]; dup {
			return fault("a built-in role", "roles", name)
		}
		if !reRole.MatchString(name) {
			return fault("not a role name", "roles", name)
		}
		set := privilegeSet{}
		for _, priv := range privs {
			if !known[priv] {
				return fault("Proxmox VE "+s.release.short+" has no privilege "+priv, "roles", name)
			}
			set[priv] = true
		}
		s.perms.roles[name] = set
	}
	return nil
}

func (s *fleetState) compileGroups() error {
	join := func(group, user string) {
		if s.perms.members[group] == nil {
			s.perms.members[group] = map[string]bool{}
		}
		s.perms.members[group][user] = true
	}
	for name, g := range s.fleet.Groups {
		if !reRole.MatchString(name) {
			return fault("not a group name", "groups", name)
		}
		if s.perms.members[name] == nil {
			s.perms.members[name] = map[string]bool{}
		}
		if g == nil {
			continue
		}
		for _, user := range g.Users {
			if s.users[user] == nil {
				return fault("no user "+user, "groups", name, "users")
			}
			join(name, user)
		}
	}
	for id, u := range s.users {
		for _, g := range u.Groups {
			if _, ok := s.fleet.Groups[g]; !ok {
				return fault("no group "+g, "users", id, "groups")
			}
			join(g, id)
		}
	}
	return nil
}

func (s *fleetState) compileTokens() error {
	specs := s.fleet.Tokens
	if len(specs) == 0 {
		specs = map[string]*Token{DefaultTokenID: {Role: "PVEAuditor"}}
	}
	granted := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(specs)) {
		spec := specs[id]
		if spec == nil {
			spec = &Token{}
		}
		owner, ok := tokenOwner(id)
		if !ok {
			return fault("not a token ID of the form user@realm!name, with a name of two characters or more", "tokens", id)
		}
		secret := spec.Secret
		if secret == "" {
			secret = derivedSecret(id)
		}
		if !reSecret.MatchString(secret) {
			return fault("the secret has a blank or an equals sign in it", "tokens", id, "secret")
		}
		_, listed := s.fleet.Users[owner]
		if s.users[owner] == nil {
			s.users[owner] = &User{}
		}
		s.tokens[id] = &tokenState{id: id, owner: owner, secret: secret, spec: spec}
		s.perms.privsep[id] = spec.PrivSep == nil || *spec.PrivSep
		if spec.Role == "" {
			continue
		}
		if _, ok := s.perms.roles[spec.Role]; !ok {
			return fault("no role "+spec.Role, "tokens", id, "role")
		}
		s.perms.add(ACL{Path: "/", To: id, Role: spec.Role})
		if !listed && owner != rootUser && !granted[owner+"\n"+spec.Role] {
			granted[owner+"\n"+spec.Role] = true
			s.perms.add(ACL{Path: "/", To: owner, Role: spec.Role})
		}
	}
	return nil
}

func (s *fleetState) checkACL(e ACL, i int) error {
	at := []string{"acl", strconv.Itoa(i)}
	if !strings.HasPrefix(e.Path, "/") || e.Path != "/" && strings.HasSuffix(e.Path, "/") {
		return fault("path must start with / and not end with one", append(at, "path")...)
	}
	if _, ok := s.perms.roles[e.Role]; !ok {
		return fault("no role "+e.Role, append(at, "role")...)
	}
	if group, ok := strings.CutPrefix(e.To, "@"); ok {
		if _, ok := s.fleet.Groups[group]; !ok {
			return fault("no group "+group, append(at, "to")...)
		}
		return nil
	}
	if _, isToken := tokenOwner(e.To); isToken {
		if s.tokens[e.To] == nil {
			return fault("no token "+e.To, append(at, "to")...)
		}
		return nil
	}
	if s.users[e.To] == nil {
		return fault("no user "+e.To, append(at, "to")...)
	}
	return nil
}
