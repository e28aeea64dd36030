package adopt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kcp "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg/desiredstate"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/proxaudit/proxaudit/inventory/inventorytest"
)

// strict reads a manifest into Cluster API's own type, and fails on a field that it does not have.
func strict[T any](t testing.TB, m manifest) *T {
	t.Helper()
	var out T
	dec := json.NewDecoder(bytes.NewReader(m.json))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		t.Fatalf("%s %s: %v", m.Kind, m.Name, err)
	}
	return &out
}

// checkTypes reads every document of Cluster API strictly. Those of CAPMOX have types of their own here, and the end-to-end
// tests send them to a real API server.
func checkTypes(t testing.TB, list []manifest) {
	t.Helper()
	for _, m := range list {
		switch m.Kind {
		case "Cluster":
			strict[clusterv1.Cluster](t, m)
		case "Machine":
			strict[clusterv1.Machine](t, m)
		case "MachineSet":
			strict[clusterv1.MachineSet](t, m)
		case "MachineDeployment":
			strict[clusterv1.MachineDeployment](t, m)
		case "KubeadmConfig":
			strict[bootstrapv1.KubeadmConfig](t, m)
		case "KubeadmConfigTemplate":
			strict[bootstrapv1.KubeadmConfigTemplate](t, m)
		case "KubeadmControlPlane":
			strict[controlplanev1.KubeadmControlPlane](t, m)
		case "Secret":
			strict[corev1.Secret](t, m)
		case "ProxmoxCluster", "ProxmoxMachine", "ProxmoxMachineTemplate":
		default:
			t.Errorf("%s %s is of a kind that nobody expects", m.Kind, m.Name)
		}
	}
}

// checkDesired: each KubeadmConfig is what the control-plane controller computes from the KubeadmControlPlane, and by its own
// comparison no Machine would be replaced.
func checkDesired(t testing.TB, list []manifest) {
	t.Helper()
	cluster := strict[clusterv1.Cluster](t, ofKind(list, "Cluster")[0])
	plane := strict[controlplanev1.KubeadmControlPlane](t, ofKind(list, "KubeadmControlPlane")[0])
	compared := 0
	for _, m := range ofKind(list, "KubeadmConfig") {
		config := strict[bootstrapv1.KubeadmConfig](t, m)
		want, err := desiredstate.ComputeDesiredKubeadmConfig(plane, cluster, true, config.Name, config)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(config.Spec, want.Spec) {
			t.Errorf("KubeadmConfig %s is not what the controller computes:\n%+v\n%+v", m.Name, config.Spec, want.Spec)
		}
		up, result := upToDate(t, cluster, plane, config, list)
		if !up {
			t.Errorf("Machine %s would be replaced: %v", m.Name, result)
		}
		compared++
	}
	if compared == 0 || int32(compared) != *plane.Spec.Replicas {
		t.Errorf("%d KubeadmConfigs were compared for %d replicas", compared, *plane.Spec.Replicas)
	}
}

func upToDate(t testing.TB, cluster *clusterv1.Cluster, plane *controlplanev1.KubeadmControlPlane, config *bootstrapv1.KubeadmConfig, list []manifest) (bool, []string) {
	t.Helper()
	infra := map[string]*unstructured.Unstructured{}
	var machine *clusterv1.Machine
	for _, m := range list {
		if m.Name != config.Name {
			continue
		}
		switch m.Kind {
		case "Machine":
			machine = strict[clusterv1.Machine](t, m)
		case "ProxmoxMachine":
			infra[m.Name] = &unstructured.Unstructured{Object: m.body}
		}
	}
	if machine == nil {
		t.Fatalf("no Machine %s", config.Name)
	}
	now := metav1.NewTime(inventorytest.Now)
	up, result, err := kcp.UpToDate(context.Background(), templates{}, cluster, machine, plane, &now, infra, map[string]*bootstrapv1.KubeadmConfig{config.Name: config})
	if err != nil {
		t.Fatal(err)
	}
	if up {
		return true, nil
	}
	return false, result.LogMessages
}

// templates is the client that the comparison asks for a definition's labels and for the template.
type templates struct{ client.Client }

func (templates) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch o := into.(type) {
	case *metav1.PartialObjectMetadata:
		o.SetLabels(map[string]string{"cluster.x-k8s.io/v1beta2": "v1alpha2"})
	case *unstructured.Unstructured:
		o.Object = map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1alpha2", "kind": "ProxmoxMachineTemplate",
			"metadata": map[string]any{"name": key.Name, "namespace": key.Namespace}, "spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}
	default:
		return fmt.Errorf("%T was asked for", into)
	}
	return nil
}

// TestComparisonSees: the comparison of checkDesired would see a difference.
func TestComparisonSees(t *testing.T) {
	s, o := spoiled(same)
	list := manifests(t, ready(t, plan(t, s, o)))
	cluster := strict[clusterv1.Cluster](t, ofKind(list, "Cluster")[0])
	config := strict[bootstrapv1.KubeadmConfig](t, ofKind(list, "KubeadmConfig")[0])
	for name, spoil := range map[string]func(*controlplanev1.KubeadmControlPlane){
		"a SAN": func(p *controlplanev1.KubeadmControlPlane) {
			p.Spec.KubeadmConfigSpec.ClusterConfiguration.APIServer.CertSANs = nil
		},
		"a socket": func(p *controlplanev1.KubeadmControlPlane) {
			p.Spec.KubeadmConfigSpec.JoinConfiguration.NodeRegistration.CRISocket = "x"
		},
		"a patch": func(p *controlplanev1.KubeadmControlPlane) { p.Spec.Version = "v1.33.5" },
	} {
		plane := strict[controlplanev1.KubeadmControlPlane](t, ofKind(list, "KubeadmControlPlane")[0])
		spoil(plane)
		if up, _ := upToDate(t, cluster, plane, config, list); up {
			t.Errorf("%s differs, and the comparison does not see it", name)
		}
	}
}
