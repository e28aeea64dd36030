package snapfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

// File is one file of those that were named, or that a named folder has.
type File struct {
	// Name is the file's for messages and coverage: the path as it was given, or the name in the folder that was. Where two
	// folders have a file of one name, it is the path for both.
	Name string
	// Snapshot is nil if Err is not.
	Snapshot *inventory.Snapshot
	// Err says why a file of a folder could not be read. Of a file that was named, that is the error of ReadFiles.
	Err error
	// path is the name with the folder's.
	path string
}

// ReadFiles reads files ("-" is standard input) and the snapshots of folders: *.json and *.json.zst, regular ones, by
// name, no hidden ones and none of folders below. A file that somebody named has to be readable. One of a folder need not
// be: a scan that broke off costs the fleet the verdicts that need it, and not the night.
func ReadFiles(paths []string) ([]File, error) {
	var out []File
	for i, p := range paths {
		if p == "-" && slices.Contains(paths[:i], p) {
			return nil, errors.New("standard input (-) can be read once only, and is named twice")
		}
		if st, err := os.Stat(p); p != "-" && err == nil && st.IsDir() {
			files, err := readFolder(p)
			if err != nil {
				return nil, err
			}
			out = append(out, files...)
			continue
		}
		s, err := readFile(p)
		if err != nil {
			return nil, fmt.Errorf("snapshot %s: %w", called(p), err)
		}
		out = append(out, File{Name: called(p), Snapshot: s, path: called(p)})
	}
	if len(out) == 0 {
		return nil, errors.New("no snapshot file was named")
	}
	return apart(out), nil
}

// apart tells files of one name by their paths.
func apart(files []File) []File {
	times := map[string]int{}
	for i := range files {
		times[files[i].Name]++
	}
	for i := range files {
		if f := &files[i]; times[f.Name] > 1 {
			f.Name = f.path
		}
	}
	return files
}

// readFolder reads what a folder has. A folder without any snapshot is an error: it is the wrong one, or no scan has run.
func readFolder(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("snapshots of folder %s: %w", dir, err)
	}
	var out []File
	for _, e := range entries {
		if !isSnapshot(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		// A link counts as what it leads to. A pipe would hold the run.
		if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
			continue
		}
		s, err := readFile(path)
		out = append(out, File{Name: e.Name(), Snapshot: s, Err: err, path: path})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("folder %s has no *.json and no *.json.zst: want those that proxaudit scan -o json=FILE wrote", dir)
	}
	return out, nil
}

// isSnapshot goes by the name. What is being written has a hidden one (ReplaceFile).
func isSnapshot(name string) bool {
	return !strings.HasPrefix(name, ".") && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".json.zst"))
}

func readFile(path string) (*inventory.Snapshot, error) {
	if path == "-" {
		return Read(os.Stdin)
	}
	f, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, notOpened(err)
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return nil, errors.Join(errors.New("it is a folder: want "+wanted), f.Close())
	}
	s, err := Read(f)
	if cerr := f.Close(); err == nil && cerr != nil {
		err = cerr
	}
	return s, err
}

// called is a file's name for a message.
func called(path string) string {
	if path == "-" {
		return "from standard input"
	}
	return path
}

// notOpened words why a file cannot be opened. The name stands in front of it already.
func notOpened(err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fileError{"there is no such file (proxaudit scan -o json=FILE writes one)", err}
	case errors.As(err, &pe):
		return &fileError{"it cannot be opened: " + pe.Err.Error(), err}
	default:
		return err
	}
}

// fileError has words of its own for an error of the file system.
type fileError struct {
	msg string
	err error
}

// Error implements error.
func (e *fileError) Error() string { return e.msg }

// Unwrap leads to the error of the file system.
func (e *fileError) Unwrap() error { return e.err }
