package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleInputs = Rule{
	ID: "PXA216", Blocks: true,
	Title: "An input of the manifests or the commands is missing, or cannot be right",
	Why: "The manifests have to say from which template a machine would be cloned and which addresses it may take, though no adopted machine " +
		"is touched by it. A guess would show when somebody scales up. The commands have to say which cluster they are for.",
	Remedy: "Give what is missing as flags, or in proxaudit.yaml under clusters[].adopt. The endpoint is kubeadm-config's: an address or name that " +
		"leads to the API servers from everywhere, and that their certificates name.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, l := range p.future.lacks {
			out = append(out, r.of(clusterRef(p.cluster.Key), l))
		}
		p.oddVMs(func(v *inventory.VM, detail string) {
			if !p.sees(partNodes, partGuests) {
				return
			}
			out = append(out, r.advise(vmRef(v), "See what the VM's configuration says (qm config VMID), correct it there or in the snapshot, and read it anew.", detail))
		})
		if p.endpoint.host == "" && p.sees(partKubeadm) {
			out = append(out, r.of(clusterRef(p.cluster.Key), "the control plane's endpoint: "+p.endpoint.problem))
		}
		if p.sameAccess() {
			out = append(out, r.advise(clusterRef(p.cluster.Key), "Name the file of each (management.kubeconfig and clusters[].kubeconfig in proxaudit.yaml), or rename one of the contexts (kubectl config rename-context).",
				fmt.Sprintf("which cluster a command is for: the management cluster and this one have the same context, %q, and the same kubeconfig or none that is known", p.workloadContext())))
		}
		return out
	},
}
