package snapfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/proxaudit/proxaudit/inventory"
)

func TestWriteFile(t *testing.T) {
	for _, name := range []string{"s.json", "s.json.zst"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := WriteFile(path, home()); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if packed := bytes.HasPrefix(data, zstdMagic); packed != (name == "s.json.zst") {
			t.Errorf("%s: compressed: %v", name, packed)
		}
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, st.Mode(), err)
		}
		if got, err := one(path); err != nil || !reflect.DeepEqual(got, home()) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		alone(t, dir, name)
		// The name says nothing to the reader.
		renamed := filepath.Join(dir, "snapshot")
		if err := os.Rename(path, renamed); err != nil {
			t.Fatal(err)
		}
		if got, err := one(renamed); err != nil || !reflect.DeepEqual(got, home()) {
			t.Errorf("%s under another name: %v, %v", name, got, err)
		}
	}
}

// alone checks that a folder holds these names and no temporary file.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(names)
	if !slices.Equal(got, names) {
		t.Errorf("the folder holds %q, want %q", got, names)
	}
}

func TestWriteFileKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	path := file(t, dir, "s.json", []byte("old"))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, home()); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// unwritable cannot be encoded, which shows only when its beginning is written already.
func unwritable() *inventory.Snapshot {
	s := home()
	s.Objects = append(s.Objects, inventory.Object{Kind: "X", Name: "x", Content: map[string]any{"n": math.NaN()}})
	return s
}

func TestWriteFileFails(t *testing.T) {
	for _, name := range []string{"s.json", "s.json.zst"} {
		dir := t.TempDir()
		path := file(t, dir, name, []byte("old"))
		refused(t, WriteFile(path, unwritable()), "write snapshot "+path, "NaN")
		if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
			t.Errorf("%s is now %q, %v", name, data, err)
		}
		alone(t, dir, name)
	}
	dir := t.TempDir()
	refused(t, WriteFile(filepath.Join(dir, "none", "s.json"), home()), "write snapshot", "no such file")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, WriteFile(filepath.Join(dir, "folder"), home()), "write snapshot")
	alone(t, dir, "folder")
}

func TestWriteFileKeepsTheLink(t *testing.T) {
	for name, c := range map[string]struct{ target, link string }{
		"a file":                       {"monday.json", "monday.json"},
		"a file in another folder":     {"past/monday.json", "past/monday.json"},
		"a file that is not there yet": {"past/tuesday.json", "past/tuesday.json"},
		"by the whole path":            {"past/tuesday.json", "/past/tuesday.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "past"), 0o700); err != nil {
				t.Fatal(err)
			}
			if filepath.Base(c.target) == "monday.json" {
				file(t, dir, c.target, []byte("old"))
			}
			link, to := filepath.Join(dir, "latest.json"), c.link
			if filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
			if err := WriteFile(link, home()); err != nil {
				t.Fatal(err)
			}
			if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is now %v, %v", st.Mode(), err)
			}
			if got, err := one(filepath.Join(dir, c.target)); err != nil || !reflect.DeepEqual(got, home()) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// one reads the only file that is named.
func one(path string) (*inventory.Snapshot, error) {
	files, err := ReadFiles([]string{path})
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%d files", len(files))
	}
	return files[0].Snapshot, nil
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	a := file(t, dir, "a.json", encoded(t, home()))
	b := file(t, dir, "b.json", compressed(t, encoded(t, other())))
	got, err := ReadFiles([]string{b, a})
	if err != nil {
		t.Fatal(err)
	}
	if want := []File{{Name: b, Snapshot: other(), path: b}, {Name: a, Snapshot: home(), path: a}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// A folder's snapshots are read by name. One that is none costs no other, and what is being written is not there yet.
func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "b.json", encoded(t, home()))
	file(t, dir, "a.json.zst", compressed(t, encoded(t, other())))
	file(t, dir, "broken.json", []byte("{"))
	file(t, dir, ".c.json123", []byte("half"))
	file(t, dir, ".hidden.json", []byte("half"))
	file(t, dir, "notes.txt", []byte("no snapshot"))
	below := filepath.Join(dir, "below.json")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	file(t, below, "d.json", encoded(t, other()))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFiles([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		names = append(names, f.Name)
		if (f.Err == nil) == (f.Snapshot == nil) {
			t.Errorf("%s: %v, %v", f.Name, f.Snapshot, f.Err)
		}
	}
	if want := []string{"a.json.zst", "b.json", "broken.json", "link.json"}; !slices.Equal(names, want) {
		t.Fatalf("read %q, want %q", names, want)
	}
	if !reflect.DeepEqual(got[0].Snapshot, other()) || !reflect.DeepEqual(got[1].Snapshot, home()) {
		t.Error("what was read is not what was written")
	}
	refused(t, got[2].Err, "ends in the middle")
	refused(t, got[3].Err, "there is no such file")
}

// TestFoldersWithOneName: two folders may both have a dc1.json, and a message has to say which of them it is about.
func TestFoldersWithOneName(t *testing.T) {
	dir := t.TempDir()
	north, south := filepath.Join(dir, "north"), filepath.Join(dir, "south")
	for _, d := range []string{north, south} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		file(t, d, "dc1.json", nil)
	}
	file(t, south, "rest.json", encoded(t, home()))
	got, err := ReadFiles([]string{north, south})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		names = append(names, f.Name)
	}
	if want := []string{filepath.Join(north, "dc1.json"), filepath.Join(south, "dc1.json"), "rest.json"}; !slices.Equal(names, want) {
		t.Errorf("they are called %q, want %q", names, want)
	}
}

func TestReadFilesRefuses(t *testing.T) {
	dir := t.TempDir()
	a := file(t, dir, "a.json", encoded(t, home()))
	hollow := other()
	hollow.VMs[0].Site = ""
	void := filepath.Join(dir, "void")
	if err := os.Mkdir(void, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		paths []string
		words []string
	}{
		"none":                      {nil, []string{"no snapshot file was named"}},
		"an empty folder":           {[]string{void}, []string{"folder " + void + " has no *.json", "proxaudit scan"}},
		"a file that is not there":  {[]string{a, filepath.Join(dir, "none")}, []string{"none: there is no such file", "proxaudit scan"}},
		"an empty file":             {[]string{a, file(t, dir, "empty", nil)}, []string{filepath.Join(dir, "empty") + ": it is empty"}},
		"an element that is none":   {[]string{a, file(t, dir, "hollow.json", encoded(t, hollow))}, []string{"snapshot " + filepath.Join(dir, "hollow.json"), "vms[0]", "no site"}},
		"standard input, two times": {[]string{"-", "-"}, []string{"standard input", "twice"}},
	} {
		t.Run(name, func(t *testing.T) {
			stdin(t, encoded(t, other()))
			s, err := ReadFiles(c.paths)
			if s != nil {
				t.Error("a Snapshot came with the error")
			}
			refused(t, err, c.words...)
		})
	}
}

// stdin makes standard input deliver data.
func stdin(t *testing.T, data []byte) {
	t.Helper()
	f, err := os.Open(file(t, t.TempDir(), "stdin", data))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = before
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestStandardInput(t *testing.T) {
	a := file(t, t.TempDir(), "a.json", encoded(t, home()))
	stdin(t, compressed(t, encoded(t, other())))
	got, err := ReadFiles([]string{a, "-"})
	if err != nil || len(got) != 2 || got[1].Name != "from standard input" {
		t.Errorf("%v, %v", got, err)
	}
	stdin(t, nil)
	_, err = ReadFiles([]string{"-"})
	refused(t, err, "snapshot from standard input: it is empty")
}
