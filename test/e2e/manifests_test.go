package e2e

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/proxaudit/proxaudit/test/realkube"
)

// TestServedAsWritten: what the API servers serve is what the manifests say, defaults and all. The simulated API
// serves the files as they are, so a default that a file leaves out would be a difference between the two that is
// the fixture's fault and not the simulator's.
func TestServedAsWritten(t *testing.T) {
	bench := fleet(t)
	for _, name := range []string{management, prod, lab} {
		written, err := realkube.Load(fleetDir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, want := range written {
			// Objects without a UID are there for the server's sake (Namespaces, RBAC) and not compared.
			if want.GetUID() == "" {
				continue
			}
			got, err := bench.Server(name).Get(t.Context(), want)
			if err != nil {
				t.Error(err)
				continue
			}
			compared++
			if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
				t.Errorf("%s: %s %s/%s differs (-written +served):\n%s", name, want.GetKind(), want.GetNamespace(), want.GetName(), diff)
			}
		}
		if compared == 0 {
			t.Errorf("%s: nothing was compared", name)
		}
	}
}

// plain drops what no manifest can know, and brings both sides to the types of JSON.
func plain(t *testing.T, object *unstructured.Unstructured) map[string]any {
	t.Helper()
	object = object.DeepCopy()
	object.SetManagedFields(nil)
	object.SetResourceVersion("")
	data, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
