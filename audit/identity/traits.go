package identity

import (
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// trait is a tag, pool or stem on one site: names of things repeat over sites, and mean nothing across them.
type trait struct{ site, value string }

// traits counts, for each value of one trait, the linked VMs of each cluster and all VMs that carry it.
type traits struct {
	all    map[trait]int
	linked map[trait]map[string]int
	// unsure holds, for each value, what would have to be read to know whose the VMs that carry it are.
	unsure map[trait][]inventory.Need
}

func newTraits() traits {
	return traits{all: map[trait]int{}, linked: map[trait]map[string]int{}, unsure: map[trait][]inventory.Need{}}
}

// add notes a VM that carries a value, the clusters of which it is a known member, and what was not seen of it.
func (t *traits) add(value trait, clusters []string, unread *inventory.Need) {
	if value.value == "" {
		return
	}
	t.all[value]++
	for _, c := range clusters {
		if t.linked[value] == nil {
			t.linked[value] = map[string]int{}
		}
		t.linked[value][c]++
	}
	if unread != nil && !slices.Contains(t.unsure[value], *unread) {
		t.unsure[value] = append(t.unsure[value], *unread)
	}
}

// of says whether a trait marks the members of one cluster. marks is true if most VMs that carry it are known members
// of that one cluster: a trait that mostly strangers carry may mark another cluster that was never scanned, and its
// Nodes must not be called orphans. shared is true if members carry it, but that does not hold.
func (t *traits) of(value trait) (cluster string, marks, shared bool) {
	by := t.linked[value]
	if len(by) == 0 {
		return "", false, false
	}
	if len(by) > 1 {
		return "", false, true
	}
	for c, n := range by {
		return c, 2*n > t.all[value], true
	}
	return "", false, false
}
