package adopt

import "fmt"

var ruleVMName = Rule{
	ID: "PXA202", Blocks: true, Destroys: true,
	Title: "VM's name cannot be the name of its ProxmoxMachine",
	Why: "CAPMOX refuses a VM of another name than its ProxmoxMachine: it waits for ever, or fails for good. So the object has " +
		"to be called as the VM is, and an object's name has lower-case letters, digits, \"-\" and \".\", and 63 characters at most.",
	Remedy: "Rename the VM (qm set VMID --name NAME): that changes its configuration only, and nothing in the guest. Best is the Node's name.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		names := map[string]*member{}
		secrets := map[string]bool{}
		for _, s := range p.secrets() {
			secrets[s.Name] = true
		}
		for _, m := range p.members {
			if m.vm == nil {
				continue
			}
			switch name := m.vm.Name; {
			case name == "":
				out = append(out, r.of(vmRef(m.vm), "Proxmox shows no name for it"))
			case !dns1123(name):
				out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("%q is no DNS-1123 name of 63 characters at most", name)))
			case secrets[name]:
				// The machine's empty bootstrap Secret has its name, and would be taken for the cluster's own.
				out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("a Secret of the cluster is called %q", name)))
			case names[name] != nil:
				out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("VM %s of this cluster is called %q too", names[name].vm.Key(), name)))
			default:
				names[name] = m
			}
		}
		return out
	},
}
