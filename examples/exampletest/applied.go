package exampletest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/proxaudit/proxaudit/internal/kubesim"
)

// Apply adds rendered manifests to what a simulator serves, as the management cluster has them while the Cluster is paused:
// Cluster API's controllers have put their finalizers on their objects and say that they are paused. The others, the control
// plane's and CAPMOX's, have touched nothing yet: they wait for an owner.
func Apply(t *testing.T, cluster *kubesim.Cluster, manifests []byte, at string) {
	t.Helper()
	for _, o := range Objects(t, manifests) {
		meta, ok := o.Object["metadata"].(map[string]any)
		if !ok {
			t.Fatalf("%s has no metadata", o.GetKind())
		}
		meta["creationTimestamp"], meta["generation"] = at, int64(1)
		if f := finalizer(o.GetKind()); f != "" {
			o.SetFinalizers([]string{f})
			o.Object["status"] = map[string]any{"observedGeneration": int64(1), "conditions": []any{map[string]any{
				"type": "Paused", "status": "True", "reason": "Paused", "lastTransitionTime": at, "observedGeneration": int64(1)}}}
		}
		Add(t, cluster, o)
	}
}

// finalizer is the one that a paused object of Cluster API has; empty for kinds whose controllers wait.
func finalizer(kind string) string {
	return map[string]string{"Cluster": "cluster.cluster.x-k8s.io", "Machine": "machine.cluster.x-k8s.io",
		"MachineSet": "cluster.x-k8s.io/machineset", "MachineDeployment": "cluster.x-k8s.io/machinedeployment"}[kind]
}

// Objects are the objects of YAML documents.
func Objects(t *testing.T, documents []byte) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	dec := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(documents), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := dec.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			out = append(out, o)
		}
	}
}

// Add adds one object to what a simulator serves.
func Add(t *testing.T, cluster *kubesim.Cluster, o *unstructured.Unstructured) {
	t.Helper()
	data, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Add(o.GetKind()+" "+o.GetName(), data); err != nil {
		t.Fatal(err)
	}
}
