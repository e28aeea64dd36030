package snapfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/proxaudit/proxaudit/inventory"
)

// ReadFiles reads one or more files ("-" is standard input) and merges them. A site or cluster that occurs in two of
// them is refused: two views of one thing at two moments would make conflicts of what is one machine.
func ReadFiles(paths []string) (*inventory.Snapshot, error) {
	var out *inventory.Snapshot
	from := map[string]string{}
	for i, p := range paths {
		if p == "-" && slices.Contains(paths[:i], p) {
			return nil, errors.New("standard input (-) can be read once only, and is named twice")
		}
		s, err := readFile(p)
		if err != nil {
			return nil, fmt.Errorf("snapshot %s: %w", called(p), err)
		}
		if err := claim(from, s, p); err != nil {
			return nil, err
		}
		if out == nil {
			out = s
			continue
		}
		// The earliest counts: what was made since was not there for all of them, and is young by it.
		if s.CollectedAt.Before(out.CollectedAt) {
			out.CollectedAt = s.CollectedAt
		}
		out.Append(s)
	}
	if out == nil {
		return nil, errors.New("no snapshot file was named")
	}
	out.Sort()
	return out, nil
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

func claim(from map[string]string, s *inventory.Snapshot, path string) error {
	var names []string
	for i := range s.Sites {
		names = append(names, "site "+s.Sites[i].Name)
	}
	for i := range s.Clusters {
		names = append(names, "cluster "+s.Clusters[i].Key)
	}
	if s.Management != nil {
		names = append(names, "a management cluster")
	}
	slices.Sort(names)
	for i, n := range names {
		if i > 0 && n == names[i-1] {
			return fmt.Errorf("%s occurs twice in %s: it was not written by proxaudit scan", n, path)
		}
		if other, ok := from[n]; ok {
			return fmt.Errorf("%s is in %s and in %s: give each site and cluster once", n, other, path)
		}
		from[n] = path
	}
	return nil
}
