package adopt

import (
	"github.com/proxaudit/proxaudit/internal/shell"
)

// managementAccess and workloadAccess are kubectl's arguments for the two clusters: the file, if somebody named one, and the context.
// The context alone says too little: kubeadm calls it kubernetes-admin@kubernetes everywhere.
func (p *planner) managementAccess() []string {
	m := p.s.Management
	if m == nil || m.Context == inCluster {
		return nil
	}
	file := m.Kubeconfig
	if p.sameAccess() {
		file = "MANAGEMENT-KUBECONFIG"
	}
	return shell.Access(file, m.Context)
}

func (p *planner) workloadAccess() []string {
	file := p.cluster.Kubeconfig
	if p.sameAccess() {
		file = "WORKLOAD-KUBECONFIG"
	}
	return shell.Access(file, p.workloadContext())
}

// workloadContext is the context through which the cluster was read. One that was read in another way has none that is known, and its
// name is the best guess.
func (p *planner) workloadContext() string { return p.cluster.Context() }

// sameAccess is true if the same words would stand for both clusters, and they are two. In their place stands then what no kubectl
// takes: a providerID that is written on a Node of another cluster stays there.
func (p *planner) sameAccess() bool {
	m := p.s.Management
	return m != nil && m.Context != inCluster && m.ClusterName != p.cluster.Key && m.Kubeconfig == p.cluster.Kubeconfig && m.Context == p.workloadContext()
}
