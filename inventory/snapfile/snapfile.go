// Package snapfile reads and writes Snapshots as files: JSON, or JSON in zstd.
package snapfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/proxaudit/proxaudit/inventory"
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Read decodes one Snapshot. It tells zstd by its magic number, whatever the file is called, accepts fields that it
// does not know (a newer minor version), and refuses another major version. An element of a list that lacks what it is
// known by (a VM without a site, say) ends the reading there and then: the error has its place.
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
	s, err := newDocument(in).snapshot()
	if err != nil {
		return nil, err
	}
	if err := checkVersion(s.FormatVersion); err != nil {
		return nil, err
	}
	if s.CollectedAt.IsZero() {
		return nil, errors.New("collectedAt is missing: every age is computed from it")
	}
	if err := cut(s); err != nil {
		return nil, err
	}
	return s, nil
}

const formatPrefix = "proxaudit/snapshot/"

// newer is true for a major version above the one that is written here.
func newer(v string) bool {
	major := func(v string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(v, formatPrefix+"v"))
		if err != nil {
			return 0
		}
		return n
	}
	return major(v) > major(inventory.FormatVersion)
}

// checkVersion refuses another major version than those that this program reads. So far there is one; whoever makes a v2
// goes on reading v1 here (testdata/v1 holds them to it).
func checkVersion(v string) error {
	if v == inventory.FormatVersion {
		return nil
	}
	if v == "" {
		return errors.New("formatVersion is missing: this is no Snapshot (want " + wanted + ")")
	}
	if newer(v) {
		return fmt.Errorf("formatVersion is %q: a newer proxaudit wrote it, and this one reads %q: upgrade this one to the version that wrote it, "+
			"or a newer one, or scan again with this one", v, inventory.FormatVersion)
	}
	if strings.HasPrefix(v, formatPrefix) {
		return fmt.Errorf("formatVersion is %q, and this proxaudit reads %q: use the version that wrote it, or a newer one",
			v, inventory.FormatVersion)
	}
	return fmt.Errorf("formatVersion is %q: this is no Snapshot (want %q, %s)", v, inventory.FormatVersion, wanted)
}
