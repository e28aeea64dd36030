package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/proxaudit/proxaudit/inventory/snapfile"
	"github.com/proxaudit/proxaudit/render"
)

// target is one -o: a format, and the file it goes to. No file means standard output.
type target struct {
	format render.Format
	path   string
	// append is for a file that others write too.
	append bool
}

// outputs reads -o before any work is done, so that a typing error costs nothing.
func outputs(c *cli.Context, fallback string, getenv func(string) (string, bool)) ([]target, error) {
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
		if slices.Contains(render.FindingFormats(), f.Name) && !slices.Contains(formatsOf(c.Command.Name), f.Name) {
			return nil, usagef("-o %s: %s has no findings to write as %s", v, c.Command.Name, f.Name).hint("Its formats are %s.", join(formatsOf(c.Command.Name)))
		}
		place := path
		if hasPath && path != "" {
			if place, err = resolved(path); err != nil {
				return nil, usagef("-o %s: %v", v, err)
			}
		}
		switch {
		case hasPath && path == "":
			return nil, usagef("-o %s: the file's name is missing", v)
		case path == "-":
			return nil, usagef("-o %s: standard output is where a result goes that has no file", v).hint("Write -o %s.", name)
		case hasPath && overInput(c, place) != "":
			return nil, usagef("-o %s: that is what %s reads", v, overInput(c, place)).hint("Give another file.")
		case hasPath && files[place]:
			return nil, usagef("-o %s: the file is written twice", v)
		case hasPath && name != "markdown" && isStepSummary(path, getenv):
			return nil, usagef("-o %s: GitHub shows Markdown there", v).hint("Write -o markdown=%s.", path)
		case hasPath:
			// Found out before the servers are asked, not after.
			if st, err := os.Stat(filepath.Dir(path)); err != nil || !st.IsDir() {
				return nil, usagef("-o %s: there is no folder %s", v, filepath.Dir(path))
			}
			if st, err := os.Stat(path); err == nil && st.IsDir() {
				return nil, usagef("-o %s: %s is a folder, want a file", v, path)
			}
			files[place] = true
		case stdout != "":
			return nil, usagef("-o %s: standard output has %s already", v, stdout).hint("Give all but one a file: -o %s=FILE", v)
		default:
			stdout = name
		}
		targets = append(targets, target{format: f, path: path, append: isStepSummary(path, getenv)})
	}
	return targets, nil
}

// write renders a Document to every target. Files come first: what standard output says has then happened. One that cannot be
// written keeps none of the others back: a full disk under the metrics is no reason to lose the night's report.
func (r *run) write(targets []target, d render.Document) error {
	// A Document is only read, so that the formats are made side by side: those of a big fleet take a second each.
	failures := make([]error, len(targets))
	var files errgroup.Group
	files.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range targets {
		if t.path == "" {
			continue
		}
		files.Go(func() error {
			if err := r.writeFile(t, d); err != nil {
				failures[i] = fmt.Errorf("-o %s=%s: %w", t.format.Name, t.path, err)
			}
			return nil
		})
	}
	_ = files.Wait() // failures has them, in the order of the flags
	for i, t := range targets {
		if t.path != "" && failures[i] == nil {
			r.verbosef("wrote %s", t.path)
		}
	}
	for _, t := range targets {
		if t.path == "" {
			o := render.Options{NoHeaders: r.noHeaders, Colour: r.colour, Width: r.env.Width}
			if err := t.format.Write(r.stdout(), d, o); err != nil {
				failures = append(failures, stdoutError(err))
			}
		}
	}
	return errors.Join(failures...)
}

func (r *run) writeFile(t target, d render.Document) error {
	o := render.Options{NoHeaders: r.noHeaders}
	if t.append {
		return appendSummary(t.path, d, t.format, o)
	}
	// A new file gets the mode that a redirection would give it: who collects metrics or serves the page has to read it.
	return snapfile.ReplaceFile(t.path, 0o644, func(w io.Writer) error { return t.format.Write(w, d, o) })
}

// pipe forgives a reader that has seen enough (proxaudit … | head): that is no failure of ours.
type pipe struct {
	w io.Writer
	// failed remembers the first error, for what has no way to return one (help).
	failed *error
}

func (p pipe) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		return len(b), nil
	}
	if err != nil && p.failed != nil && *p.failed == nil {
		*p.failed = err
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
