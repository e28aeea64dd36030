package history

import (
	"slices"
	"strconv"

	"github.com/proxaudit/proxaudit/inventory"
)

// VMs are the addresses of the VMs that records are about which are not resolved: whether one of them is gone has to be
// asked for, if no list shows it.
func VMs(records []Record) []inventory.Key {
	var out []inventory.Key
	for _, r := range records {
		if r.State == Resolved {
			continue
		}
		sub, err := inventory.ParseSubject(r.Subject)
		if err != nil || sub.Kind != inventory.SubjectVM {
			continue
		}
		if vmid, err := strconv.Atoi(sub.Name); err == nil {
			out = append(out, inventory.Key{Site: sub.Scope, VMID: vmid})
		}
	}
	slices.SortFunc(out, inventory.CompareKeys)
	return slices.Compact(out)
}
