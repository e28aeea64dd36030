package predict

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// differences are the settings in which a VM that does not run differs from its ProxmoxMachine, as CAPMOX compares them
// (cluster-api-provider-proxmox v0.9.0 internal/service/vmservice/vm.go: reconcileVirtualMachineConfig; utils.go:
// shouldUpdateNetworkDevices). What the ProxmoxMachine leaves out is not compared.
func differences(m *proxmoxMachine, vm *inventory.VM) []string {
	c := vm.Config
	var out []string
	number := func(name string, want, got int64) {
		if want > 0 && want != got {
			out = append(out, fmt.Sprintf("%s (%d, %d wanted)", name, got, want))
		}
	}
	number("sockets", m.Spec.NumSockets, int64(c.Sockets))
	number("cores", m.Spec.NumCores, int64(c.Cores))
	number("memory", m.Spec.MemoryMiB, c.MemoryMiB)
	if m.Spec.Description != nil && *m.Spec.Description != c.Description {
		out = append(out, "description")
	}
	for _, d := range m.Spec.Network.NetworkDevices {
		if deviceDiffers(d, c.NICs) {
			out = append(out, "network devices (all of them are written without their MAC addresses)")
			break
		}
	}
	for _, tag := range m.Spec.Tags {
		if !slices.Contains(vm.Tags, tag) {
			out = append(out, "tags")
			break
		}
	}
	return out
}

// bridgeName is as much of a bridge's name as CAPMOX reads (utils.go: extractNetworkBridge): one with a hyphen or a dot
// never equals what the ProxmoxMachine says.
var bridgeName = regexp.MustCompile(`^\w+`)

func deviceDiffers(d networkDevice, nics []inventory.NIC) bool {
	name, model := d.Name, "virtio"
	if name == "" {
		name = "net0"
	}
	if d.Model != nil {
		model = *d.Model
	}
	i := slices.IndexFunc(nics, func(n inventory.NIC) bool { return n.Slot == name })
	if i < 0 {
		return true
	}
	nic := nics[i]
	differs := func(want *int, got int) bool { return want != nil && *want != got }
	return nic.Bridge == "" || nic.Model != model || bridgeName.FindString(nic.Bridge) != d.Bridge ||
		differs(d.MTU, nic.MTU) || differs(d.VLAN, nic.VLAN) || differs(d.Queues, nic.Queues)
}
