package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleProviderID = Rule{
	ID: "PXA204", Blocks: true,
	Title: "Node has a providerID that CAPMOX does not write",
	Why: "Cluster API joins Machine and Node by the providerID as a string, and CAPMOX always writes proxmox:// and the VM's UUID in " +
		"lower case. The API server refuses to change a providerID, so that this Machine would wait for its Node for ever.",
	Remedy: "Let the Node register anew: drain it, set --provider-id in the kubelet's arguments (or the cloud controller manager to " +
		"provider=capmox), delete the Node object and restart the kubelet. One Node at a time. CSI volumes that were made by region and " +
		"VMID need the driver to know both first.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, m := range p.members {
			if m.node.ProviderID == "" || m.vm == nil || m.vm.UUID() == "" || m.node.ProviderID == m.providerID() {
				continue
			}
			f := r.of(nodeRef(m.node), fmt.Sprintf("it is %q, and would have to be %q", m.node.ProviderID, m.providerID()))
			if kind := inventory.ParseProviderID(m.node.ProviderID); kind.Kind == inventory.ProviderCAPMOX && kind.UUID == m.vm.UUID() {
				f.Details = append(f.Details, "the UUID is the same, but the comparison is one of strings")
			}
			out = append(out, f)
		}
		return out
	},
}
