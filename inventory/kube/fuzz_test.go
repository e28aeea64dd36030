package kube

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/proxaudit/proxaudit/inventory"
)

// FuzzNormalise: whatever an object looks like, it is used or reported, never both and never a crash; what is used
// goes into JSON; and no text that stands in a secret's place survives.
func FuzzNormalise(f *testing.F) {
	for _, path := range []string{"testdata/v1beta1/objects.yaml", "testdata/v1beta2/objects.yaml", "testdata/common/objects.yaml", "testdata/workload/objects.yaml"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, doc := range strings.Split(string(data)+secrets, "\n---\n") {
			if j, err := utilyaml.ToJSON([]byte(doc)); err == nil {
				f.Add(j)
			}
		}
	}
	clean, err := newSanitizer([]byte("fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	c := &Client{clean: clean}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, k := range append(append([]kind{kindNode, kindDeployment}, kinds...), kindTalosControlPlane) {
			o, err := c.parse(k, k.versions[0], raw)
			if err != nil {
				continue
			}
			if o.name == "" {
				t.Fatal("an object without a name")
			}
			if _, err := json.Marshal(o.asServed()); err != nil {
				t.Fatalf("what was served does not go back into JSON: %v", err)
			}
			keys := clusterKeys{}
			var normalised any
			switch k.scope() {
			case kindCluster.scope():
				normalised, err = declaredCluster(o)
			case kindProxmoxCluster.scope():
				normalised, err = proxmoxCluster(o)
			case kindMachine.scope():
				normalised, err = machine(o, keys)
			case kindProxmoxMachine.scope():
				var pm inventory.ProxmoxMachine
				pm, err = proxmoxMachine(o, keys)
				if err == nil && pm.VMID != nil && !inventory.ValidVMID(*pm.VMID) {
					t.Fatalf("VMID %d", *pm.VMID)
				}
				normalised = pm
			case kindNode.scope():
				normalised, err = node(o, "k")
			case kindDeployment.scope():
				normalised, err = provider(o)
			default:
				normalised, err = group(o, keys)
			}
			if err != nil {
				if !strings.Contains(err.Error(), oneLine(o.name)) && len(o.name) < 50 && !strings.ContainsAny(o.name, "\r\n\t \u0085\u00a0") {
					t.Fatalf("%q does not name %q", err, o.name)
				}
				continue
			}
			if _, err := json.Marshal(normalised); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzKubeadmConfig: free text in a ConfigMap.
func FuzzKubeadmConfig(f *testing.F) {
	f.Add("kubernetesVersion: v1.33.4\nnetworking: {podSubnet: 10.0.0.0/8}\n")
	f.Add("apiServer: {extraEnvs: [{name: a, value: b}]}")
	f.Add("a: [")
	clean, err := newSanitizer([]byte("fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(map[string]any{"data": map[string]string{"ClusterConfiguration": text}})
		if err != nil {
			t.Fatal(err)
		}
		k, err := clean.kubeadmConfig(raw)
		if (k == nil) == (err == nil) {
			t.Fatalf("%v, %v", k, err)
		}
	})
}
