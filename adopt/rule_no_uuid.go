package adopt

import (
	"fmt"
	"strings"

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
			// A template is never a Node, and what is cloned from it gets a UUID of its own.
			if v := &p.s.VMs[i]; v.UUID() != "" && v.Type == inventory.GuestQEMU && !v.IsTemplate() {
				byUUID[v.UUID()] = append(byUUID[v.UUID()], v)
			}
		}
		for _, m := range p.members {
			if m.entity == nil {
				continue
			}
			// A Node whose UUID several VMs have is tied to each of them, and none is its own.
			shared := map[string]bool{}
			for _, i := range m.entity.VMs {
				v := &p.s.VMs[i]
				switch u := v.UUID(); {
				case v.Config == nil:
				case u == "":
					detail := "its configuration sets none"
					if raw := v.Config.RawUUID; raw != "" {
						detail = fmt.Sprintf("%q identifies no single machine", raw)
					}
					out = append(out, r.of(vmRef(v), detail))
				case uuidFromArgs(v):
					out = append(out, r.advise(vmRef(v), fmt.Sprintf("Say the same in smbios1 (qm set %d --smbios1 uuid=%s, with what stands there already) and take -uuid out of args: "+
						"the guest goes on seeing the same, also after a restart.", v.VMID, u), "its UUID comes from args (-uuid), and CAPMOX takes the one of smbios1, which is not known"))
				case len(byUUID[u]) > 1 && !shared[u]:
					shared[u] = true
					out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("%s have the same, %s", vmList(byUUID[u]), u)))
				}
			}
		}
		return out
	},
}

func vmList(vms []*inventory.VM) string {
	var out []string
	for _, v := range vms {
		out = append(out, fmt.Sprintf("%s (%s)", v.Key(), v.Name))
	}
	return "VMs " + strings.Join(out, ", ")
}
