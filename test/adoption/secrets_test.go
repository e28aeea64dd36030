package adoption

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// clusterSecret is the type by which Cluster API takes a Secret for its own.
const clusterSecret corev1.SecretType = "cluster.x-k8s.io/secret"

// secrets returns the manifest of all Secrets that the adoption of prod needs: the cluster's authorities, its
// kubeconfig, CAPMOX's access to Proxmox, and an empty bootstrap Secret per machine.
func (w *World) secrets(t *testing.T) []byte {
	t.Helper()
	pki := func(name string) []byte { return readFile(t, filepath.Join(w.Kubeadm.PKIDir, name)) }
	pair := func(name string) map[string][]byte {
		return map[string][]byte{"tls.crt": pki(name + ".crt"), "tls.key": pki(name + ".key")}
	}
	all := []*corev1.Secret{
		secret(prod+"-ca", clusterSecret, pair("ca")),
		secret(prod+"-etcd", clusterSecret, pair("etcd/ca")),
		secret(prod+"-proxy", clusterSecret, pair("front-proxy-ca")),
		secret(prod+"-sa", clusterSecret, map[string][]byte{"tls.crt": pki("sa.pub"), "tls.key": pki("sa.key")}),
		// Of another type than Cluster API's: the control-plane controller leaves it alone.
		secret(prod+"-kubeconfig", corev1.SecretTypeOpaque, map[string][]byte{"value": readFile(t, w.EndpointConfig)}),
		secret(prod+"-pve", corev1.SecretTypeOpaque, map[string][]byte{
			"url": []byte(w.PVE.URL), "token": []byte(capmoxToken), "secret": []byte(w.PVE.Secret(capmoxToken)),
		}),
	}
	for _, m := range machines {
		all = append(all, secret(m.name, clusterSecret, nil))
	}
	var out bytes.Buffer
	for _, s := range all {
		data, err := yaml.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n")
		out.Write(data)
	}
	return out.Bytes()
}

func secret(name string, kind corev1.SecretType, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: prod, Labels: map[string]string{"cluster.x-k8s.io/cluster-name": prod},
		},
		Type: kind, Data: data,
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
