//go:build unix

package pki_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	material "github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/adopt/pki/pkitest"
	"github.com/proxaudit/proxaudit/internal/newfolder"
	"github.com/proxaudit/proxaudit/internal/pki"
)

// folder writes a PKI as `scp -r` under umask 077 leaves it, and returns its folder; the kubeconfig stands beside it.
func folder(t *testing.T, p pkitest.PKI) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pki")
	for name, data := range p.Files {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	put(t, filepath.Join(dir, "..", "admin.conf"), p.Kubeconfig)
	return dir
}

func put(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir, kubeconfig string) pki.Loaded {
	t.Helper()
	l, err := pki.Load(dir, kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func manifests(t *testing.T, l pki.Loaded) []newfolder.File {
	t.Helper()
	set, err := l.Secrets(material.Options{Cluster: "prod", Namespace: "prod", Owned: true, At: pkitest.Now,
		ServingCAs: []string{l.Fingerprint()}, Bootstrap: []string{"cp-1"}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := pki.Manifests(set.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestLoadAndWrite: the folder in, the Secrets out, in their order and for nobody else to read.
func TestLoadAndWrite(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	l := load(t, folder(t, p), "")
	if len(l.Warnings) > 0 {
		t.Errorf("warnings: %v", l.Warnings)
	}
	out := filepath.Join(t.TempDir(), "secrets")
	// The modes hold whatever the umask.
	old := syscall.Umask(0)
	err := newfolder.Write(out+"/", newfolder.Private, manifests(t, l))
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	mode(t, out, 0o700)
	var names []string
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		mode(t, filepath.Join(out, e.Name()), 0o600)
	}
	want := []string{"01-prod-ca.yaml", "02-prod-etcd.yaml", "03-prod-proxy.yaml", "04-prod-sa.yaml", "05-prod-kubeconfig.yaml", "06-cp-1.yaml"}
	if !slices.Equal(names, want) {
		t.Errorf("files = %v", names)
	}
	data, err := os.ReadFile(filepath.Join(out, "01-prod-ca.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte("apiVersion: v1\ndata:\n  tls.crt: ")) {
		t.Errorf("01-prod-ca.yaml begins with %.40q", data)
	}
	alone(t, filepath.Dir(out), "secrets")
}

func mode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != want {
		t.Errorf("%s has mode %04o", filepath.Base(path), st.Mode().Perm())
	}
}

// alone: nothing else is left in a folder, hidden files too.
func alone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("%v is left, want %v", names, want)
	}
}

func TestWhereTheKubeconfigIs(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	inside, named := pkitest.Kubeconfig(t, p.CA, "inside", "https://10.0.0.1:6443"), pkitest.Kubeconfig(t, p.CA, "named", "https://10.0.0.1:6443")
	dir := folder(t, p)
	other := filepath.Join(t.TempDir(), "k.conf")
	put(t, other, named)
	holds := func(kubeconfig string, want []byte) {
		t.Helper()
		l := load(t, dir, kubeconfig)
		set, err := l.Secrets(material.Options{Cluster: "prod", Namespace: "prod", At: pkitest.Now, ServingCAs: []string{l.Fingerprint()}})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range set.Secrets {
			if s.Name != "prod-kubeconfig" {
				continue
			}
			data, err := s.Manifest()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(data, []byte("value: "+base64.StdEncoding.EncodeToString(want)+"\n")) {
				t.Errorf("another kubeconfig was taken")
			}
			return
		}
		t.Error("no kubeconfig was taken")
	}
	holds("", p.Kubeconfig)
	put(t, filepath.Join(dir, "admin.conf"), inside)
	holds("", inside)
	holds(other, named)
	remove(t, filepath.Join(dir, "admin.conf"))
	remove(t, filepath.Join(dir, "..", "admin.conf"))
	if load(t, dir, "").HasKubeconfig() {
		t.Error("a kubeconfig was found where there is none")
	}
}

func TestLoadFaults(t *testing.T) {
	p := pkitest.New(t, "ecdsa")
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		config string
		want   string
	}{
		"a file is missing": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "ca.crt")) }, "", "ca.crt: it is not there"},
		"a file is a folder": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "ca.crt"))
			put(t, filepath.Join(dir, "ca.crt", "x"), nil)
		}, "", "ca.crt: it is no regular file"},
		"a file is a named pipe": {func(t *testing.T, dir string) { pipe(t, filepath.Join(dir, "sa.key")) }, "", "sa.key: it is no regular file"},
		"a file is huge":         {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "sa.pub"), make([]byte, 1<<20+1)) }, "", "sa.pub: it is larger than 1 MiB"},
		"a link to itself":       {func(t *testing.T, dir string) { loop(t, filepath.Join(dir, "etcd", "ca.key")) }, "", "ca.key: too many levels"},
		"etcd is a file":         {func(t *testing.T, dir string) { etcdIsFile(t, dir) }, "", "etcd/ca.crt: not a directory"},
		"no such kubeconfig":     {func(*testing.T, string) {}, "/nowhere/k.conf", "/nowhere/k.conf: it is not there"},
		"no such folder":         {func(t *testing.T, dir string) { rename(t, dir, dir+"-old") }, "", "pki: no such file or directory: give the folder"},
		"the folder is a file":   {func(t *testing.T, dir string) { rename(t, dir, dir+"-old"); put(t, dir, nil) }, "", "pki: it is no folder"},
		"a wrong key":            {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "ca.key"), p.Files["sa.key"]) }, "", "ca.key: it is not the key of ca.crt"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, p)
			c.change(t, dir)
			l, err := pki.Load(dir, c.config)
			if l.Material != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("material %v, error %v; want %q", l.Material, err, c.want)
			}
			var all material.Problems
			if !errors.As(err, &all) {
				t.Errorf("%T is no Problems", err)
			}
		})
	}
}

func pipe(t *testing.T, file string) {
	t.Helper()
	remove(t, file)
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
}

func loop(t *testing.T, file string) {
	t.Helper()
	remove(t, file)
	if err := os.Symlink(filepath.Base(file), file); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func etcdIsFile(t *testing.T, dir string) {
	t.Helper()
	rename(t, filepath.Join(dir, "etcd"), filepath.Join(dir, "etcd-old"))
	put(t, filepath.Join(dir, "etcd"), nil)
}

// TestOpenKeys: a private key that others may read is used, and said.
func TestOpenKeys(t *testing.T) {
	dir := folder(t, pkitest.New(t, "ecdsa"))
	for _, f := range []string{"ca.key", "ca.crt", "../admin.conf"} {
		if err := os.Chmod(filepath.Join(dir, f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := load(t, dir, "")
	got := l.Warnings.Error()
	if len(l.Warnings) != 2 || !strings.Contains(got, "ca.key: others may read it (mode 0644)") || !strings.Contains(got, "admin.conf: others may read it") {
		t.Errorf("warnings: %v", got)
	}
}

// TestWriteRefuses: what is there already stays as it is, and nothing is left beside it.
func TestWriteRefuses(t *testing.T) {
	files := []newfolder.File{{Name: "01-a.yaml", Data: []byte("a")}}
	for name, make := range map[string]func(t *testing.T, path string){
		"an empty folder": func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"a folder with files": func(t *testing.T, path string) { put(t, filepath.Join(path, "mine"), []byte("x")) },
		"a file":              func(t *testing.T, path string) { put(t, path, []byte("x")) },
		"a link to nothing": func(t *testing.T, path string) {
			if err := os.Symlink("nothing", path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			make(t, out)
			before := tree(t, filepath.Dir(out))
			err := newfolder.Write(out, newfolder.Private, files)
			if err == nil || !strings.Contains(err.Error(), "is there already") {
				t.Fatalf("error = %v", err)
			}
			if after := tree(t, filepath.Dir(out)); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		})
	}
	if err := newfolder.Write("", newfolder.Private, files); err == nil {
		t.Error("the working folder was taken")
	}
	if err := newfolder.Write(filepath.Join(t.TempDir(), "no", "such"), newfolder.Private, files); err == nil || !strings.Contains(err.Error(), "no folder can be made in") {
		t.Errorf("error = %v", err)
	}
	under := filepath.Join(t.TempDir(), "file")
	put(t, under, nil)
	if err := newfolder.Write(filepath.Join(under, "out"), newfolder.Private, files); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("error = %v", err)
	}
}

// tree lists a folder with modes, links and contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data)
		case d.Type()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		b.WriteString(path + " " + st.Mode().String() + " " + content + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOneFolderTooHigh: who gives the folder that holds pki is told so, and not that everything is missing.
func TestOneFolderTooHigh(t *testing.T) {
	dir := folder(t, pkitest.New(t, "ecdsa"))
	if _, err := pki.Load(filepath.Dir(dir), ""); err == nil || !strings.Contains(err.Error(), "it has a folder pki") || !strings.Contains(err.Error(), "give "+dir) || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("error = %v", err)
	}
}

// TestWriteAllOrNothing: a file that cannot be written takes the ones before it along.
func TestWriteAllOrNothing(t *testing.T) {
	for name, bad := range map[string]string{
		"a name with a slash":  "../escape.yaml",
		"a folder in a folder": "sub/sub/file.yaml",
		"no name":              "",
		"twice":                "01-a.yaml",
		"too long":             strings.Repeat("a", 300),
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			err := newfolder.Write(filepath.Join(parent, "out"), newfolder.Private, []newfolder.File{{Name: "01-a.yaml", Data: []byte("key")}, {Name: bad, Data: []byte("key")}})
			if err == nil || !strings.Contains(err.Error(), "nothing was written") {
				t.Fatalf("error = %v", err)
			}
			alone(t, parent)
		})
	}
}

// TestNumbers: the numbers sort as text, however many there are.
func TestNumbers(t *testing.T) {
	secrets := make([]material.Secret, 120)
	for i := range secrets {
		secrets[i] = material.Secret{Namespace: "n", Name: "s", Type: material.TypeOpaque}
	}
	files, err := pki.Manifests(secrets)
	if err != nil {
		t.Fatal(err)
	}
	if files[0].Name != "001-s.yaml" || files[119].Name != "120-s.yaml" || !slices.IsSortedFunc(files, func(a, b newfolder.File) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%s … %s", files[0].Name, files[119].Name)
	}
}
