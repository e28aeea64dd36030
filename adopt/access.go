package adopt

import (
	"path/filepath"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// managementAccess and workloadAccess are kubectl's arguments for the two clusters: the file, if somebody named one, and the context.
// The context alone says too little: kubeadm calls it kubernetes-admin@kubernetes everywhere.
func (p *planner) managementAccess() []string {
	m := p.s.Management
	if m == nil || m.Context == inventory.InCluster {
		return nil
	}
	file := p.file(m.Kubeconfig)
	if p.sameAccess() {
		file = "MANAGEMENT-KUBECONFIG"
	}
	return shell.Access(file, m.Context)
}

func (p *planner) workloadAccess() []string {
	file := p.file(p.cluster.Kubeconfig)
	if p.sameAccess() {
		file = "WORKLOAD-KUBECONFIG"
	}
	return shell.Access(file, p.workloadContext())
}

// file is a kubeconfig as a shell in any folder finds it. Where one of a recorded Snapshot was, nobody knows: it stays as it was named.
func (p *planner) file(name string) string {
	if name == "" || p.opt.Environment == nil || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.opt.Environment.Folder, name)
}

// namesFile is true for arguments of kubectl with which it looks at no KUBECONFIG.
func namesFile(access []string) bool {
	return len(access) > 0 && strings.HasPrefix(access[0], "--kubeconfig=")
}

// workloadContext is the context through which the cluster was read. One that was read in another way has none that is known, and its
// name is the best guess.
func (p *planner) workloadContext() string { return p.cluster.Context() }

// sameAccess is true if the same words would stand for both clusters, and they are two. In their place stands then what no kubectl
// takes: a providerID that is written on a Node of another cluster stays there.
func (p *planner) sameAccess() bool {
	m := p.s.Management
	return m != nil && m.Context != inventory.InCluster && m.ClusterName != p.cluster.Key && m.Kubeconfig == p.cluster.Kubeconfig && m.Context == p.workloadContext()
}
