package adopt

import (
	"fmt"
	"slices"
	"strings"

	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
)

var ruleArguments = Rule{
	ID:    "PXA243",
	Title: "A static Pod runs with other arguments than kubeadm-config says",
	Why: "Somebody changed the manifest on disk and not the ConfigMap. The adopted machine keeps what it runs with; a control plane that is made " +
		"later gets what kubeadm-config says.",
	Remedy: "Bring kubeadm-config in line (kubeadm init phase upload-config kubeadm --config FILE), or put the argument into the KubeadmControlPlane and every KubeadmConfig, both the same, before anything is unpaused.",
	check: func(r *Rule, p *planner) []Finding {
		c := &p.kubeadm.config
		var out []Finding
		extra := map[string][]bootstrapv1.Arg{"kube-apiserver": c.APIServer.ExtraArgs, "kube-controller-manager": c.ControllerManager.ExtraArgs,
			"kube-scheduler": c.Scheduler.ExtraArgs, "etcd": c.Etcd.Local.ExtraArgs}
		for _, pod := range p.cluster.StaticPods {
			args, ok := extra[pod.Component]
			if !ok || len(pod.Args) == 0 {
				continue
			}
			if d := differing(pod, args); len(d) > 0 {
				out = append(out, r.of(podRef(p.cluster.Key, pod), d...))
			}
		}
		return out
	},
}

// differing are the extra arguments that a Pod does not run with. What it has beyond them may be kubeadm's own.
func differing(pod inventory.StaticPod, extra []bootstrapv1.Arg) []string {
	var out []string
	for _, a := range extra {
		value := ""
		if a.Value != nil {
			value = *a.Value
		}
		want := "--" + a.Name + "=" + value
		if slices.Contains(pod.Args, want) {
			continue
		}
		has := "has no --" + a.Name
		for _, arg := range pod.Args {
			if strings.HasPrefix(arg, "--"+a.Name+"=") {
				has = "has " + arg
			}
		}
		out = append(out, fmt.Sprintf("kubeadm-config says %s, and the Pod %s", want, has))
	}
	return out
}
