package adopt

import "fmt"

var ruleEvenEtcd = Rule{
	ID: "PXA205", Blocks: true,
	Title: "Number of control planes with stacked etcd is even",
	Why: "Cluster API refuses a KubeadmControlPlane with an even number of replicas where etcd runs on the control planes: such an etcd " +
		"tolerates no more failures than one with a member less.",
	Remedy: "Add a control plane (kubeadm join --control-plane), or take one away (drain, etcdctl member remove, kubeadm reset, delete the Node), and run adopt again.",
	check: func(r *Rule, p *planner) []Finding {
		n := len(p.controlPlanes())
		switch {
		case n == 0:
			return []Finding{r.advise(clusterRef(p.cluster.Key), "Look at the Nodes' labels: control planes have "+controlPlaneTaint+
				". A managed control plane that runs no Nodes cannot be adopted.", "no Node of the cluster is a control plane")}
		case n%2 == 0 && !p.kubeadm.externalEtcd:
			return []Finding{r.of(clusterRef(p.cluster.Key), fmt.Sprintf("%d control planes", n))}
		}
		return nil
	},
}
