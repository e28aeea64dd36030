package adopt

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
)

// capiCluster is paused by its field alone: an annotation would keep it paused when the field is taken back.
func (p *planner) capiCluster() *clusterv1.Cluster {
	yes := true
	out := &clusterv1.Cluster{TypeMeta: typeMeta(capiVersion, "Cluster"), ObjectMeta: p.meta(p.name, nil)}
	out.Annotations[BlockMove] = ""
	out.Spec = clusterv1.ClusterSpec{
		Paused:               &yes,
		ControlPlaneEndpoint: clusterv1.APIEndpoint{Host: p.endpoint.host, Port: p.endpoint.port},
		ClusterNetwork: clusterv1.ClusterNetwork{ServiceDomain: p.kubeadm.dnsDomain,
			Pods:     clusterv1.NetworkRanges{CIDRBlocks: p.kubeadm.podSubnets},
			Services: clusterv1.NetworkRanges{CIDRBlocks: p.kubeadm.serviceSubnets}},
		ControlPlaneRef:   ref(inventory.GroupControlPlane, "KubeadmControlPlane", p.controlPlaneName()),
		InfrastructureRef: ref(inventory.GroupInfrastructure, "ProxmoxCluster", p.name),
	}
	return out
}

func (p *planner) controlPlaneName() string { return fit(p.name + "-control-plane") }

// machine names its bootstrap data in any case: CAPMOX and the bootstrap controller wait for a Machine that does not, and the
// latter would make join data for it. It has no owner: the controllers take over what has none.
func (p *planner) machine(m *member) *clusterv1.Machine {
	name := m.name()
	labels := m.roleLabels()
	if m.group != nil {
		labels = m.group.machineLabels(p.name)
	}
	out := &clusterv1.Machine{TypeMeta: typeMeta(capiVersion, "Machine"), ObjectMeta: p.meta(name, labels, paused)}
	out.Annotations[clusterv1.MachineSkipRemediationAnnotation] = ""
	out.Annotations[HookPreDrain], out.Annotations[HookPreTerminate] = "", ""
	addProvenance(out.Annotations, m)
	if m.group != nil {
		out.Annotations[AnnotationGroup] = m.group.name
	}
	out.Spec = clusterv1.MachineSpec{ClusterName: p.name, Version: m.version, ProviderID: m.providerID(),
		Bootstrap:         clusterv1.Bootstrap{DataSecretName: &name},
		InfrastructureRef: ref(inventory.GroupInfrastructure, "ProxmoxMachine", name)}
	if m.node.ControlPlane {
		out.Spec.Bootstrap.ConfigRef = ref(inventory.GroupBootstrap, "KubeadmConfig", name)
	}
	return out
}

// bootstrapSecret is empty on purpose. CAPMOX reads the key "value" before it writes a bootstrap ISO into a VM, and fails
// without one: nothing can be injected into a machine that runs.
func (p *planner) bootstrapSecret(m *member) *corev1.Secret {
	return &corev1.Secret{TypeMeta: typeMeta("v1", "Secret"), ObjectMeta: p.meta(m.name(), m.roleLabels()), Type: clusterv1.ClusterSecretType}
}

// setName is the MachineSet of a MachineDeployment. It is made before the MachineDeployment, so that this finds it and makes
// no other.
func (g *group) setName() string { return setNameOf(g.name) }

func setNameOf(deployment string) string { return deployment + "-" + adoptedHash }

// selector ties the MachineDeployment to its MachineSet and Machines.
func (g *group) selector(cluster string) map[string]string {
	return map[string]string{clusterv1.ClusterNameLabel: cluster, deploymentLabel: g.name}
}

func (g *group) setSelector(cluster string) map[string]string {
	out := g.selector(cluster)
	out[hashLabel] = adoptedHash
	return out
}

// nodeLabels are what the Machines of the group give their Nodes.
func (g *group) nodeLabels() map[string]string {
	out := maps.Clone(g.labels)
	maps.DeleteFunc(out, func(k, _ string) bool { return !machineMaySet(k) })
	return out
}

func (g *group) machineLabels(cluster string) map[string]string {
	out := g.nodeLabels()
	maps.Copy(out, g.setSelector(cluster))
	out[setLabel] = g.setName()
	return out
}

func (p *planner) machineTemplate(g *group, labels map[string]string) clusterv1.MachineTemplateSpec {
	all := g.nodeLabels()
	maps.Copy(all, labels)
	return clusterv1.MachineTemplateSpec{ObjectMeta: clusterv1.ObjectMeta{Labels: all},
		Spec: clusterv1.MachineSpec{ClusterName: p.name, Version: g.version,
			Bootstrap:         clusterv1.Bootstrap{ConfigRef: ref(inventory.GroupBootstrap, "KubeadmConfigTemplate", g.name)},
			InfrastructureRef: ref(inventory.GroupInfrastructure, "ProxmoxMachineTemplate", g.name)}}
}

func (p *planner) machineSet(g *group) *clusterv1.MachineSet {
	selector := g.setSelector(p.name)
	out := &clusterv1.MachineSet{TypeMeta: typeMeta(capiVersion, "MachineSet"), ObjectMeta: p.meta(g.setName(), selector, paused)}
	out.Spec = clusterv1.MachineSetSpec{ClusterName: p.name, Replicas: g.replicas(),
		Selector: metav1.LabelSelector{MatchLabels: selector}, Template: p.machineTemplate(g, selector)}
	return out
}

// machineDeployment replaces nothing by itself: OnDelete leaves every Machine until somebody deletes it.
func (p *planner) machineDeployment(g *group) *clusterv1.MachineDeployment {
	selector := g.selector(p.name)
	out := &clusterv1.MachineDeployment{TypeMeta: typeMeta(capiVersion, "MachineDeployment"), ObjectMeta: p.meta(g.name, selector, paused)}
	out.Spec = clusterv1.MachineDeploymentSpec{ClusterName: p.name, Replicas: g.replicas(),
		Rollout:  clusterv1.MachineDeploymentRolloutSpec{Strategy: clusterv1.MachineDeploymentRolloutStrategy{Type: clusterv1.OnDeleteMachineDeploymentStrategyType}},
		Selector: metav1.LabelSelector{MatchLabels: selector}, Template: p.machineTemplate(g, selector)}
	return out
}

func (g *group) replicas() *int32 {
	n := int32(len(g.members)) //nolint:gosec // no cluster has that many
	return &n
}
