package snapfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// TestReplaceFile: a new file gets the mode that was asked for, and one that was there is another file afterwards: who
// has it open goes on reading the old content, whole.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	if err := ReplaceFile(path, 0o600, text("old")); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	before, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := before.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := ReplaceFile(path, 0o644, text(strings.Repeat("new", 1<<16))); err != nil {
		t.Fatal(err)
	}
	if old, err := io.ReadAll(before); err != nil || string(old) != "old" {
		t.Errorf("who reads the old file gets %q, %v", old, err)
	}
	if data, err := os.ReadFile(path); err != nil || len(data) != 3<<16 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode() != 0o600 {
		t.Errorf("the file that was there lost its mode: %v, %v", st.Mode(), err)
	}
	alone(t, dir, "report")
}

// TestReplaceFileFails: what cannot be written whole is not written at all.
func TestReplaceFileFails(t *testing.T) {
	dir := t.TempDir()
	path := file(t, dir, "report", []byte("old"))
	broken := errors.New("broken")
	err := ReplaceFile(path, 0o600, func(w io.Writer) error { return errors.Join(text("half")(w), broken) })
	if data, readErr := os.ReadFile(path); !errors.Is(err, broken) || readErr != nil || string(data) != "old" {
		t.Errorf("%v; the file has %q, %v", err, data, readErr)
	}
	if err := ReplaceFile(dir, 0o600, text("x")); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if err := ReplaceFile(filepath.Join(path, "below"), 0o600, text("x")); err == nil {
		t.Error("below a file there is no file")
	}
	none := filepath.Join(dir, "none")
	if err := ReplaceFile(filepath.Join(none, "report"), 0o600, text("x")); err == nil || err.Error() != "make a file in "+none+": no such file or directory" {
		t.Errorf("a folder that is not there: %v", err)
	}
	alone(t, dir, "report")
}

// TestReplaceFileOdd: a named pipe stays one, and its reader gets the content; so does a device, behind a link too.
func TestReplaceFileOdd(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		read := make(chan string)
		go func() {
			data, err := os.ReadFile(pipe)
			if err != nil {
				data = []byte(err.Error())
			}
			read <- string(data)
		}()
		if err := ReplaceFile(path, 0o600, text("content")); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != "content" {
			t.Errorf("%s: %q", path, got)
		}
		if st, err := os.Stat(path); err != nil || st.Mode().Type() != fs.ModeNamedPipe {
			t.Errorf("%s is now %v, %v", path, st.Mode(), err)
		}
	}
	if err := ReplaceFile(os.DevNull, 0o600, text("x")); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("%s is now %v, %v", os.DevNull, st.Mode(), err)
	}
	alone(t, dir, "link", "pipe")
}

// TestReplaceFileWhole: while a file is being written its path has the old one, whole, and the folder nothing that a collector of
// *.prom files would take for one.
func TestReplaceFileWhole(t *testing.T) {
	dir := t.TempDir()
	path := file(t, dir, "proxaudit.prom", []byte("old"))
	looked := false
	err := ReplaceFile(path, 0o644, func(w io.Writer) error {
		// More than any buffer holds, so that a part of it is on the disk.
		if _, err := io.WriteString(w, strings.Repeat("new", 1<<20)); err != nil {
			return err
		}
		looked = true
		if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
			t.Errorf("half-way the file is %.20q, %v", data, err)
		}
		if found, err := filepath.Glob(filepath.Join(dir, "*.prom")); err != nil || len(found) != 1 {
			t.Errorf("half-way a collector finds %q, %v", found, err)
		}
		return nil
	})
	if err != nil || !looked {
		t.Fatalf("written: %v, %v", looked, err)
	}
	if data, err := os.ReadFile(path); err != nil || len(data) != 3<<20 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	alone(t, dir, "proxaudit.prom")
}
