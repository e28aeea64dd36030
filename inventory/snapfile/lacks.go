package snapfile

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// What each element has to have: what it is known by, and without which nothing can be said about it. The collectors
// write none without. Everything else may be missing from a file, as it may be from what was collected.

func site(v *inventory.Site) string { return missing("a site", has{"name", v.Name != ""}) }

func vm(v *inventory.VM) string {
	if bad := outOfRange(v.VMID); bad != "" {
		return bad
	}
	return missing("a VM", has{"site", v.Site != ""}, has{"vmid", v.VMID != 0}, has{"type", v.Type != ""})
}

// outOfRange tells a VMID that is none; 0 is one that is missing.
func outOfRange(vmid int) string {
	if vmid == 0 || inventory.ValidVMID(vmid) {
		return ""
	}
	return rangeText(vmid)
}

func rangeText(vmid int) string {
	return fmt.Sprintf("the VMID %d is none (a number from 100 to 999999999)", vmid)
}

func cluster(v *inventory.Cluster) string { return missing("a cluster", has{"key", v.Key != ""}) }

func machine(v *inventory.Machine) string {
	return missing("a Machine", has{"cluster", v.Cluster != ""}, has{"name", v.Name != ""})
}

// proxmoxMachine may be in no cluster: it is known by a label, which may be missing.
func proxmoxMachine(v *inventory.ProxmoxMachine) string {
	if v.VMID != nil && !inventory.ValidVMID(*v.VMID) {
		return rangeText(*v.VMID)
	}
	return missing("a ProxmoxMachine", has{"name", v.Name != ""})
}

func node(v *inventory.Node) string {
	return missing("a Node", has{"cluster", v.Cluster != ""}, has{"name", v.Name != ""})
}

// group may be in no cluster: a control plane that nothing refers to yet is in none.
func group(v *inventory.Group) string {
	return missing("a group of Machines", has{"kind", v.Kind != ""}, has{"name", v.Name != ""})
}

func provider(v *inventory.Provider) string {
	return missing("a provider", has{"name", v.Name != ""})
}

func probe(v *inventory.Probe) string {
	if bad := outOfRange(v.VMID); bad != "" {
		return bad
	}
	return missing("a probe", has{"site", v.Site != ""}, has{"vmid", v.VMID != 0}, has{"existence", v.Existence != ""})
}

func task(v *inventory.Task) string {
	if bad := outOfRange(v.VMID); bad != "" {
		return bad
	}
	return missing("a task", has{"site", v.Site != ""}, has{"upid", v.UPID != ""}, has{"type", v.Type != ""})
}

func event(v *inventory.Event) string {
	return missing("an Event", has{"reason", v.Reason != ""})
}

func storedSecret(v *inventory.StoredSecret) string {
	return missing("a Secret", has{"namespace", v.Namespace != ""}, has{"name", v.Name != ""})
}

func coverage(v *inventory.Coverage) string {
	return missing("an entry of the coverage", has{"source", v.Source != ""}, has{"scope", v.Scope != ""}, has{"state", v.State != ""})
}

func part(v *inventory.Part) string { return missing("a part", has{"file", v.File != ""}) }

func requests(v *inventory.Requests) string {
	return missing("a count of requests", has{"source", v.Source != ""})
}

func object(v *inventory.Object) string {
	return missing("an object", has{"apiVersion", v.APIVersion != ""}, has{"kind", v.Kind != ""}, has{"name", v.Name != ""})
}

// has says whether a field that is needed is there.
type has struct {
	field string
	there bool
}

// missing says what an element lacks; it is empty if that is nothing.
func missing(what string, needed ...has) string {
	var lacks, needs []string
	for _, h := range needed {
		needs = append(needs, h.field)
		if !h.there {
			lacks = append(lacks, h.field)
		}
	}
	if len(lacks) == 0 {
		return ""
	}
	return "it has no " + strings.Join(lacks, " and no ") + ", and " + what + " needs " + strings.Join(needs, ", ")
}
