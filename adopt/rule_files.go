package adopt

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
)

var ruleFiles = Rule{
	ID:    "PXA242",
	Title: "A control plane needs files that no API shows",
	Why: "The adopted machines have them on disk. A control plane that Cluster API makes later would not: its API server would not start " +
		"without an encryption configuration or an audit policy that its arguments name. Where only the manifests on disk have the argument, it would start without: " +
		"Secrets that the others encrypted could not be read there, and nothing would be audited.",
	Remedy: "Copy each from a control-plane node into kubeadmConfigSpec.files of the KubeadmControlPlane and of every KubeadmConfig (both the same, before " +
		"anything is unpaused), with its secrets by contentFrom; an argument that kubeadm-config lacks into it, with the volume (kubeadm init phase upload-config kubeadm), and then adopt anew. " +
		"Do it before you scale up, upgrade or replace a control plane.",
	check: func(r *Rule, p *planner) []Finding {
		var out []Finding
		for _, f := range p.filesOnDisk() {
			out = append(out, r.of(clusterRef(p.cluster.Key), f.String()))
		}
		return out
	},
}

// diskFile is a file that no API shows.
type diskFile struct {
	path, why string
	// arg is the argument that names it, without its dashes; empty for others.
	arg string
	// hosts are the Nodes whose static Pod names it though kubeadm-config does not; empty where that does.
	hosts []string
}

// withoutArgument says what a control plane does that lacks an argument which the others run with.
var withoutArgument = map[string]string{
	"encryption-provider-config":    "it could not read what the others encrypted, and would store new Secrets in plain text",
	"audit-policy-file":             "it would audit nothing",
	"audit-webhook-config-file":     "it would send its audit events nowhere",
	"admission-control-config-file": "it would admit what the others refuse",
	"authentication-config":         "it would refuse whom the others let in",
	"authorization-config":          "it would allow or refuse what the others do not",
}

func (f diskFile) String() string {
	if len(f.hosts) == 0 {
		return fmt.Sprintf("%s (%s): a control plane that is made later would lack it", f.path, f.why)
	}
	text := fmt.Sprintf("%s (%s, which runs on %s and is not in kubeadm-config): a control plane that is made later would lack both", f.path, f.why, strings.Join(f.hosts, ", "))
	if effect := withoutArgument[f.arg]; effect != "" {
		text += ": " + effect
	}
	return text
}

// filesOnDisk are the paths that kubeadm's configuration mounts or names in arguments, or that running static Pods name, and
// that kubeadm does not make.
func (p *planner) filesOnDisk() []diskFile {
	c := &p.kubeadm.config
	var out []diskFile
	add := func(file, why, arg string) {
		if strings.HasPrefix(file, "/") && !p.kubeadmMakes(file) {
			out = append(out, diskFile{path: path.Clean(file), why: why, arg: arg})
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
				add(v.HostPath, "mounted by "+part.name, "")
			}
		}
		for _, a := range part.args {
			if a.Value != nil && readsFile(a.Name) {
				add(*a.Value, part.name+" --"+a.Name, a.Name)
			}
		}
	}
	for _, file := range []string{c.Etcd.External.CAFile, c.Etcd.External.CertFile, c.Etcd.External.KeyFile} {
		add(file, "external etcd", "")
	}
	out = append(out, p.filesOfPods(out)...)
	slices.SortFunc(out, func(a, b diskFile) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(out, func(a, b diskFile) bool { return a.String() == b.String() })
}

// filesOfPods are those that arguments of running static Pods name and kubeadm-config does not: somebody wrote them into the
// manifest on disk.
func (p *planner) filesOfPods(configured []diskFile) []diskFile {
	var out []diskFile
	for _, pod := range p.cluster.StaticPods {
		switch pod.Component {
		case "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler":
		default:
			// All of it is a file on disk: PXA244.
			continue
		}
		for name, value := range arguments(pod.Args) {
			file := path.Clean(value)
			if !strings.HasPrefix(value, "/") || !readsFile(name) || p.kubeadmMakes(value) ||
				slices.ContainsFunc(configured, func(f diskFile) bool { return f.path == file }) {
				continue
			}
			f := diskFile{path: file, why: pod.Component + " --" + name, arg: name}
			i := slices.IndexFunc(out, func(o diskFile) bool { return o.path == f.path && o.why == f.why })
			if i < 0 {
				i, out = len(out), append(out, f)
			}
			out[i].hosts = append(out[i].hosts, pod.Node)
		}
	}
	for i := range out {
		slices.Sort(out[i].hosts)
	}
	return out
}

// arguments takes a command line apart: --name=value, or --name and value as two words.
func arguments(args []string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i, arg := range args {
			name, ok := strings.CutPrefix(arg, "--")
			if !ok {
				continue
			}
			name, value, has := strings.Cut(name, "=")
			if !has && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				value = args[i+1]
			}
			if !yield(name, value) {
				return
			}
		}
	}
}

// madeOnDemand: the kubelet makes what is not there for these types of hostPath.
func madeOnDemand(pathType string) bool { return strings.HasSuffix(pathType, "OrCreate") }

// readsFile is true for arguments whose value is a file that has to be there. etcd makes the folders that it writes to.
func readsFile(arg string) bool {
	if arg == "data-dir" || arg == "wal-dir" {
		return false
	}
	for _, suffix := range []string{"file", "-config", "kubeconfig", "-dir", "-cert", "-certificate", "-key"} {
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
