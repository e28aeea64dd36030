package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleNoUUID = Rule{
	ID: "PXA203", Blocks: true, Destroys: true,
	Title: "VM has no SMBIOS UUID of its own",
	Why: "CAPMOX computes the providerID from the VM's SMBIOS UUID. Without one it writes a providerID that its own API refuses; " +
		"with one that two VMs share, Cluster API cannot tell their Nodes apart.",
	Remedy: "Give the VM a UUID of its own (qm set VMID --smbios1 uuid=$(uuidgen)) in a maintenance window: the guest sees it after a " +
		"full stop and start, and the Node has to register again if its providerID was made from the old one.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		byUUID := map[string][]*inventory.VM{}
		for i := range p.s.VMs {
			if u := p.s.VMs[i].UUID(); u != "" {
				byUUID[u] = append(byUUID[u], &p.s.VMs[i])
			}
		}
		for _, m := range p.members {
			switch {
			case m.vm == nil || m.vm.Config == nil:
			case m.vm.UUID() == "":
				detail := "its configuration sets none"
				if raw := m.vm.Config.RawUUID; raw != "" {
					detail = fmt.Sprintf("%q identifies no single machine", raw)
				}
				out = append(out, r.of(vmRef(m.vm), detail))
			default:
				for _, other := range byUUID[m.vm.UUID()] {
					if other.Key() != m.vm.Key() {
						out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("VM %s (%s) has the same, %s", other.Key(), other.Name, m.vm.UUID())))
					}
				}
			}
		}
		return out
	},
}
