package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
	"github.com/urfave/cli/v2"

	"github.com/proxaudit/proxaudit/render"
)

// target is one -o: a format, and the file it goes to. No file means standard output.
type target struct {
	format render.Format
	path   string
}

// outputs reads -o before any work is done, so that a typing error costs nothing.
func outputs(c *cli.Context, fallback string) ([]target, error) {
	values := c.StringSlice("output")
	if len(values) == 0 {
		values = []string{fallback}
	}
	var targets []target
	stdout, files := "", map[string]bool{}
	for _, v := range values {
		name, path, hasPath := strings.Cut(v, "=")
		f, err := render.Lookup(name)
		if err != nil {
			u := usagef("-o %s: %v", v, err)
			u.Hint = strings.TrimSpace(didYouMean(name, render.Formats()))
			return nil, u
		}
		switch {
		case hasPath && path == "":
			return nil, usagef("-o %s: the file's name is missing", v)
		case hasPath && files[filepath.Clean(path)]:
			return nil, usagef("-o %s: the file is written twice", v)
		case hasPath:
			// Found out before the servers are asked, not after.
			if st, err := os.Stat(filepath.Dir(path)); err != nil || !st.IsDir() {
				return nil, usagef("-o %s: there is no folder %s", v, filepath.Dir(path))
			}
			files[filepath.Clean(path)] = true
		case stdout != "":
			return nil, usagef("-o %s: standard output has %s already", v, stdout).hint("Give all but one a file: -o %s=FILE", v)
		default:
			stdout = name
		}
		targets = append(targets, target{format: f, path: path})
	}
	return targets, nil
}

// write renders a Document to every target. Files come first: what standard output says has then happened.
func (r *run) write(targets []target, d render.Document) error {
	for _, t := range targets {
		if t.path == "" {
			continue
		}
		var b bytes.Buffer
		if err := t.format.Write(&b, d, render.Options{NoHeaders: r.noHeaders}); err != nil {
			return err
		}
		if err := replaceFile(t.path, b.Bytes()); err != nil {
			return err
		}
		r.verbosef("wrote %s", t.path)
	}
	for _, t := range targets {
		if t.path == "" {
			o := render.Options{NoHeaders: r.noHeaders, Colour: r.colour, Width: r.env.Width}
			if err := t.format.Write(pipe{r.env.Stdout}, d, o); err != nil {
				return stdoutError(err)
			}
		}
	}
	return nil
}

// pipe forgives a reader that has seen enough (proxaudit … | head): that is no failure of ours.
type pipe struct{ w io.Writer }

func (p pipe) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		return len(b), nil
	}
	return n, err
}

// stdoutError names the place: the bare error of a full disk says "write /dev/stdout".
func stdoutError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return errors.New("writing to standard output: " + pe.Err.Error())
	}
	return err
}

// replaceFile writes a file so that a reader sees the old content or the new, and never a part.
func replaceFile(path string, data []byte) error {
	odd, err := isOdd(path)
	if err != nil {
		return err
	}
	if odd {
		return writeThrough(path, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	// A symbolic link stays, and what it points at is replaced.
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return renameio.WriteFile(path, data, 0o644, renameio.WithExistingPermissions())
}

// isOdd is true for a path that is there and no regular file (a named pipe, /dev/null): it is written to, for replacing
// it would destroy it. A folder is an error.
func isOdd(path string) (bool, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case st.IsDir():
		return false, &fs.PathError{Op: "write", Path: path, Err: errors.New("is a folder")}
	}
	return !st.Mode().IsRegular(), nil
}

func writeThrough(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // the path is the user's own
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}
