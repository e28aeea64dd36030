package adopt

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/proxaudit/proxaudit/inventory"
)

const (
	capiVersion         = inventory.GroupCluster + "/v1beta2"
	bootstrapVersion    = inventory.GroupBootstrap + "/v1beta2"
	controlPlaneVersion = inventory.GroupControlPlane + "/v1beta2"
)

// The delete hooks: the Machine controller neither drains a Machine nor deletes its infrastructure while it has them
// (cluster-api api/core/v1beta2: PreDrainDeleteHookAnnotationPrefix, PreTerminateDeleteHookAnnotationPrefix).
const (
	HookPreDrain     = clusterv1.PreDrainDeleteHookAnnotationPrefix + "/" + renderedBy
	HookPreTerminate = clusterv1.PreTerminateDeleteHookAnnotationPrefix + "/" + renderedBy
	// BlockMove makes clusterctl move wait (cluster-api cmd/clusterctl/api/v1alpha3: BlockMoveAnnotation).
	BlockMove = "clusterctl.cluster.x-k8s.io/block-move"
)

// deploymentLabel, setLabel and hashLabel tie a Machine to its MachineSet and MachineDeployment (cluster-api
// api/core/v1beta2). The hash is no hash to Cluster API since 1.4: it only has to be there and to be the MachineSet's own.
const (
	deploymentLabel = clusterv1.MachineDeploymentNameLabel
	setLabel        = clusterv1.MachineSetNameLabel
	hashLabel       = clusterv1.MachineDeploymentUniqueLabel
	adoptedHash     = "adopted"
)

func typeMeta(apiVersion, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
}

// mark changes the metadata of a manifest.
type mark func(*metav1.ObjectMeta)

func paused(m *metav1.ObjectMeta) { m.Annotations[clusterv1.PausedAnnotation] = "" }

// meta is the metadata that all objects have: the cluster's label (CAPMOX writes into a map of labels that has to be there)
// and the provenance.
func (p *planner) meta(name string, labels map[string]string, marks ...mark) metav1.ObjectMeta {
	out := metav1.ObjectMeta{Name: name, Namespace: p.namespace, Labels: maps.Clone(labels),
		Annotations: map[string]string{AnnotationRendered: renderedBy}}
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	out.Labels[clusterv1.ClusterNameLabel] = p.name
	for _, m := range marks {
		m(&out)
	}
	return out
}

// addProvenance says which machine an object stands for.
func addProvenance(annotations map[string]string, m *member) {
	annotations[AnnotationVM] = m.vm.Key().String()
	annotations[AnnotationUUID] = m.vm.UUID()
	annotations[AnnotationNode] = m.node.Name
}

// roleLabels are those of a control plane; a worker has none.
func (m *member) roleLabels() map[string]string {
	if m.node.ControlPlane {
		return map[string]string{clusterv1.MachineControlPlaneLabel: ""}
	}
	return nil
}

func ref(group, kind, name string) clusterv1.ContractVersionedObjectReference {
	return clusterv1.ContractVersionedObjectReference{APIGroup: group, Kind: kind, Name: name}
}
