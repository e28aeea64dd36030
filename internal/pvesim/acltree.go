package pvesim

import "strings"

// aclNode is one path of the access control tree, with the roles that stand on
// it: subject to role to "does it propagate".
type aclNode struct {
	children map[string]*aclNode
	users    map[string]map[string]bool
	groups   map[string]map[string]bool
	tokens   map[string]map[string]bool
}

func newACLNode() *aclNode {
	return &aclNode{
		children: map[string]*aclNode{}, users: map[string]map[string]bool{},
		groups: map[string]map[string]bool{}, tokens: map[string]map[string]bool{},
	}
}

// splitPath cuts a path as Perl's split does: a leading slash gives an empty
// first part, trailing empty parts are dropped.
func splitPath(path string) []string {
	if path == "/" {
		return []string{""}
	}
	parts := strings.Split(path, "/")
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// add puts one entry of the access control list into the tree.
func (p *permissions) add(e ACL) {
	n := p.root
	for _, part := range splitPath(e.Path) {
		if part == "" {
			continue
		}
		if n.children[part] == nil {
			n.children[part] = newACLNode()
		}
		n = n.children[part]
	}
	to, subject := n.users, e.To
	if group, ok := strings.CutPrefix(e.To, "@"); ok {
		to, subject = n.groups, group
	} else if _, ok := tokenOwner(e.To); ok {
		to = n.tokens
	}
	if to[subject] == nil {
		to[subject] = map[string]bool{}
	}
	to[subject][e.Role] = e.Propagate == nil || *e.Propagate
}

// visit calls f for this path and all below it, in order.
func (n *aclNode) visit(path string, f func(string, *aclNode)) {
	if path == "" {
		f("/", n)
	} else {
		f(path, n)
	}
	for _, name := range sortedKeys(n.children) {
		n.children[name].visit(path+"/"+name, f)
	}
}
