package snapfile

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

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

// WriteFile replaces a file as ReplaceFile does. A new one gets mode 0600: a Snapshot holds no secret, and yet it is a map
// of the house. A path that ends in .zst is compressed.
func WriteFile(path string, s *inventory.Snapshot) error {
	err := ReplaceFile(path, 0o600, func(w io.Writer) error { return encode(w, strings.HasSuffix(path, ".zst"), s) })
	if err != nil {
		return fmt.Errorf("write snapshot %s: %w", path, err)
	}
	return nil
}

func encode(w io.Writer, compress bool, s *inventory.Snapshot) error {
	if !compress {
		return Write(w, s)
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
