package kubesim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"empty":          {want: "holds no manifests"},
		"only config":    {files: map[string]string{ConfigFile: "version: v1.30.0\n"}, want: "holds no manifests"},
		"unknown key":    {files: map[string]string{ConfigFile: "release: x\n"}, want: "release"},
		"bad discovery":  {files: map[string]string{ConfigFile: "discovery: magic\n"}, want: `"magic"`},
		"bad kind":       {files: map[string]string{ConfigFile: "kinds: [{group: g, kind: K}]\n"}, want: "needs kind and versions"},
		"broken YAML":    {files: map[string]string{"a.yaml": "a: ["}, want: "a.yaml"},
		"no name":        {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Node\n"}, want: "metadata.name"},
		"no kind":        {files: map[string]string{"a.yaml": "apiVersion: v1\nmetadata: {name: a}\n"}, want: "metadata.name"},
		"broken list":    {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems: [7]\n"}, want: "a.yaml"},
		"list of nobody": {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Node}]\n"}, want: "metadata.name"},
		"twice": {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n", "b.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"},
			want: "is in "},
		"CRD without names":    {files: map[string]string{"a.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {group: g, versions: [{name: v1, served: true}]}\n"}, want: "spec.names"},
		"CRD without versions": {files: map[string]string{"a.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {group: g, names: {kind: K, plural: ks}, versions: x}\n"}, want: "CustomResourceDefinition a"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there was loaded")
	}
	if _, err := NewCluster(Config{Discovery: "x"}); err == nil {
		t.Error("a bad configuration was taken")
	}
}

// TestCRDAfterItsObjects: the order of the files does not matter.
func TestCRDAfterItsObjects(t *testing.T) {
	cl, err := NewCluster(Config{})
	if err != nil {
		t.Fatal(err)
	}
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: oxen.example.com}\nspec: {group: example.com, scope: Namespaced, names: {kind: Ox, plural: oxen}, versions: [{name: v1, served: true}, 7]}\n"
	if err := cl.Add("docs", []byte("apiVersion: example.com/v1\nkind: Ox\nmetadata: {name: a}\n---\n"+crd)); err != nil {
		t.Fatal(err)
	}
	s := start(t, cl, Options{})
	if code, body, _ := answer(t, s, "GET", "/apis/example.com/v1/namespaces/default/oxen/a"); code != 200 {
		t.Errorf("%d %s", code, body)
	}
}

func TestOnlyOnLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.com:80", "127.0.0.1"} {
		if s, err := Start(load(t), Options{Listen: addr}); err == nil {
			t.Errorf("listens on %s", addr)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	s := start(t, load(t), Options{Listen: "localhost:0"})
	if _, err := Start(load(t), Options{Listen: s.addr}); err == nil {
		t.Error("two servers on one address")
	}
}

func TestWriteKubeconfig(t *testing.T) {
	s := start(t, load(t), Options{})
	path := filepath.Join(t.TempDir(), "kc")
	if err := s.WriteKubeconfig(path, "demo"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := s.WriteKubeconfig(filepath.Join(path, "below-a-file"), "demo"); err == nil {
		t.Error("no error")
	}
}
