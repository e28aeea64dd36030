package e2e

import (
	"bytes"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/proxaudit/proxaudit/test/realkube"
)

const deployDir = "../../deploy"

// kubectl runs the real one against a server, as its administrator.
func kubectl(t *testing.T, w *world, server string, stdin []byte, args ...string) (stdout, stderr []byte) {
	t.Helper()
	tool, err := realkube.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	if server != "" {
		path := filepath.Join(w.dir, server+".admin")
		if err := w.bench.Server(server).Kubeconfig(path, "admin", "system:masters"); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"--kubeconfig", path}, args...)
	}
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Env = []string{"HOME=" + w.dir, "PATH=/usr/bin:/bin"}
	cmd.Stdin = bytes.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return out.Bytes(), said.Bytes()
}

// kustomizations are the folders under deploy/ that `kubectl apply -k` takes.
func kustomizations(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(deployDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "kustomization.yaml" {
			out = append(out, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rendered are the objects of a kustomization, as kubectl makes them.
func rendered(t *testing.T, w *world, dir string) (objects []*unstructured.Unstructured, text []byte) {
	t.Helper()
	text, _ = kubectl(t, w, "", nil, "kustomize", dir)
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(o); err != nil {
			break
		}
		objects = append(objects, o)
	}
	if len(objects) == 0 {
		t.Fatalf("%s renders nothing", dir)
	}
	return objects, text
}

// TestDeployDryRun: a real API server takes every kustomization, and has nothing to warn about: its Pods fulfil the policy
// `restricted`, which their namespace asks for.
func TestDeployDryRun(t *testing.T) {
	w := newWorld(t)
	dirs := kustomizations(t)
	for _, want := range []string{"cronjob/base", "cronjob/example", "cronjob/workload"} {
		if !slices.Contains(dirs, filepath.Join(deployDir, filepath.FromSlash(want))) {
			t.Errorf("there is no %s among %q", want, dirs)
		}
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(filepath.Dir(dir))+"-"+filepath.Base(dir), func(t *testing.T) {
			objects, text := rendered(t, w, dir)
			for _, o := range objects {
				if o.GetKind() == "Namespace" {
					// What is in it cannot be tried before it is there.
					data, err := o.MarshalJSON()
					if err != nil {
						t.Fatal(err)
					}
					kubectl(t, w, management, data, "apply", "-f", "-")
				}
			}
			out, said := kubectl(t, w, management, text, "apply", "--dry-run=server", "-f", "-")
			if n := bytes.Count(out, []byte("(server dry run)")); n != len(objects) {
				t.Errorf("%d of %d objects were taken:\n%s", n, len(objects), out)
			}
			if len(said) > 0 {
				t.Errorf("the server says:\n%s", said)
			}
		})
	}
	// The server looks: a Pod that runs as root makes it speak.
	_, text := rendered(t, w, filepath.Join(deployDir, "cronjob", "base"))
	_, said := kubectl(t, w, management, bytes.ReplaceAll(text, []byte("runAsNonRoot: true"), []byte("runAsNonRoot: false")), "apply", "--dry-run=server", "-f", "-")
	if !bytes.Contains(said, []byte("would violate PodSecurity")) {
		t.Errorf("the server says of a Pod that may run as root: %q", said)
	}
}
