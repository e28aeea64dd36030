package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

// The most that a VM can have, generously: what is more is no size but a mistake in what was read, and would be another number in
// the 32 bits of a manifest.
const (
	mostSockets   = 64
	mostCores     = 8192
	mostMemoryMiB = 64 << 20 // 64 TiB
	mostDiskGiB   = 1 << 20  // 1 PiB
)

// implausible says which of a VM's numbers none can have.
func implausible(v *inventory.VM) []string {
	var out []string
	check := func(what string, n, least, most int64) {
		if n < least || n > most {
			out = append(out, fmt.Sprintf("%s is said to be %d, which is not from %d to %d", what, n, least, most))
		}
	}
	if !inventory.ValidVMID(v.VMID) {
		out = append(out, fmt.Sprintf("%d is no VMID", v.VMID))
	}
	c := v.Config
	if c == nil {
		return out
	}
	check("its number of sockets", int64(c.Sockets), 1, mostSockets)
	check("its number of cores", int64(c.Cores), 1, mostCores)
	check("its memory in MiB", c.MemoryMiB, 1, mostMemoryMiB)
	for _, d := range c.Disks {
		if d.SizeBytes == nil {
			continue
		}
		if n := *d.SizeBytes; n < 0 || n>>30 > mostDiskGiB {
			out = append(out, fmt.Sprintf("the size of its disk %s is said to be %d bytes", d.Slot, n))
		}
	}
	return out
}

// oddVMs are the VMs whose numbers go into manifests, with what none can have.
func (p *planner) oddVMs(found func(v *inventory.VM, detail string)) {
	var all []*inventory.VM
	for _, m := range p.members {
		if m.vm != nil {
			all = append(all, m.vm)
		}
	}
	if t := p.future.template; t != nil {
		all = append(all, t)
	}
	for _, v := range all {
		for _, detail := range implausible(v) {
			found(v, detail)
		}
	}
}
