package snapfile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/inventory"
	"github.com/proxaudit/proxaudit/inventory/invisible"
)

// Write encodes a Snapshot as indented JSON. Names and notes of others stay readable, and what is invisible in them is
// escaped: people look into the file with tools that would obey it.
func Write(w io.Writer, s *inventory.Snapshot) error {
	j := invisible.NewJSON(w)
	enc := json.NewEncoder(j)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return err
	}
	return j.Close()
}

// WriteFile replaces a file atomically. A new one gets mode 0600: a Snapshot holds no secret, and yet it is a map of the
// house. One that was there keeps its mode. A path that ends in .zst is compressed. A symbolic link stays, and what it
// points at is replaced.
func WriteFile(path string, s *inventory.Snapshot) (err error) {
	compress := strings.HasSuffix(path, ".zst")
	path = linked(path)
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600), renameio.WithExistingPermissions())
	if err != nil {
		return fmt.Errorf("write snapshot %s: %w", path, err)
	}
	defer func() {
		if cerr := f.Cleanup(); err == nil && cerr != nil {
			err = fmt.Errorf("write snapshot %s: %w", path, cerr)
		}
	}()
	if err := encode(f, compress, s); err != nil {
		return fmt.Errorf("write snapshot %s: %w", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("write snapshot %s: %w", path, err)
	}
	return nil
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

func encode(w io.Writer, compress bool, s *inventory.Snapshot) error {
	if !compress {
		bw := bufio.NewWriter(w)
		if err := Write(bw, s); err != nil {
			return err
		}
		return bw.Flush()
	}
	zw, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	if err := Write(zw, s); err != nil {
		return err
	}
	return zw.Close()
}
