package adopt

import (
	"fmt"
	"strings"
)

var ruleSkew = Rule{
	ID: "PXA207", Blocks: true, Destroys: true,
	Title: "Versions of Kubernetes do not fit together",
	Why: "A KubeadmControlPlane has one version. A control plane of another one is replaced at once: a new VM is cloned, and the old one " +
		"leaves etcd and is deleted. A worker of a newer minor version than the control plane's, or one that is more than three older, is refused.",
	Remedy: "Bring all control planes to one version first, as before (kubeadm upgrade), then adopt. kubeadm-config has to name that version as well.",
	check: func(r *Rule, p *planner) []Finding {
		// That there is no control plane at all is another rule's.
		if len(p.controlPlanes()) == 0 {
			return nil
		}
		want := p.versions.Kubernetes
		var out []Finding
		parsed := parseVersion(want)
		if parsed == nil || !strings.HasPrefix(want, "v") {
			return []Finding{r.of(nodeRef(p.controlPlanes()[0].node), fmt.Sprintf("its kubelet says %q, which is no version of Kubernetes", want))}
		}
		for _, m := range p.controlPlanes() {
			if m.version != want {
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("its kubelet is %s, and that of %s is %s", m.version, p.controlPlanes()[0].node.Name, want)))
			}
		}
		out = append(out, p.serverSkew(r, want)...)
		if v := p.kubeadm.version; v != "" && v != want {
			out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("kubeadm-config says %s, and the control planes' kubelets are %s", v, want)))
		}
		for _, m := range p.workers() {
			v := parseVersion(m.version)
			switch {
			case v == nil || !strings.HasPrefix(m.version, "v"):
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("its kubelet says %q, which is no version of Kubernetes", m.version)))
			// A worker of a later patch is fine with Kubernetes and Cluster API (core/reconcilers/machineset:
			// kubernetesVersionPreflightCheck).
			case v.Major() > parsed.Major() || v.Major() == parsed.Major() && v.Minor() > parsed.Minor():
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("its kubelet is %s, newer than the control plane's %s", m.version, want)))
			case v.Major() != parsed.Major() || parsed.Minor()-v.Minor() > 3:
				out = append(out, r.of(nodeRef(m.node), fmt.Sprintf("its kubelet is %s, more than three minor versions older than the control plane's %s", m.version, want)))
			}
		}
		return out
	},
}

// serverSkew compares the API servers with the control plane's version. Each one's own Pod says more than the one that was
// asked, which may be any of several that are being upgraded one by one.
func (p *planner) serverSkew(r *Rule, want string) []Finding {
	var out []Finding
	told := false
	for _, pod := range p.cluster.StaticPods {
		if pod.Component != "kube-apiserver" {
			continue
		}
		image, _, _ := strings.Cut(pod.Image, "@")
		_, tag, ok := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
		if !ok || parseVersion(tag) == nil {
			continue
		}
		told = true
		if tag != want {
			out = append(out, r.of(podRef(p.cluster.Key, pod), fmt.Sprintf("the API server is %s, and the control planes' kubelets are %s", tag, want)))
		}
	}
	if v := p.cluster.Version; !told && v != "" && v != want {
		out = append(out, r.of(clusterRef(p.cluster.Key), fmt.Sprintf("the API server is %s, and the control planes' kubelets are %s", v, want)))
	}
	return out
}
