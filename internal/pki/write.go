package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proxaudit/proxaudit/adopt/pki"
)

// File is a file to write.
type File struct {
	Name string
	Data []byte
}

// Manifests are the files of Secrets: numbered in their order, so that `kubectl apply -f FOLDER` takes them in it.
func Manifests(secrets []pki.Secret) ([]File, error) {
	width := max(2, len(fmt.Sprint(len(secrets))))
	files := make([]File, 0, len(secrets))
	for i, s := range secrets {
		data, err := s.Manifest()
		if err != nil {
			return nil, fmt.Errorf("%s: its manifest cannot be written: %w", s, err)
		}
		files = append(files, File{Name: fmt.Sprintf("%0*d-%s.yaml", width, i+1, s.Name), Data: data})
	}
	return files, nil
}

// Write makes a folder (mode 0700) with files (mode 0600) that only its owner can read. All of them are written to a
// folder beside it that then gets its name, so that there is the whole or nothing. What is there already is never
// touched: neither a file nor a folder, not even an empty one.
func Write(dir string, files []File) (err error) {
	dir = filepath.Clean(dir)
	if err := free(dir); err != nil {
		return err
	}
	parent, name := filepath.Split(dir)
	if parent == "" {
		parent = "."
	}
	// os.MkdirTemp makes it 0700.
	tmp, err := os.MkdirTemp(parent, "."+name+".*")
	if err != nil {
		return fmt.Errorf("cannot write Secrets to %s: no folder can be made in %s: %s: make that folder, or choose another", dir, parent, reason(err))
	}
	defer func() {
		if err == nil {
			return
		}
		if rerr := os.RemoveAll(tmp); rerr != nil {
			err = errors.Join(err, fmt.Errorf("keys may be left in %s: remove it: %w", tmp, rerr))
		}
	}()
	for _, f := range files {
		if err := writeFile(tmp, f); err != nil {
			return fmt.Errorf("cannot write Secrets to %s: %s: %s: nothing was written", dir, f.Name, reason(err))
		}
	}
	// Somebody may have made it meanwhile. os.Rename itself takes no place but that of an empty folder.
	if err := free(dir); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fmt.Errorf("cannot write Secrets to %s: %w: nothing was written", dir, err)
	}
	return nil
}

func free(dir string) error {
	switch _, err := os.Lstat(dir); {
	case err == nil:
		return fmt.Errorf("%s is there already, and nothing in it was changed: choose a folder that does not exist", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write Secrets to %s: %s: choose another folder", dir, reason(err))
	}
	return nil
}

func writeFile(dir string, f File) (err error) {
	if !filepath.IsLocal(f.Name) || filepath.Base(f.Name) != f.Name {
		return errors.New("it is no name of a file in a folder")
	}
	out, err := os.OpenFile(filepath.Join(dir, f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the name was looked at
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = out.Write(f.Data)
	return err
}
