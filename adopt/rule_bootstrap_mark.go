package adopt

import "fmt"

// bootstrapMark is the tag that go-proxmox puts on a VM into which it has put an ISO, lower-cased as tags are in a Snapshot
// (luthermonson/go-proxmox v0.6.0: MakeTag, TagCloudInit).
const bootstrapMark = "go-proxmox+cloud-init"

var ruleBootstrapMark = Rule{
	ID: "PXA219", Blocks: true, Destroys: true,
	Title: "VM has the mark by which CAPMOX takes a bootstrap ISO out",
	Why: "CAPMOX takes what a VM with this tag has at ide0 for the ISO from which it started it: as soon as the Machine is available it takes " +
		"that drive out of the configuration of the VM that runs, and the tag with it. An adopted VM is never written to.",
	Remedy: "Take the tag off the VM before (qm set VMID --tags with the others), or keep it if another tool still needs it and leave the machine out.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			if m.vm != nil && m.vm.HasTag(bootstrapMark) {
				out = append(out, r.of(vmRef(m.vm), fmt.Sprintf("its tags are %q", m.vm.Tags)))
			}
		}
		return out
	},
}
