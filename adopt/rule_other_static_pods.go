package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

var ruleOtherStaticPods = Rule{
	ID:     "PXA244",
	Title:  "Control planes run static Pods that kubeadm did not make",
	Why:    "Something like kube-vip, which holds the cluster's address, runs from a file on disk. A control plane that is made later would not have it.",
	Remedy: "Put its manifest into kubeadmConfigSpec.files of the KubeadmControlPlane and of every KubeadmConfig, both the same, before anything is unpaused.",
	check: func(r *Rule, p *planner) []Finding {
		on := map[string][]string{}
		for _, pod := range p.cluster.StaticPods {
			switch pod.Component {
			case "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler":
				continue
			}
			on[strings.TrimSuffix(pod.Name, "-"+pod.Node)] = append(on[strings.TrimSuffix(pod.Name, "-"+pod.Node)], pod.Node)
		}
		var out []Finding
		for name, nodes := range on {
			slices.Sort(nodes)
			out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("%s on %s", name, strings.Join(nodes, ", "))))
		}
		slices.SortFunc(out, func(a, b Finding) int { return cmp.Compare(a.Details[0], b.Details[0]) })
		return out
	},
}
