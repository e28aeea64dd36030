package pki

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proxaudit/proxaudit/adopt/pki"
	"github.com/proxaudit/proxaudit/inventory/shell"
)

// maxFile is the size that a file may have, in bytes. A certificate is a few kilobytes, and the API server takes no Secret
// of more than 1 MiB (k8s.io/api/core/v1: MaxSecretSize).
const maxFile = 1 << 20

// Loaded is the material with what is worth saying about the files themselves.
type Loaded struct {
	*pki.Material
	Warnings pki.Problems
}

// Load reads a folder that has the files of /etc/kubernetes/pki, and the cluster's kubeconfig: kubeconfigFile if it is
// given, else admin.conf in the folder or beside it, if there is one. The error is pki.Problems with all that is wrong.
func Load(dir, kubeconfigFile string) (Loaded, error) {
	var l Loaded
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return l, pki.Problems{{File: dir, Found: reason(err), Do: "give the folder with a copy of " + pki.DefaultDir}}
	case !st.IsDir():
		return l, pki.Problems{{File: dir, Found: "it is no folder", Do: "give the folder with a copy of " + pki.DefaultDir}}
	}
	if !there(dir, pki.FileCACert) && there(dir, "pki", pki.FileCACert) {
		return l, pki.Problems{{File: dir, Found: "it has a folder pki, in which the keys are", Do: "give " + filepath.Join(dir, "pki")}}
	}
	s := pki.Source{Dir: dir, Files: map[string][]byte{}}
	var p pki.Problems
	for _, name := range pki.Files() {
		data, found := l.read(&p, filepath.Join(dir, filepath.FromSlash(name)), pki.Private(name))
		if found {
			s.Files[name] = data
		}
	}
	candidates := []string{kubeconfigFile}
	if kubeconfigFile == "" {
		candidates = []string{filepath.Join(dir, pki.FileKubeconfig), filepath.Join(dir, "..", pki.FileKubeconfig)}
	}
	for _, file := range candidates {
		if data, found := l.read(&p, file, true); found {
			s.Kubeconfig, s.KubeconfigFile = data, file
			break
		}
	}
	if kubeconfigFile != "" && s.Kubeconfig == nil && len(p) == 0 {
		p = append(p, pki.Problem{File: kubeconfigFile, Found: "it is not there", Do: "give the path of the cluster's kubeconfig"})
	}
	if len(p) > 0 {
		// What was not readable is not missing: nothing can be said of the rest.
		return Loaded{}, p
	}
	if l.Material, err = pki.Parse(s); err != nil {
		return Loaded{}, err
	}
	return l, nil
}

func there(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

// read returns false for a file that is not there, and for one that cannot be read, which is a Problem.
func (l *Loaded) read(p *pki.Problems, file string, private bool) ([]byte, bool) {
	data, mode, err := readFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		*p = append(*p, pki.Problem{File: file, Found: reason(err), Do: "make the copy readable for yourself, and for nobody else"})
		return nil, false
	}
	if private && mode.Perm()&0o077 != 0 {
		l.Warnings = append(l.Warnings, pki.Problem{File: file, Found: fmt.Sprintf("others may read it (mode %04o), and it holds a private key", mode.Perm()),
			Do: "chmod go= " + shell.Quote(file)})
	}
	return data, true
}

func readFile(file string) (data []byte, mode fs.FileMode, err error) {
	// Looked at before it is opened: opening a named pipe waits for its other end.
	if st, err := os.Stat(file); err != nil {
		return nil, 0, err
	} else if !st.Mode().IsRegular() {
		return nil, 0, errors.New("it is no regular file")
	}
	f, err := os.Open(file) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxFile {
		return nil, 0, fmt.Errorf("it is larger than %d MiB, which no Secret holds", maxFile>>20)
	}
	return data, st.Mode(), nil
}

// reason leaves the path out of an error: it stands before it already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
