package adopt

import (
	"maps"

	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
)

// controlPlaneSpec is what the KubeadmControlPlane says of its machines; kubeadmConfigSpec is the same as the controller
// computes it for each of them.
func (p *planner) controlPlaneSpec() bootstrapv1.KubeadmConfigSpec {
	members := p.controlPlanes()
	labels := inCommon(members)
	maps.DeleteFunc(labels, func(k, _ string) bool { return machineMaySet(k) })
	spec := bootstrapv1.KubeadmConfigSpec{ClusterConfiguration: p.kubeadm.config}
	spec.JoinConfiguration.NodeRegistration = p.register(members, labels, controlPlaneTaints(members))
	if localMode(p.versions.Kubernetes) {
		gates := maps.Clone(spec.ClusterConfiguration.FeatureGates)
		if gates == nil {
			gates = map[string]bool{}
		}
		if _, ok := gates["ControlPlaneKubeletLocalMode"]; !ok {
			gates["ControlPlaneKubeletLocalMode"] = true
		}
		spec.ClusterConfiguration.FeatureGates = gates
	}
	return spec
}

// kubeadmConfig is equal to what the control-plane controller computes: its spec without initConfiguration, and with
// joinConfiguration.controlPlane (cluster-api controlplane/kubeadm/pkg/desiredstate: ComputeDesiredKubeadmConfig).
func (p *planner) kubeadmConfig(m *member) *bootstrapv1.KubeadmConfig {
	out := &bootstrapv1.KubeadmConfig{TypeMeta: typeMeta(bootstrapVersion, "KubeadmConfig"),
		ObjectMeta: p.meta(m.name(), m.roleLabels(), paused)}
	out.Spec = p.controlPlaneSpec()
	out.Spec.JoinConfiguration.ControlPlane = &bootstrapv1.JoinControlPlane{}
	return out
}

// kubeadmControlPlane carries the annotations that keep its controller from rewriting kube-proxy and CoreDNS of the cluster
// (cluster-api api/controlplane/kubeadm/v1beta2: SkipKubeProxyAnnotation, SkipCoreDNSAnnotation).
func (p *planner) kubeadmControlPlane() *controlplanev1.KubeadmControlPlane {
	members := p.controlPlanes()
	n := int32(len(members)) //nolint:gosec // a handful
	out := &controlplanev1.KubeadmControlPlane{TypeMeta: typeMeta(controlPlaneVersion, "KubeadmControlPlane"),
		ObjectMeta: p.meta(p.controlPlaneName(), nil, paused)}
	out.Annotations[controlplanev1.SkipKubeProxyAnnotation] = ""
	out.Annotations[controlplanev1.SkipCoreDNSAnnotation] = ""
	out.Spec = controlplanev1.KubeadmControlPlaneSpec{Replicas: &n, Version: p.versions.Kubernetes, KubeadmConfigSpec: p.controlPlaneSpec()}
	out.Spec.MachineTemplate.Spec.InfrastructureRef = ref(inventory.GroupInfrastructure, "ProxmoxMachineTemplate", p.controlPlaneName())
	if labels := p.controlPlaneLabels(); len(labels) > 0 {
		out.Spec.MachineTemplate.ObjectMeta = clusterv1.ObjectMeta{Labels: labels}
	}
	return out
}

// controlPlaneLabels are those that control-plane Machines give their Nodes.
func (p *planner) controlPlaneLabels() map[string]string {
	out := inCommon(p.controlPlanes())
	maps.DeleteFunc(out, func(k, _ string) bool { return !machineMaySet(k) })
	return out
}

func (p *planner) kubeadmConfigTemplate(g *group) *bootstrapv1.KubeadmConfigTemplate {
	out := &bootstrapv1.KubeadmConfigTemplate{TypeMeta: typeMeta(bootstrapVersion, "KubeadmConfigTemplate"), ObjectMeta: p.meta(g.name, nil)}
	labels := maps.Clone(g.labels)
	maps.DeleteFunc(labels, func(k, _ string) bool { return machineMaySet(k) })
	node := p.register(g.members, labels, nil)
	if len(g.taints) > 0 {
		taints := coreTaints(g.taints)
		node.Taints = &taints
	}
	out.Spec.Template.Spec.JoinConfiguration.NodeRegistration = node
	return out
}
