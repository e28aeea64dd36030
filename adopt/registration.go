package adopt

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

const (
	// criSocketAnnotation is where kubeadm notes the container runtime (kubeadm constants.go: AnnotationKubeadmCRISocket).
	criSocketAnnotation = "kubeadm.alpha.kubernetes.io/cri-socket"
	controlPlaneTaint   = "node-role.kubernetes.io/control-plane"
)

// providerIDArg makes the kubelet of a future machine say the providerID by which its Machine will find it: CAPMOX puts the
// VM's UUID into cloud-init's metadata (cluster-api-provider-proxmox templates/cluster-template.yaml). Without it a machine
// that was cloned never becomes a Node to Cluster API.
const providerIDArg = "proxmox://'{{ ds.meta_data.instance_id }}'"

// register says how future machines like these register: what all of them have in common.
func (p *planner) register(members []*member, labels map[string]string, taints *[]corev1.Taint) bootstrapv1.NodeRegistrationOptions {
	value := providerIDArg
	out := bootstrapv1.NodeRegistrationOptions{CRISocket: p.criSocket(members), Taints: taints,
		KubeletExtraArgs: []bootstrapv1.Arg{{Name: "provider-id", Value: &value}}}
	if l := labelArg(labels); l != "" {
		out.KubeletExtraArgs = append(out.KubeletExtraArgs, bootstrapv1.Arg{Name: "node-labels", Value: &l})
	}
	return out
}

// criSocket is the one of all members, else that of kubelet-config; empty lets kubeadm find it.
func (p *planner) criSocket(members []*member) string {
	sockets := map[string]bool{}
	for _, m := range members {
		if s := m.node.Annotations[criSocketAnnotation]; s != "" {
			sockets[s] = true
		}
	}
	if len(sockets) == 1 {
		return slices.Collect(maps.Keys(sockets))[0]
	}
	if len(sockets) > 1 {
		return ""
	}
	var kubelet struct {
		ContainerRuntimeEndpoint string `json:"containerRuntimeEndpoint"`
	}
	if err := yaml.Unmarshal([]byte(p.cluster.KubeletConfiguration), &kubelet); err != nil {
		// What cannot be read says nothing; kubeadm then looks for the socket itself.
		return ""
	}
	return kubelet.ContainerRuntimeEndpoint
}

// labelArg is the value of the kubelet's --node-labels.
func labelArg(labels map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if kubeletMaySet(k) {
			out = append(out, k+"="+labels[k])
		}
	}
	return strings.Join(out, ",")
}

// domainOf is the part of a label's key before the slash.
func domainOf(key string) string {
	domain, _, ok := strings.Cut(key, "/")
	if !ok {
		return ""
	}
	return domain
}

func under(domain, parent string) bool {
	return domain == parent || strings.HasSuffix(domain, "."+parent)
}

// kubeletMaySet: the kubelet may set its own Node's labels, but of those of Kubernetes only a few
// (k8s.io/kubernetes pkg/kubelet/apis/well_known_labels.go: IsKubeletLabel).
func kubeletMaySet(key string) bool {
	d := domainOf(key)
	if under(d, "kubelet.kubernetes.io") || under(d, "node.kubernetes.io") {
		return true
	}
	return !under(d, "kubernetes.io") && !under(d, "k8s.io")
}

// machineMaySet: Cluster API copies these labels from a Machine to its Node (cluster-api api/core/v1beta2: NodeRoleLabelPrefix,
// NodeRestrictionLabelDomain, ManagedNodeLabelDomain).
func machineMaySet(key string) bool {
	d := domainOf(key)
	return d == "node-role.kubernetes.io" || under(d, "node-restriction.kubernetes.io") || under(d, "node.cluster.x-k8s.io")
}

// derived are labels that a Node has from what it runs on or from a controller, and that nobody chose for it.
func derived(key string) bool {
	switch d := domainOf(key); {
	case under(d, "beta.kubernetes.io"), under(d, "failure-domain.beta.kubernetes.io"), under(d, "topology.kubernetes.io"),
		under(d, "feature.node.kubernetes.io"), under(d, "sinextra.dev"), under(d, "nvidia.com"), under(d, "amd.com"),
		under(d, "intel.com"), under(d, "csi.k8s.io"), under(d, "plan.upgrade.cattle.io"), under(d, "projectcalico.org"),
		under(d, "cilium.io"):
		return true
	case under(d, "cluster.x-k8s.io"):
		// Cluster API's own come back by themselves, but those that it copies from Machines were chosen.
		return !machineMaySet(key)
	}
	switch key {
	case "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type",
		"node.kubernetes.io/exclude-from-external-load-balancers", controlPlaneTaint, "node-role.kubernetes.io/master":
		return true
	}
	return false
}

// chosenLabels are those of a Node that somebody chose.
func chosenLabels(n *inventory.Node) map[string]string {
	out := map[string]string{}
	for k, v := range n.Labels {
		if !derived(k) {
			out[k] = v
		}
	}
	return out
}

// chosenTaints are those that somebody chose: not what controllers put on a Node that is not ready, under pressure, cordoned
// or being drained.
func chosenTaints(n *inventory.Node) []inventory.Taint {
	var out []inventory.Taint
	for _, t := range n.Taints {
		switch d := domainOf(t.Key); {
		case under(d, "node.kubernetes.io"), under(d, "node.cloudprovider.kubernetes.io"), under(d, "node.cluster.x-k8s.io"),
			t.Key == "ToBeDeletedByClusterAutoscaler", t.Key == "DeletionCandidateOfClusterAutoscaler":
		default:
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b inventory.Taint) int { return strings.Compare(taintText(a), taintText(b)) })
	return out
}

func taintText(t inventory.Taint) string { return t.Key + "=" + t.Value + ":" + t.Effect }

func coreTaints(list []inventory.Taint) []corev1.Taint {
	out := make([]corev1.Taint, 0, len(list))
	for _, t := range list {
		out = append(out, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return out
}

// inCommon are the labels that all members have with the same value.
func inCommon(members []*member) map[string]string {
	if len(members) == 0 {
		return nil
	}
	out := chosenLabels(members[0].node)
	for _, m := range members[1:] {
		for k, v := range out {
			if w, ok := m.node.Labels[k]; !ok || w != v {
				delete(out, k)
			}
		}
	}
	return out
}

// controlPlaneTaints is nil where kubeadm's default is right (all control planes have its taint and nothing else), and else
// what they have in common, which may be none.
func controlPlaneTaints(members []*member) *[]corev1.Taint {
	var common []inventory.Taint
	for i, m := range members {
		own := chosenTaints(m.node)
		if i == 0 {
			common = own
			continue
		}
		common = slices.DeleteFunc(common, func(t inventory.Taint) bool { return !slices.Contains(own, t) })
	}
	if len(common) == 1 && common[0] == (inventory.Taint{Key: controlPlaneTaint, Effect: string(corev1.TaintEffectNoSchedule)}) {
		return nil
	}
	out := coreTaints(common)
	return &out
}
