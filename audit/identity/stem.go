package identity

import (
	"strings"
)

// minStem is the shortest stem that says anything: below it, "db" and "vm" would make siblings of strangers.
const minStem = 3

// stem is what the names of a cluster's machines have in common: the name without its generated suffixes or its number.
// prod-worker-3 and prod-worker-11 give prod-worker; prod-md-0-x7k2p-9qz4d gives prod-md-0. Empty if nothing is left
// that could tell siblings from strangers.
func stem(name string) string {
	whole := shortName(foldName(name))
	s := whole
	for range 2 {
		head, last, ok := cutLast(s, '-')
		if !ok || !isGenerated(last) {
			break
		}
		s = head
	}
	if s == whole {
		s = strings.TrimRight(s, "0123456789")
	}
	s = strings.TrimRight(s, "-_.")
	if len(s) < minStem || s == whole {
		return ""
	}
	return s
}

func cutLast(s string, sep byte) (head, last string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i <= 0 || i == len(s)-1 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isGenerated recognises the suffixes that Kubernetes generates (k8s.io/apimachinery util/rand: five characters from an
// alphabet without vowels). A word like "nodes" is none, a number neither.
func isGenerated(s string) bool {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	return len(s) == 5 && strings.Trim(s, alphabet) == "" && !isNumber(s)
}
