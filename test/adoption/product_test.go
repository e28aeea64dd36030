package adoption

import (
	"path/filepath"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/proxaudit/proxaudit/test/realkube"
	"github.com/proxaudit/proxaudit/test/world"
)

// product builds proxaudit from the tree, once.
var product = sync.OnceValues(func() (string, error) { return world.Build(scratch) })

// Proxaudit runs the program, a command first, with the World's configuration and an empty environment. Whatever it
// prints is searched for secrets.
func (w *World) Proxaudit(t *testing.T, args ...string) world.Outcome {
	t.Helper()
	binary, err := product()
	if err != nil {
		t.Fatal(err)
	}
	return world.Run(t, binary, w.Dir, w.Config, w.confidential, args...)
}

// writeConfig writes the proxaudit.yaml of whoever runs this cluster. proxaudit may do what examples/rbac grants and no
// more.
func (w *World) writeConfig(t *testing.T) {
	t.Helper()
	const roles = "../../examples/rbac"
	w.Kubectl(t, "apply", "-f", roles+"/management.yaml", "-f", roles+"/workload.yaml")
	w.WorkloadKubectl(t, "apply", "-f", roles+"/workload.yaml")
	management, workload := w.reader("management"), w.reader(prod)
	for path, server := range map[string]*realkube.Server{management: w.Management, workload: w.Workload} {
		if err := server.Kubeconfig(path, "proxaudit-reader", "proxaudit"); err != nil {
			t.Fatal(err)
		}
	}
	w.confidential = []string{w.PVE.Secret(auditToken), w.PVE.Secret(capmoxToken), "PRIVATE KEY"}
	type m = map[string]any
	data, err := yaml.Marshal(m{
		"sites": []m{{
			"name": "dc1", "url": w.PVE.URL, "tokenID": auditToken, "secret": w.PVE.Secret(auditToken), "fingerprint": w.PVE.Fingerprint(),
		}},
		"management": m{"name": "management", "kubeconfig": management},
		"clusters": []m{{"name": prod, "site": "dc1", "kubeconfig": workload, "selector": m{"tags": []string{prod}},
			"adopt": m{"addresses": []string{"10.20.0.200-10.20.0.220"}, "prefix": 24, "gateway": "10.20.0.1", "dnsServers": []string{"10.20.0.1"}, "capmoxTokenID": capmoxToken},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Config = w.write(t, "proxaudit.yaml", data)
}

// reader is the kubeconfig of proxaudit's account on a cluster.
func (w *World) reader(cluster string) string {
	return filepath.Join(w.Dir, "reader-"+cluster+".kubeconfig")
}
