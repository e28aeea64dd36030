package normalize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// NextID reads the answer to cluster/nextid?vmid=N, which says in two ways whether a VMID is taken: 200 with the
// VMID itself is free; 400 with "VM N already exists" as the parameter's error is taken. Any other 400 (an id out of
// range, say) says nothing about existence (pve-manager PVE/API2/Cluster.pm, nextid).
func NextID(data any, failure *transport.Error, vmid int) (inventory.Existence, string) {
	if failure == nil {
		if s, ok := Text(data); ok && s == strconv.Itoa(vmid) {
			return inventory.Free, ""
		}
		return inventory.ExistenceUnknown, fmt.Sprintf("cluster/nextid answered 200 without the VMID %d", vmid)
	}
	if failure.Status == 400 && strings.TrimSpace(failure.Params["vmid"]) == fmt.Sprintf("VM %d already exists", vmid) {
		return inventory.Exists, ""
	}
	reason := failure.Error()
	if text := failure.Params["vmid"]; text != "" {
		reason += " (vmid: " + text + ")"
	}
	return inventory.ExistenceUnknown, reason
}
