package predict

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kcp "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/proxaudit/proxaudit/adopt"
	"github.com/proxaudit/proxaudit/inventory"
)

// judgeUpToDate asks the control-plane controller's own comparison whether it would replace a Machine
// (cluster-api controlplane/kubeadm/pkg/filters.go: UpToDate, public since 1.14). Values that the Snapshot keeps as keyed
// hashes are equal where they were equal, so that the comparison holds for them too.
func (w *world) judgeUpToDate(plane *planeObject, m *machineObject) verdict {
	config, needs := w.config(m)
	switch {
	case m.problem != "":
		return m.unreadable()
	case len(needs) > 0:
		return unseen(needs, "its KubeadmConfig was not seen")
	case config != nil && config.problem != "":
		return config.unreadable()
	}
	configs := map[string]*bootstrapv1.KubeadmConfig{}
	if config != nil {
		configs[m.ref.Name] = &config.value
	}
	infra := map[string]*unstructured.Unstructured{}
	if pm := find(w.proxmoxMachines, m.value.Spec.InfrastructureRef.Name); pm != nil {
		infra[m.ref.Name] = &unstructured.Unstructured{Object: jsonValue(pm.raw)}
	} else if needs := w.lacksKind(kindProxmoxMachine); len(needs) > 0 {
		return unseen(needs, "its ProxmoxMachine was not seen")
	}
	reader := &snapshotReader{w: w}
	now := metav1.NewTime(w.s.CollectedAt)
	upToDate, result, err := kcp.UpToDate(context.Background(), reader, &w.self.value, &m.value, &plane.value, &now, infra, configs)
	switch {
	case len(reader.needs) > 0:
		return unseen(reader.needs, fmt.Sprintf("the comparison with the control plane needs what was not seen: %v", err))
	case err != nil:
		return isf(adopt.Refuses, "the controller cannot compare it with the control plane: %v", err)
	case !upToDate:
		return is(adopt.RollsOut, result.LogMessages...)
	}
	// What the comparison does not hold against it yet.
	rollout := plane.value.Spec.Rollout
	if after := rollout.After; !after.IsZero() && after.After(now.Time) && m.value.CreationTimestamp.Before(&after) {
		return isf(adopt.RollsOut, "spec.rollout.after asks for new Machines from %s on", after.UTC().Format(time.RFC3339))
	}
	if days := rollout.Before.CertificatesExpiryDays; days != 0 && m.value.Status.CertificatesExpiryDate.IsZero() {
		return isf(adopt.CannotTell, "spec.rollout.before asks for a new Machine %d days before the certificates expire, and when that is nobody has read yet: the controller does once it is unpaused", days)
	}
	return is(adopt.Adopts, "the controller's own comparison finds no difference")
}

// snapshotReader is a client that reads the Snapshot, as far as the comparison asks: the metadata of a CRD and a template.
// Everything else is nil, and panics in a test.
type snapshotReader struct {
	client.Client
	w     *world
	needs []inventory.Need
}

var errNotSeen = errors.New("not in the Snapshot")

func (r *snapshotReader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch o := into.(type) {
	case *metav1.PartialObjectMetadata:
		return r.crd(key.Name, o)
	case *unstructured.Unstructured:
		return r.template(key, o)
	default:
		return fmt.Errorf("%T %s: %w", into, key, errNotSeen)
	}
}

// crd gives a definition the labels by which Cluster API finds the version that fulfils its contract
// (cluster-api internal/contract/version.go).
func (r *snapshotReader) crd(name string, into *metav1.PartialObjectMetadata) error {
	need := inventory.Need{Source: inventory.ManagementSource, Scope: inventory.ScopeCRDs}
	if r.w.s.Management != nil {
		for _, c := range r.w.s.Management.CRDs {
			if c.Name != name {
				continue
			}
			labels := map[string]string{}
			for contract, versions := range c.Contracts {
				labels[clusterv1.GroupVersion.Group+"/"+contract] = versions
			}
			into.SetLabels(labels)
			return nil
		}
	}
	if needs := r.w.lacks(need); len(needs) > 0 {
		r.needs = append(r.needs, needs...)
		return fmt.Errorf("the definition %s: %w", name, errNotSeen)
	}
	return apierrors.NewNotFound(schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}, name)
}

func (r *snapshotReader) template(key client.ObjectKey, into *unstructured.Unstructured) error {
	gvk := into.GroupVersionKind()
	for i := range r.w.s.Objects {
		o := &r.w.s.Objects[i]
		group, _, _ := strings.Cut(o.APIVersion, "/")
		if o.Cluster == "" && o.Kind == gvk.Kind && group == gvk.Group && o.Namespace == key.Namespace && o.Name == key.Name {
			into.Object = jsonValue(o.Content)
			return nil
		}
	}
	_, needs := r.w.hasTemplate(clusterv1.ContractVersionedObjectReference{APIGroup: gvk.Group, Kind: gvk.Kind, Name: key.Name})
	if len(needs) > 0 {
		r.needs = append(r.needs, needs...)
		return fmt.Errorf("the %s %s: %w", gvk.Kind, key.Name, errNotSeen)
	}
	return apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: strings.ToLower(gvk.Kind)}, key.Name)
}
