package adopt

import (
	"fmt"

	"github.com/proxaudit/proxaudit/audit"
	"github.com/proxaudit/proxaudit/inventory"
)

var ruleUncovered = Rule{
	ID: "PXA206", Blocks: true, Destroys: true,
	Title: "Control-plane Node or etcd member would have no Machine",
	Why: "The control-plane controller removes every etcd member whose name is not that of a Node with a Machine, within seconds of " +
		"being unpaused. With two of three members gone the data of the cluster stands on one machine.",
	Remedy: "Make every control plane part of the adoption: it has to be a Node whose VM is proven by its UUID. Remove what is no member any " +
		"more (etcdctl member remove, kubectl delete node) before.",
	check: func(r *Rule, p *planner) []Finding {
		out := p.mislabelled(r)
		nodes := map[string]bool{}
		for _, m := range p.controlPlanes() {
			nodes[m.node.Name] = true
			if !m.whole() && !m.undecided() {
				out = append(out, r.of(nodeRef(m.node), "its VM is not proven, so that no Machine can be written for it"))
			}
		}
		for _, pod := range p.cluster.StaticPods {
			if pod.Component != "etcd" {
				continue
			}
			switch name := pod.EtcdMember(); {
			case name == "":
				out = append(out, r.advise(podRef(p.cluster.Key, pod), "See its name with etcdctl member list, and give the Pod its Node's name with --name.",
					fmt.Sprintf("the arguments of the Pod %s do not say which member of etcd it is", pod.Name)))
			case !nodes[name]:
				out = append(out, r.of(podRef(p.cluster.Key, pod), fmt.Sprintf("the Pod %s is the etcd member %q, and no control-plane Node has that name", pod.Name, name)))
			}
		}
		if p.kubeadm.externalEtcd || p.cluster.Kubeadm == nil {
			return out
		}
		for _, m := range p.controlPlanes() {
			if !hasPod(p.cluster.StaticPods, "etcd", m.node.Name) {
				out = append(out, r.advise(nodeRef(m.node), "See why: kubectl -n kube-system get pod etcd-"+m.node.Name+
					". The controller reaches etcd through these Pods; it takes a member's name to be its Node's.",
					"no Pod etcd-"+m.node.Name+" runs on it, so that its etcd member cannot be told"))
			}
		}
		return out
	},
}

func hasPod(pods []inventory.StaticPod, component, node string) bool {
	for _, pod := range pods {
		if pod.Component == component && pod.Node == node && pod.Name == component+"-"+node {
			return true
		}
	}
	return false
}

func podRef(cluster string, pod inventory.StaticPod) audit.SubjectRef {
	return audit.SubjectRef{Kind: "pod", Cluster: cluster, Namespace: "kube-system", Name: pod.Name, ID: "pod/" + cluster + "/kube-system/" + pod.Name}
}
