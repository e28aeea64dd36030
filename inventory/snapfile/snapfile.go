// Package snapfile reads and writes Snapshots as files: JSON, or JSON in zstd.
package snapfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/inventory"
)

// limits bound what a file may make its reader hold: a Snapshot may come from somebody else, in a bug report say.
type limits struct {
	// size is what one file may unpack to: 50,000 VMs with all their objects take about 400 MiB.
	size int64
	// From free bytes on, a compressed file may unpack to ratio times what was read of it. A real Snapshot has
	// UUIDs, digests and names of its own for each VM, and packs to a fiftieth at best.
	free, ratio int64
	// window is the largest zstd window in bytes: zstd --long=27 needs this one, and more would let a few bytes ask
	// for gigabytes.
	window uint64
}

var defaultLimits = limits{size: 4 << 30, free: 64 << 20, ratio: 1000, window: 128 << 20}

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Read decodes one Snapshot. It tells zstd by its magic number, whatever the file is called, accepts fields that it
// does not know (a newer minor version), and refuses another major version.
func Read(r io.Reader) (*inventory.Snapshot, error) { return read(r, defaultLimits) }

func read(r io.Reader, lim limits) (*inventory.Snapshot, error) {
	br := bufio.NewReader(r)
	in := &meter{r: br, limits: lim}
	if head, err := br.Peek(len(zstdMagic)); err == nil && bytes.Equal(head, zstdMagic) {
		in.packed = &counter{r: br}
		zr, err := zstd.NewReader(in.packed, zstd.WithDecoderMaxWindow(lim.window))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		defer zr.Close()
		in.r = zr
	}
	dec := json.NewDecoder(in)
	var s inventory.Snapshot
	if err := dec.Decode(&s); err != nil {
		if s.FormatVersion != "" && checkVersion(s.FormatVersion) != nil {
			// Of another version, fields of another type are to be expected: the version is the better reason.
			return nil, checkVersion(s.FormatVersion)
		}
		return nil, decodeError(err, in.n)
	}
	if err := nothingBehind(dec, in); err != nil {
		return nil, err
	}
	if err := checkVersion(s.FormatVersion); err != nil {
		return nil, err
	}
	if s.CollectedAt.IsZero() {
		return nil, errors.New("collectedAt is missing: every age is computed from it")
	}
	return &s, nil
}

// nothingBehind reads on to the end of the file: what follows is a second document, or the end of a compressed file
// with its checksum, and a file that is cut off there may have lost more.
func nothingBehind(dec *json.Decoder, in *meter) error {
	at := dec.InputOffset()
	_, err := dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, errors.As(err, &syntax):
		return fmt.Errorf("there is more behind the Snapshot at byte %d: want one JSON document", at)
	default:
		return decodeError(err, in.n)
	}
}

// decodeError words an error that came after n bytes.
func decodeError(err error, n int64) error {
	var syntax *json.SyntaxError
	var field *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("empty: want the output of proxaudit scan")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("ends in the middle, at byte %d (was the scan interrupted?)", n)
	case errors.As(err, &syntax):
		return fmt.Errorf("no Snapshot (at byte %d): %w", syntax.Offset, err)
	case errors.As(err, &field):
		return fmt.Errorf("no Snapshot (at byte %d): %w", field.Offset, err)
	default:
		return fmt.Errorf("cannot be read (after %d bytes): %w", n, err)
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
