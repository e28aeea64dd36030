package adopt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleNetwork = Rule{
	ID: "PXA217", Blocks: true,
	Title: "VM's network devices cannot be declared as they are",
	Why: "CAPMOX wants net0, net1 and so on without a gap, and knows the models virtio, e1000, rtl8139 and vmxnet3. A manifest that says anything " +
		"else than the VM has would rewrite the device, with a new MAC address, when CAPMOX finds the VM stopped.",
	Remedy: "Change the VM's devices in a maintenance window, so that they begin at net0, have no gap, a bridge, and one of these models.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			if m.vm == nil || m.vm.Config == nil {
				continue
			}
			for _, detail := range badDevices(m.vm.Config) {
				out = append(out, r.of(vmRef(m.vm), detail))
			}
		}
		return out
	},
}

// models are those of CAPMOX's API (api/v1alpha2: NetworkDevice.model).
var models = []string{"e1000", "virtio", "rtl8139", "vmxnet3"}

func badDevices(c *inventory.VMConfig) []string {
	if len(c.NICs) == 0 {
		return []string{"it has none"}
	}
	nics := slices.Clone(c.NICs)
	slices.SortFunc(nics, func(a, b inventory.NIC) int { return cmp.Compare(slotNumber(a.Slot), slotNumber(b.Slot)) })
	var out []string
	for i, n := range nics {
		if slotNumber(n.Slot) != i {
			out = append(out, fmt.Sprintf("%s stands where net%d would have to", n.Slot, i))
			break
		}
	}
	for _, n := range nics {
		switch {
		case !slices.Contains(models, n.Model):
			out = append(out, fmt.Sprintf("%s is of model %q", n.Slot, n.Model))
		case n.Bridge == "":
			out = append(out, n.Slot+" is on no bridge")
		case n.MTU > 1 && n.MTU < 576:
			out = append(out, fmt.Sprintf("%s has an MTU of %d, and CAPMOX takes 1 or 576 to 65520", n.Slot, n.MTU))
		}
	}
	return append(out, outOfRange(c)...)
}

// outOfRange are the numbers of network devices that none can have. A manifest would leave them out without a word, or say another one.
func outOfRange(c *inventory.VMConfig) []string {
	var out []string
	for _, n := range c.NICs {
		if n.VLAN < 0 || n.VLAN > 4094 {
			out = append(out, fmt.Sprintf("%s is in VLAN %d, and there are 1 to 4094", n.Slot, n.VLAN))
		}
		if n.Queues < 0 || n.Queues > 64 {
			out = append(out, fmt.Sprintf("%s has %d queues, and Proxmox gives 64 at most", n.Slot, n.Queues))
		}
		if n.MTU < 0 || n.MTU > 65520 {
			out = append(out, fmt.Sprintf("%s has an MTU of %d, which is none", n.Slot, n.MTU))
		}
	}
	return out
}
