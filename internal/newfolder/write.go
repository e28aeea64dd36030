// Package newfolder writes files into a folder that was not there before: the whole, or nothing.
package newfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a file to write. Its name may have one folder before it.
type File struct {
	Name string
	Data []byte
}

// Access says who may read what is written.
type Access struct {
	what       string
	dir, files fs.FileMode
}

var (
	// Private is for secrets: a folder of mode 0700 with files of mode 0600.
	Private = Access{"Secrets", 0o700, 0o600}
	// Public is for everything else.
	Public = Access{"files", 0o755, 0o644}
)

// Write makes a folder with files. All of them are written to a folder beside it that then gets its name, so that there is the whole
// or nothing. What is there already is never touched: neither a file nor a folder, not even an empty one.
func Write(dir string, access Access, files []File) error {
	s, err := Stage(dir, access, files)
	if err != nil {
		return err
	}
	return errors.Join(s.Commit(), s.Discard())
}

// Staged is a folder with all of its files that has not got its name yet.
type Staged struct {
	dir, tmp string
	access   Access
}

// Stage does all of Write but the last step. Either Commit or Discard has to follow.
func Stage(dir string, access Access, files []File) (_ *Staged, err error) {
	dir = filepath.Clean(dir)
	if err := free(dir, access.what); err != nil {
		return nil, err
	}
	parent, name := filepath.Split(dir)
	if parent == "" {
		parent = "."
	}
	// os.MkdirTemp makes it 0700.
	tmp, err := os.MkdirTemp(parent, "."+name+".*")
	if err != nil {
		return nil, fmt.Errorf("cannot write %s to %s: no folder can be made in %s: %s: %s", access.what, dir, parent, reason(err), wayOut(parent))
	}
	s := &Staged{dir: dir, tmp: tmp, access: access}
	for _, f := range files {
		if err := writeFile(tmp, f, access); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot write %s to %s: %s: %s: nothing was written", access.what, dir, f.Name, reason(err)), s.Discard())
		}
	}
	return s, nil
}

// wayOut is what to do about a folder in which none can be made.
func wayOut(parent string) string {
	if st, err := os.Stat(parent); err == nil && st.IsDir() {
		return "choose another, or get leave to write there"
	}
	return "make that folder, or choose another"
}

// Name is the folder's name, once it has it.
func (s *Staged) Name() string { return s.dir }

// Commit gives the folder its name.
func (s *Staged) Commit() error {
	// Somebody may have made it meanwhile. os.Rename itself takes no place but that of an empty folder.
	if err := free(s.dir, s.access.what); err != nil {
		return err
	}
	if err := os.Chmod(s.tmp, s.access.dir); err != nil {
		return fmt.Errorf("cannot write %s to %s: %w: nothing was written", s.access.what, s.dir, err)
	}
	if err := os.Rename(s.tmp, s.dir); err != nil {
		return fmt.Errorf("cannot write %s to %s: %w: nothing was written", s.access.what, s.dir, err)
	}
	s.tmp = ""
	return nil
}

// Discard removes what was staged; it does nothing after Commit.
func (s *Staged) Discard() error {
	if s.tmp == "" {
		return nil
	}
	if err := os.RemoveAll(s.tmp); err != nil {
		return fmt.Errorf("%s may be left in %s: remove it: %w", s.access.what, s.tmp, err)
	}
	s.tmp = ""
	return nil
}

func free(dir, what string) error {
	switch _, err := os.Lstat(dir); {
	case err == nil:
		return fmt.Errorf("%s is there already, and nothing in it was changed: choose a folder that does not exist", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s to %s: %s: choose another folder", what, dir, reason(err))
	}
	return nil
}

func writeFile(dir string, f File, access Access) (err error) {
	below, name := filepath.Split(f.Name)
	below = strings.TrimSuffix(below, string(filepath.Separator))
	if !filepath.IsLocal(f.Name) || filepath.Base(f.Name) != name || filepath.Base(below) != below && below != "" {
		return errors.New("it is no name of a file in a folder")
	}
	if below != "" {
		dir = filepath.Join(dir, below)
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := os.Chmod(dir, access.dir); err != nil {
			return err
		}
	}
	out, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, access.files) //nolint:gosec // the name was looked at
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = out.Write(f.Data)
	return err
}

// reason leaves the path out of an error: it stands before it already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
