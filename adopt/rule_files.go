package adopt

import (
	"fmt"
	"path"
	"slices"
	"strings"

	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
)

var ruleFiles = Rule{
	ID:    "PXA242",
	Title: "A control plane needs files that no API shows",
	Why: "The adopted machines have them on disk. A control plane that Cluster API makes later would not: its API server would not start " +
		"without an encryption configuration or an audit policy that its arguments name.",
	Remedy: "Copy each from a control-plane node into kubeadmConfigSpec.files of the KubeadmControlPlane and of every KubeadmConfig (both the same, before " +
		"anything is unpaused), with its secrets by contentFrom. Do it before you scale up, upgrade or replace a control plane.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, path := range p.filesOnDisk() {
			out = append(out, r.of(clusterRef(p.cluster.Key), path+": a control plane that is made later would lack it"))
		}
		return out
	},
}

// filesOnDisk are the paths that kubeadm's configuration mounts or names in arguments, and that kubeadm does not make.
func (p *planner) filesOnDisk() []string {
	c := &p.kubeadm.config
	var out []string
	add := func(file, why string) {
		if strings.HasPrefix(file, "/") && !p.kubeadmMakes(file) {
			out = append(out, fmt.Sprintf("%s (%s)", path.Clean(file), why))
		}
	}
	for _, part := range []struct {
		name    string
		args    []bootstrapv1.Arg
		volumes []bootstrapv1.HostPathMount
	}{
		{"kube-apiserver", c.APIServer.ExtraArgs, c.APIServer.ExtraVolumes},
		{"kube-controller-manager", c.ControllerManager.ExtraArgs, c.ControllerManager.ExtraVolumes},
		{"kube-scheduler", c.Scheduler.ExtraArgs, c.Scheduler.ExtraVolumes},
		{"etcd", c.Etcd.Local.ExtraArgs, nil},
	} {
		for _, v := range part.volumes {
			if !madeOnDemand(string(v.PathType)) {
				add(v.HostPath, "mounted by "+part.name)
			}
		}
		for _, a := range part.args {
			if a.Value != nil && readsFile(a.Name) {
				add(*a.Value, part.name+" --"+a.Name)
			}
		}
	}
	for _, file := range []string{c.Etcd.External.CAFile, c.Etcd.External.CertFile, c.Etcd.External.KeyFile} {
		add(file, "external etcd")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// madeOnDemand: the kubelet makes what is not there for these types of hostPath.
func madeOnDemand(pathType string) bool { return strings.HasSuffix(pathType, "OrCreate") }

// readsFile is true for arguments whose value is a file that has to be there.
func readsFile(arg string) bool {
	for _, suffix := range []string{"-file", "-config", "-config-file", "-policy-file", "-kubeconfig", "kubeconfig", "-dir", "-cert", "-key"} {
		if strings.HasSuffix(arg, suffix) {
			return true
		}
	}
	return arg == "config"
}

// kubeadmMakes is true for what kubeadm writes on every control plane, or the system has.
func (p *planner) kubeadmMakes(file string) bool {
	dir := p.kubeadm.config.CertificatesDir
	if dir == "" {
		dir = "/etc/kubernetes/pki"
	}
	file = path.Clean(file)
	for _, known := range []string{"ca.crt", "ca.key", "apiserver.crt", "apiserver.key", "apiserver-kubelet-client.crt", "apiserver-kubelet-client.key",
		"front-proxy-ca.crt", "front-proxy-ca.key", "front-proxy-client.crt", "front-proxy-client.key", "sa.pub", "sa.key",
		"apiserver-etcd-client.crt", "apiserver-etcd-client.key", "etcd/ca.crt", "etcd/ca.key", "etcd/server.crt", "etcd/server.key",
		"etcd/peer.crt", "etcd/peer.key", "etcd/healthcheck-client.crt", "etcd/healthcheck-client.key"} {
		if file == path.Join(dir, known) {
			return true
		}
	}
	switch file {
	case path.Clean(dir), "/etc/kubernetes/admin.conf", "/etc/kubernetes/controller-manager.conf", "/etc/kubernetes/scheduler.conf",
		"/etc/kubernetes/super-admin.conf", "/etc/kubernetes/kubelet.conf", "/etc/ssl/certs", "/etc/pki", "/etc/ca-certificates",
		"/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/var/lib/etcd", "/var/log", "/etc/localtime":
		return true
	}
	return false
}
