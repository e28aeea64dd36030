package snapfile

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// limits bound what a file may make its reader hold: a Snapshot may come from somebody else, in a bug report say.
type limits struct {
	// size is what one file may unpack to: 50,000 VMs with all their objects take about 400 MiB.
	size int64
	// From free bytes on, a compressed file may unpack to ratio times what was read of it. A real Snapshot has UUIDs,
	// digests and names of its own for each VM: fleets pack to a twentieth or thirtieth, and objects that have most of
	// a long template in common to a hundredth at best. Small files may be anything: their contents are no burden.
	free, ratio int64
	// window is the largest zstd window in bytes: zstd --long=27 needs this one, and more would let a few bytes ask
	// for gigabytes.
	window uint64
}

var defaultLimits = limits{size: 4 << 30, free: 4 << 20, ratio: 200, window: 128 << 20}

// meter counts what is unpacked, and ends a file that unpacks to too much.
type meter struct {
	r io.Reader
	limits
	n int64
	// packed is nil for a file that is not compressed.
	packed *counter
	// err is what ended the reading, if it was not the end of the file: it tells an error of the file's place from one
	// of what stands in the file.
	err error
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n += int64(n)
	switch {
	case m.n > m.size:
		n, err = 0, fmt.Errorf("larger than %d bytes unpacked, which no Snapshot is", m.size)
	case m.packed != nil && m.n > m.free && m.n/m.ratio > m.packed.n.Load():
		n, err = 0, fmt.Errorf("unpacks to more than %d times its size, which no Snapshot does (if it is to be trusted, "+
			"unpack it with zstd -d first)", m.ratio)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// soFar is how much was read: of a compressed file the bytes that it has, which are what a person can compare with its
// size, and those that came out of them.
func (m *meter) soFar() string {
	if m.packed == nil {
		return fmt.Sprintf("%d bytes", m.n)
	}
	return fmt.Sprintf("%d bytes (%d unpacked)", m.packed.n.Load(), m.n)
}

// counter counts what is read of a compressed file. The decoder reads ahead in a goroutine of its own.
type counter struct {
	r io.Reader
	n atomic.Int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
