package history

import (
	"cmp"
	"slices"
	"strings"
)

// Source is what a run has read in full of one source, with what tells it from another of the same name.
type Source struct {
	// Name is as in a coverage entry: site/NAME, cluster/NAME, management.
	Name string `json:"source"`
	// Scopes are the lists on which verdicts rest and which were read in full, sorted.
	Scopes []string `json:"scopes"`
	// Marks are "ca:" with the SHA-256 of a root certificate, "server:" with a URL and "host:" with the name of a Proxmox
	// host, sorted.
	Marks []string `json:"marks,omitempty"`
}

// kinds of marks, the surest first. Tunnels to several clusters share a URL, and no two clusters share a CA.
var kinds = []string{"ca:", "server:", "host:"}

// Same is false if the marks tell that two sources of one name are not the same cluster or site. Where the surest kind that
// both have says nothing in common there may be other kinds that do, but for the CA, which has the last word.
func (s Source) Same(other Source) bool {
	compared := false
	for _, kind := range kinds {
		a, b := s.of(kind), other.of(kind)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		compared = true
		if slices.ContainsFunc(a, func(mark string) bool { return slices.Contains(b, mark) }) {
			return true
		}
		if kind == "ca:" {
			return false
		}
	}
	return !compared
}

func (s Source) of(kind string) []string {
	var out []string
	for _, m := range s.Marks {
		if strings.HasPrefix(m, kind) {
			out = append(out, m)
		}
	}
	return out
}

// Lacking is what was read for a Record and is not among what a run has read: a source and scope, and why, in words. It is
// empty if nothing is. Records of versions that did not keep it lack nothing.
func Lacking(before, now []Source) string {
	for _, want := range before {
		i := slices.IndexFunc(now, func(s Source) bool { return s.Name == want.Name })
		if i < 0 {
			return want.Name + " was read when it was last seen, and not now"
		}
		if !want.Same(now[i]) {
			return want.Name + " is another one than the one that was read when it was last seen"
		}
		for _, scope := range want.Scopes {
			if !slices.Contains(now[i].Scopes, scope) {
				return want.Name + " " + scope + " was read when it was last seen, and not now"
			}
		}
	}
	return ""
}

// SortSources orders by name, and what is in them.
func SortSources(all []Source) {
	for i := range all {
		slices.Sort(all[i].Scopes)
		slices.Sort(all[i].Marks)
		all[i].Marks = slices.Compact(all[i].Marks)
	}
	slices.SortFunc(all, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
}
