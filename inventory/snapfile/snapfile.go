// Package snapfile reads and writes Snapshots as files: JSON, or JSON in zstd.
package snapfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/inventory"
)

// maxSize bounds what one file may unpack to: 50,000 VMs with all their objects take about 400 MiB.
const maxSize = 4 << 30

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Read decodes one Snapshot. It tells zstd by its magic number, whatever the file is called, accepts fields that it
// does not know (a newer minor version), and refuses another major version.
func Read(r io.Reader) (*inventory.Snapshot, error) {
	br := bufio.NewReader(r)
	var in io.Reader = br
	if head, err := br.Peek(len(zstdMagic)); err == nil && bytes.Equal(head, zstdMagic) {
		// A window this large is what zstd's --long=27 needs; more would let a small file ask for gigabytes.
		zr, err := zstd.NewReader(br, zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		defer zr.Close()
		in = zr
	}
	limited := &io.LimitedReader{R: in, N: maxSize}
	dec := json.NewDecoder(limited)
	var s inventory.Snapshot
	if err := dec.Decode(&s); err != nil {
		return nil, decodeError(err, dec.InputOffset(), limited.N <= 0)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("there is more behind the Snapshot at byte %d: want one JSON document", dec.InputOffset())
	}
	if err := checkVersion(s.FormatVersion); err != nil {
		return nil, err
	}
	if s.CollectedAt.IsZero() {
		return nil, errors.New("collectedAt is missing: every age is computed from it")
	}
	return &s, nil
}

func decodeError(err error, at int64, tooLarge bool) error {
	switch {
	case tooLarge:
		return fmt.Errorf("larger than %d GiB unpacked", maxSize>>30)
	case errors.Is(err, io.EOF):
		return errors.New("empty: want the output of proxaudit scan")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("ends in the middle, at byte %d (was the scan interrupted?)", at)
	default:
		return fmt.Errorf("no Snapshot (near byte %d): %w", at, err)
	}
}

func checkVersion(v string) error {
	if v == inventory.FormatVersion {
		return nil
	}
	if v == "" {
		return errors.New(`formatVersion is missing: this is no Snapshot (want the output of proxaudit scan)`)
	}
	if strings.HasPrefix(v, "proxaudit/snapshot/") {
		return fmt.Errorf("formatVersion is %q, and this proxaudit reads %q: use the version that wrote it, or a newer one",
			v, inventory.FormatVersion)
	}
	return fmt.Errorf("formatVersion is %q: this is no Snapshot (want the output of proxaudit scan, %q)", v, inventory.FormatVersion)
}

// Write encodes a Snapshot as indented JSON.
func Write(w io.Writer, s *inventory.Snapshot) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(s)
}

// WriteFile replaces a file atomically, with mode 0600: a Snapshot holds no secret, and yet it is a map of the house. A
// path that ends in .zst is compressed. A symbolic link stays, and what it points at is replaced.
func WriteFile(path string, s *inventory.Snapshot) (err error) {
	compress := strings.HasSuffix(path, ".zst")
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
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
