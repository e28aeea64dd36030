package importer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/internal/pvesim"
)

// readUsers reads user.cfg: colon-separated lines, of which the first field says
// what the line is (pve-access-control AccessControl.pm, parse_user_config). A
// token whose name is shorter than two characters is ignored, as there.
func readUsers(text string, f *pvesim.Fleet) error {
	f.Users, f.Groups = map[string]*pvesim.User{}, map[string]*pvesim.Group{}
	f.Roles, f.Tokens, f.Pools = map[string][]string{}, map[string]*pvesim.Token{}, map[string]*pvesim.Pool{}
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Split(strings.TrimRight(line, "\r"), ":")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := readUserLine(fields, f); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

func readUserLine(fields []string, f *pvesim.Fleet) error {
	at := func(i int) string {
		if i < len(fields) {
			return fields[i]
		}
		return ""
	}
	switch at(0) {
	case "user":
		expire, err := number(at(3))
		if err != nil {
			return err
		}
		u := &pvesim.User{Expire: expire, Email: decode(at(6)), Comment: decode(at(7))}
		if at(2) != "1" {
			u.Enabled = new(bool)
		}
		f.Users[at(1)] = u
	case "token":
		expire, err := number(at(2))
		if err != nil {
			return err
		}
		_, name, ok := strings.Cut(at(1), "!")
		if !ok || len(name) < 2 {
			return nil
		}
		privsep := at(3) == "1"
		f.Tokens[at(1)] = &pvesim.Token{Expire: expire, PrivSep: &privsep, Comment: decode(at(4))}
	case "group":
		f.Groups[at(1)] = &pvesim.Group{Users: list(at(2)), Comment: decode(at(3))}
	case "role":
		f.Roles[at(1)] = list(at(2))
	case "pool":
		p := &pvesim.Pool{Comment: decode(at(2)), Storages: list(at(4))}
		for _, v := range list(at(3)) {
			id, err := strconv.Atoi(v)
			if err != nil {
				return fmt.Errorf("pool member %q is not a VMID", v)
			}
			p.VMs = append(p.VMs, id)
		}
		f.Pools[at(1)] = p
	case "acl":
		propagate := at(1) == "1"
		for _, to := range list(at(3)) {
			for _, role := range list(at(4)) {
				f.ACL = append(f.ACL, pvesim.ACL{Path: at(2), To: to, Role: role, Propagate: &propagate})
			}
		}
	}
	return nil
}

func number(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time", s)
	}
	return v, nil
}
