package adopt

import "fmt"

var ruleNotRunning = Rule{
	ID: "PXA201", Blocks: true, Destroys: true,
	Title: "VM does not run",
	Why: "CAPMOX leaves a VM alone while it runs. One that is stopped when it looks is rewritten where it differs (cores, " +
		"memory, network devices with a new MAC address), or is reported ready and never started.",
	Remedy: "Start the VM and wait for its Node to be Ready. A machine that is not wanted any more: drain it, delete its Node, and run adopt again.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			if m.vm != nil && m.vm.Status != "running" {
				out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("Proxmox says %s; its Node is %s", m.vm.Status, m.node.Name)))
			}
		}
		return out
	},
}
