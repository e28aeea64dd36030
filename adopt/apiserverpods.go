package adopt

import "fmt"

// mislabelled are Nodes that are control planes by the API server that runs on them and not by their role label, or the other way
// round. Where etcd runs on the control planes its Pods tell; where it runs elsewhere only these do.
func (p *planner) mislabelled(r *Rule) []Finding {
	if !p.kubeadm.externalEtcd {
		return nil
	}
	const remedy = "Give every control-plane Node the label node-role.kubernetes.io/control-plane, and take it off all others. Its Machine would be of the wrong kind: " +
		"one that is counted among the workers is deleted with them, and one among the control planes is replaced by one."
	var out []Finding
	nodes := map[string]bool{}
	for _, m := range p.controlPlanes() {
		nodes[m.node.Name] = true
		if !hasPod(p.cluster.StaticPods, "kube-apiserver", m.node.Name) {
			out = append(out, r.advise(nodeRef(m.node), remedy, "its role label says control plane, and no Pod kube-apiserver-"+m.node.Name+" runs on it"))
		}
	}
	for _, pod := range p.cluster.StaticPods {
		if pod.Component == "kube-apiserver" && !nodes[pod.Node] {
			out = append(out, r.advise(podRef(p.cluster.Key, pod), remedy, fmt.Sprintf("an API server runs on the Node %q, whose role label does not say control plane", pod.Node)))
		}
	}
	return out
}
