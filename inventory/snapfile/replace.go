package snapfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// ReplaceFile is the one way in which a result gets into a file: a reader sees the old content or the new, and never a
// part, also after a crash (a temporary file, fsync, rename). A new file gets the mode, less the umask; one that was there
// keeps its own. A symbolic link stays, and what it points at is replaced. What is there and no regular file (a named
// pipe, /dev/stdout, /dev/null) is written to, for replacing it would destroy it; a folder is an error.
func ReplaceFile(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case st.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("is a folder")}
	case !st.Mode().IsRegular():
		return writeThrough(path, write)
	}
	path = linked(path)
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(mode), renameio.WithExistingPermissions())
	if err != nil {
		// The error is about the temporary file, whose name nobody knows: what matters is the folder.
		var pe *fs.PathError
		if errors.As(err, &pe) {
			return &fs.PathError{Op: "make a file in", Path: filepath.Dir(path), Err: pe.Err}
		}
		return err
	}
	defer func() {
		if cerr := f.Cleanup(); err == nil {
			err = cerr
		}
	}()
	if err := buffered(f, write); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

func writeThrough(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // the path is the user's own
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return buffered(f, write)
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// linked follows symbolic links, one that points at nothing yet too.
func linked(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	to, err := os.Readlink(path)
	if err != nil {
		return path
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}
