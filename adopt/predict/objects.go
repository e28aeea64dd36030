package predict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kjson "sigs.k8s.io/json"

	"github.com/proxaudit/proxaudit/inventory"
)

// kind is what the predictions read: where it is served, and in which version its controller stores it.
type kind struct {
	group, kind, version string
	// scope is its coverage entry.
	scope string
}

var (
	kindCluster           = kind{inventory.GroupCluster, "Cluster", "v1beta2", inventory.ScopeClusters}
	kindMachine           = kind{inventory.GroupCluster, "Machine", "v1beta2", inventory.ScopeMachines}
	kindMachineSet        = kind{inventory.GroupCluster, "MachineSet", "v1beta2", "machinesets.cluster.x-k8s.io"}
	kindMachineDeployment = kind{inventory.GroupCluster, "MachineDeployment", "v1beta2", "machinedeployments.cluster.x-k8s.io"}
	kindHealthCheck       = kind{inventory.GroupCluster, "MachineHealthCheck", "v1beta2", "machinehealthchecks.cluster.x-k8s.io"}
	kindControlPlane      = kind{inventory.GroupControlPlane, "KubeadmControlPlane", "v1beta2", "kubeadmcontrolplanes.controlplane.cluster.x-k8s.io"}
	kindConfig            = kind{inventory.GroupBootstrap, "KubeadmConfig", "v1beta2", "kubeadmconfigs.bootstrap.cluster.x-k8s.io"}
	kindConfigTemplate    = kind{inventory.GroupBootstrap, "KubeadmConfigTemplate", "v1beta2", "kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io"}
	kindProxmoxCluster    = kind{inventory.GroupInfrastructure, "ProxmoxCluster", "v1alpha2", "proxmoxclusters.infrastructure.cluster.x-k8s.io"}
	kindProxmoxMachine    = kind{inventory.GroupInfrastructure, "ProxmoxMachine", "v1alpha2", inventory.ScopeProxmoxMachines}
	kindProxmoxTemplate   = kind{inventory.GroupInfrastructure, "ProxmoxMachineTemplate", "v1alpha2", "proxmoxmachinetemplates.infrastructure.cluster.x-k8s.io"}
)

// object is one API object of the management cluster in its controller's own type.
type object[T any] struct {
	ref inventory.Ref
	raw map[string]any
	// value may be used only if problem is empty: nothing is concluded from an object that was read in part.
	value   T
	problem string

	// labelled is what labels found, for it is asked for many times.
	labelled map[string]string
	read     bool
}

type (
	clusterObject    = object[clusterv1.Cluster]
	machineObject    = object[clusterv1.Machine]
	setObject        = object[clusterv1.MachineSet]
	deploymentObject = object[clusterv1.MachineDeployment]
	checkObject      = object[clusterv1.MachineHealthCheck]
	planeValue       = controlplanev1.KubeadmControlPlane
	planeObject      = object[planeValue]
	configValue      = bootstrapv1.KubeadmConfig
	configObject     = object[configValue]
	infraObject      = object[proxmoxCluster]
	vmObject         = object[proxmoxMachine]
)

// objectsOf decodes the objects of a kind in a namespace, by name.
func objectsOf[T any](s *inventory.Snapshot, k kind, namespace string) []*object[T] {
	var out []*object[T]
	for i := range s.Objects {
		o := &s.Objects[i]
		group, version, _ := strings.Cut(o.APIVersion, "/")
		if o.Cluster != "" || o.Kind != k.kind || group != k.group || o.Namespace != namespace {
			continue
		}
		t := &object[T]{ref: inventory.Ref{Group: k.group, Kind: k.kind, Namespace: o.Namespace, Name: o.Name,
			UID: text(o.Content, "metadata", "uid")}, raw: o.Content}
		if version != k.version {
			t.problem = fmt.Sprintf("it is served as %s; the controllers' decisions are known for %s/%s only", o.APIVersion, k.group, k.version)
		} else if err := decode(o.Content, &t.value); err != nil {
			t.problem = fmt.Sprintf("it is not of the form of %s: %v", o.APIVersion, err)
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *object[T]) int { return cmp.Compare(a.ref.Name, b.ref.Name) })
	return out
}

// decode is strict for Cluster API's own types: a field that they do not have may be one that decides. Of CAPMOX's objects
// only what its decisions read has a type here (see proxmoxMachine), so that more fields are no fault.
func decode(content map[string]any, into any) error {
	if len(content) == 0 {
		return fmt.Errorf("its content was not kept")
	}
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	switch into.(type) {
	case *proxmoxCluster, *proxmoxMachine:
		return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
	}
	unknown, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		return unknown[0]
	}
	return nil
}

// text is a string in an object, empty if there is none.
func text(content map[string]any, path ...string) string {
	v, _, err := unstructured.NestedString(content, path...)
	if err != nil {
		return ""
	}
	return v
}

// clusterOf is the name of the Cluster that an object says it belongs to; read from what was served, for an object that
// cannot be decoded belongs to one as well.
func (o *object[T]) clusterOf() string {
	return cmp.Or(text(o.raw, "spec", "clusterName"), o.labels()[clusterv1.ClusterNameLabel])
}

// labels are for reading only.
func (o *object[T]) labels() map[string]string {
	if o.read {
		return o.labelled
	}
	o.read = true
	if labels, _, err := unstructured.NestedStringMap(o.raw, "metadata", "labels"); err == nil {
		o.labelled = labels
	}
	return o.labelled
}

// find returns the object of a name, or nil.
func find[T any](list []*object[T], name string) *object[T] {
	for _, o := range list {
		if o.ref.Name == name {
			return o
		}
	}
	return nil
}

// unreadable is the verdict on an object that cannot be decoded.
func (o *object[T]) unreadable() verdict {
	return unseen(nil, o.problem)
}

// jsonValue is a copy of an object as JSON gives it: numbers are int64 or float64, which deep copies need.
func jsonValue(content map[string]any) map[string]any {
	out := map[string]any{}
	data, err := json.Marshal(content)
	if err != nil || kjson.UnmarshalCaseSensitivePreserveInts(data, &out) != nil {
		return map[string]any{}
	}
	return out
}
