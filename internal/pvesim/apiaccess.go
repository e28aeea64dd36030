package pvesim

import (
	"slices"
	"sort"
	"strings"
)

// permissions is GET /access/permissions: one's own, or those of another with
// Sys.Audit on /access. With a path the answer holds that path, empty or not.
func (c *call) permissions() (any, *apiError) {
	id := c.auth
	if v, ok := c.params["userid"]; ok {
		id = v
	}
	if id != c.auth && !c.may("/access", "Sys.Audit") {
		return nil, denied("/access, Sys.Audit")
	}
	if path := c.params["path"]; path != "" {
		return map[string]any{path: flags(c.st.perms.on(id, path))}, nil
	}
	res := map[string]any{}
	for path, g := range c.st.perms.dump(id) {
		res[path] = flags(g)
	}
	return res, nil
}

func flags(g grants) map[string]int {
	res := make(map[string]int, len(g))
	for priv, propagate := range g {
		res[priv] = flag(propagate)
	}
	return res
}

// acl lists the access control list. It shows what one may change, or all of it
// with Sys.Audit on /access.
func (c *call) acl() (any, *apiError) {
	all := c.may("/access", "Sys.Audit")
	rows := []any{}
	add := func(path, kind string, subjects map[string]map[string]bool) {
		for _, who := range sortedKeys(subjects) {
			for _, role := range sortedKeys(subjects[who]) {
				rows = append(rows, map[string]any{
					"path": path, "type": kind, "ugid": who, "roleid": role, "propagate": flag(subjects[who][role]),
				})
			}
		}
	}
	c.st.perms.root.visit("", func(path string, n *aclNode) {
		if !all && !c.may(path, modifyPrivileges(path)...) {
			return
		}
		add(path, "user", n.users)
		add(path, "group", n.groups)
		add(path, "token", n.tokens)
	})
	return rows, nil
}

// modifyPrivileges are the privileges any of which lets one change an entry of
// the access control list on a path.
func modifyPrivileges(path string) []string {
	for prefix, priv := range map[string]string{
		"/storage/": "Datastore.Allocate", "/vms/": "VM.Allocate", "/pool/": "Pool.Allocate",
	} {
		if strings.HasPrefix(path, prefix) {
			return []string{"Permissions.Modify", priv}
		}
	}
	return []string{"Permissions.Modify"}
}

func (c *call) roles() (any, *apiError) {
	builtin := builtinRoles(c.st.release)
	rows := []any{}
	for _, name := range sortedKeys(c.st.perms.roles) {
		privs := sortedKeys(c.st.perms.roles[name])
		_, special := builtin[name]
		rows = append(rows, map[string]any{"roleid": name, "privs": strings.Join(privs, ","), "special": flag(special)})
	}
	return c.srv.shuffled(rows), nil
}

func (c *call) users() (any, *apiError) {
	all := c.may("/access/groups", "User.Modify", "Sys.Audit")
	owner, isToken := tokenOwner(c.auth)
	if !isToken {
		owner = c.auth
	}
	rows := []any{}
	for _, id := range sortedKeys(c.st.users) {
		u := c.st.users[id]
		enabled := u.Enabled == nil || *u.Enabled
		if !all && id != owner {
			continue
		}
		if want, ok := c.params["enabled"]; ok && (want == "1") != enabled {
			continue
		}
		_, realm, _ := strings.Cut(id, "@")
		row := map[string]any{"userid": id, "enable": flag(enabled), "expire": u.Expire, "realm-type": realm}
		if u.Email != "" {
			row["email"] = u.Email
		}
		if u.Comment != "" {
			row["comment"] = u.Comment
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// mayReadTokens lets a user see the own tokens, and an administrator all.
func mayReadTokens(c *call) *apiError {
	if c.vars["userid"] == c.auth || c.may("/access/groups", "User.Modify", "Sys.Audit") {
		return nil
	}
	return denied("/access/groups, User.Modify")
}

func (c *call) userTokens() (any, *apiError) {
	user := c.vars["userid"]
	if c.st.users[user] == nil {
		return nil, failed("no such user ('%s')", user)
	}
	rows := []any{}
	for _, id := range sortedKeys(c.st.tokens) {
		t := c.st.tokens[id]
		if t.owner != user {
			continue
		}
		row := map[string]any{
			"tokenid": strings.TrimPrefix(id, user+"!"), "privsep": flag(c.st.perms.privsep[id]), "expire": t.spec.Expire,
		}
		if t.spec.Comment != "" {
			row["comment"] = t.spec.Comment
		}
		rows = append(rows, row)
	}
	return c.srv.shuffled(rows), nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return slices.Clip(keys)
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// orZero stands an empty value in for an entry of a file that has only a name.
func orZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
