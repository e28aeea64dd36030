package snapfile

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
		if got, err := ReadFiles([]string{path}); err != nil || !reflect.DeepEqual(got, home()) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		alone(t, dir, name)
		// The name says nothing to the reader.
		renamed := filepath.Join(dir, "snapshot")
		if err := os.Rename(path, renamed); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFiles([]string{renamed}); err != nil || !reflect.DeepEqual(got, home()) {
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
			if got, err := ReadFiles([]string{filepath.Join(dir, c.target)}); err != nil || !reflect.DeepEqual(got, home()) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	a := file(t, dir, "a.json", encoded(t, home()))
	b := file(t, dir, "b.json", compressed(t, encoded(t, other())))
	var sorted *inventory.Snapshot
	for _, paths := range [][]string{{a, b}, {b, a}} {
		got, err := ReadFiles(paths)
		if err != nil {
			t.Fatal(err)
		}
		if !got.CollectedAt.Equal(noon) {
			t.Errorf("collected at %v", got.CollectedAt)
		}
		if len(got.Sites) != 2 || len(got.VMs) != 2 || len(got.Clusters) != 2 || len(got.Nodes) != 2 || len(got.Coverage) != 2 ||
			got.Management == nil || len(got.Probes) != 1 || len(got.Objects) != 1 || len(got.Requests) != 1 {
			t.Errorf("merged: %+v", got)
		}
		if got.Sites[0].Name != "away" || got.Clusters[0].Key != "edge" {
			t.Errorf("not sorted: %+v", got)
		}
		got.ToolVersion = ""
		if sorted != nil && !reflect.DeepEqual(got, sorted) {
			t.Errorf("the order of the files shows: %+v and %+v", got, sorted)
		}
		sorted = got
	}
}

func TestReadFilesRefuses(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, s *inventory.Snapshot) string { return file(t, dir, name, encoded(t, s)) }
	a := put("a.json", home())
	site, cluster, management, self := other(), other(), other(), other()
	site.Sites[0].Name = "home"
	cluster.Clusters[0].Key = "prod"
	management.Management = &inventory.Management{Context: "another"}
	self.Sites = append(self.Sites, self.Sites[0])
	hollow := other()
	hollow.VMs[0].Site = ""
	for name, c := range map[string]struct {
		paths []string
		words []string
	}{
		"none":                      {nil, []string{"no snapshot file was named"}},
		"a site twice":              {[]string{a, put("site.json", site)}, []string{"site home is in " + a, "in " + filepath.Join(dir, "site.json"), "once"}},
		"a cluster twice":           {[]string{a, put("cluster.json", cluster)}, []string{"cluster prod is in " + a, "in " + filepath.Join(dir, "cluster.json")}},
		"two management clusters":   {[]string{a, put("m.json", management)}, []string{"a management cluster is in " + a, "in " + filepath.Join(dir, "m.json")}},
		"one file twice":            {[]string{a, a}, []string{"is in " + a + " and in " + a}},
		"a site twice in one file":  {[]string{put("self.json", self)}, []string{"site away occurs twice in", "self.json"}},
		"a folder":                  {[]string{dir}, []string{"snapshot " + dir + ": it is a folder", "proxaudit scan"}},
		"a file that is not there":  {[]string{a, filepath.Join(dir, "none")}, []string{"none: there is no such file", "proxaudit scan"}},
		"an empty file":             {[]string{a, file(t, dir, "empty", nil)}, []string{filepath.Join(dir, "empty") + ": it is empty"}},
		"an element that is none":   {[]string{a, put("hollow.json", hollow)}, []string{"snapshot " + filepath.Join(dir, "hollow.json"), "vms[0]", "no site"}},
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
	if err != nil || len(got.Sites) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	stdin(t, nil)
	_, err = ReadFiles([]string{"-"})
	refused(t, err, "snapshot from standard input: it is empty")
}
