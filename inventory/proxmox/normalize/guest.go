package normalize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/proxmox/transport"
)

// otherResources are the types of rows that are no guests. They are not in an answer to type=vm; where a row of one
// is, nothing about guests is lost.
var otherResources = map[string]bool{"node": true, "storage": true, "pool": true, "sdn": true, "network": true}

// Guests reads the rows of cluster/resources?type=vm. A row that cannot be read is described in bad, with its index,
// and the others are kept. A VMID that occurs twice is kept once.
func Guests(data any) (vms []inventory.VM, bad []string, err error) {
	rows, ok := data.([]any)
	if !ok {
		return nil, nil, fmt.Errorf("the guest list is %s, not a list", kind(data))
	}
	seen := make(map[int]string, len(rows))
	vms = make([]inventory.VM, 0, len(rows))
	for i, row := range rows {
		vm, skip, err := guest(row)
		switch {
		case err != nil:
			bad = append(bad, fmt.Sprintf("row %d: %v", i, err))
			continue
		case skip:
			continue
		}
		if node, twice := seen[vm.VMID]; twice {
			bad = append(bad, fmt.Sprintf("row %d: VMID %d is listed twice (on %s and on %s)", i, vm.VMID, node, vm.Node))
			continue
		}
		seen[vm.VMID] = vm.Node
		vms = append(vms, vm)
	}
	return vms, bad, nil
}

// guest reads one row. Only id or vmid, node and type have to be there: the row of a guest whose host sends no status
// has neither name nor template nor sizes (pve-manager PVE/API2Tools.pm, extract_vm_stats).
func guest(row any) (vm inventory.VM, skip bool, err error) {
	m, ok := row.(map[string]any)
	if !ok {
		return vm, false, fmt.Errorf("it is %s, not an object", kind(row))
	}
	id, _ := m["id"].(string)
	idType, idNumber, _ := strings.Cut(id, "/")
	vm.Type, _ = m["type"].(string)
	if vm.Type == "" {
		vm.Type = idType
	}
	if otherResources[vm.Type] {
		return vm, true, nil
	}
	if vm.Type != inventory.GuestQEMU && vm.Type != inventory.GuestLXC {
		return vm, false, fmt.Errorf("the type %q is no kind of guest", vm.Type)
	}
	if vm.VMID, err = vmid(m["vmid"], idNumber); err != nil {
		return vm, false, err
	}
	vm.Node, _ = m["node"].(string)
	if !transport.ValidNode(vm.Node) {
		return vm, false, fmt.Errorf("guest %d is on node %q, which is no name of a node", vm.VMID, vm.Node)
	}
	vm.Status, _ = m["status"].(string)
	if vm.Status == "" {
		vm.Status = inventory.StatusUnknown
	}
	if name, ok := Text(m["name"]); ok {
		vm.Name = Name(name, vm.VMID)
	}
	if t, present := m["template"]; present {
		if b, ok := Bool(t); ok {
			vm.Template = &b
		}
	}
	if tags, ok := Text(m["tags"]); ok {
		vm.Tags = Tags(tags)
	}
	vm.Pool, _ = Text(m["pool"])
	vm.Lock, _ = m["lock"].(string)
	vm.HAState, _ = m["hastate"].(string)
	if up, ok := Number(m["uptime"]); ok && up > 0 {
		vm.UptimeSeconds = int64(min(up, maxExact))
	}
	return vm, false, nil
}

func vmid(v any, fromID string) (int, error) {
	if v == nil {
		v = fromID
	}
	n, ok := Integer(v)
	if !ok || !inventory.ValidVMID(int(n)) {
		return 0, fmt.Errorf("its VMID is missing or none (%s)", strconv.Quote(fmt.Sprint(v)))
	}
	if fromID != "" && fromID != strconv.FormatInt(n, 10) {
		return 0, fmt.Errorf("its id ends in %q and its VMID is %d", fromID, n)
	}
	return int(n), nil
}

// Name drops the name that Proxmox makes up for a guest without one (qemu-server PVE/QemuServer.pm, vmstatus).
func Name(name string, vmid int) string {
	if name == "VM "+strconv.Itoa(vmid) {
		return ""
	}
	return name
}
