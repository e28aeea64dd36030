package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestKubeconfigFromSecret: a workload cluster that the configuration gives no access to is reached through the Secret
// that Cluster API keeps, if and only if the user allows it.
func TestKubeconfigFromSecret(t *testing.T) {
	w := newWorld(t)
	everything := parse(t, run(t, w, "orphans", "-o", "json", "--now", now))
	w.keepKubeconfig(t)
	w.bare = []string{prod}
	w.writeConfig(t)
	w.writeKubeconfig(t, management, readers, "proxaudit-kubeconfigs")

	o := run(t, w, "orphans", "-o", "json", "--now", now)
	o.want(t, 3)
	r := parse(t, o)
	missing(t, r, "cluster/"+prod)
	noNewAccusation(t, everything, r)
	if n := w.secretReads(t); n != 0 {
		t.Fatalf("%d Secrets were read without --read-secrets", n)
	}

	o = run(t, w, "orphans", "-o", "json", "--now", now, "--read-secrets")
	o.want(t, 1)
	if diff := cmp.Diff(everything.classes(), parse(t, o).classes()); diff != "" {
		t.Errorf("through the Secret the findings are others (-file +secret):\n%s", diff)
	}
	if n := w.secretReads(t); n != 1 {
		t.Errorf("%d Secrets were read, want 1", n)
	}
	// The user in the Secret is another one: this is how prod was read.
	requests, err := w.bench.Server(prod).Requests(w.user + "-from-secret")
	if err != nil {
		t.Fatal(err)
	}
	if len(requests) == 0 {
		t.Error("prod was not read with the kubeconfig of the Secret")
	}
}

// keepKubeconfig puts a kubeconfig for prod where Cluster API has it.
func (w *world) keepKubeconfig(t *testing.T) {
	t.Helper()
	path := filepath.Join(w.dir, "from-secret.kubeconfig")
	if err := w.bench.Server(prod).Kubeconfig(path, w.user+"-from-secret", readers); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(w.bench.Server(management).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	secrets := client.CoreV1().Secrets(prod)
	_, err = secrets.Create(w.ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: prod + "-kubeconfig"},
		Type:       "cluster.x-k8s.io/secret",
		Data:       map[string][]byte{"value": data},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := secrets.Delete(w.ctx, prod+"-kubeconfig", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// secretReads counts the requests for Secrets that this world's user has made of the management cluster.
func (w *world) secretReads(t *testing.T) int {
	t.Helper()
	requests, err := w.bench.Server(management).Requests(w.user)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range requests {
		if r.Object != nil && r.Object.Resource == "secrets" {
			if r.Verb != "get" || r.Object.Namespace != prod || r.Object.Name != prod+"-kubeconfig" {
				t.Errorf("Secrets were asked for with %s %s", r.Verb, r.RequestURI)
			}
			n++
		}
	}
	return n
}
