package snapfile

import (
	"fmt"
	"io"
	"sync/atomic"
)

// meter counts what is unpacked, and ends a file that unpacks to too much.
type meter struct {
	r io.Reader
	limits
	n int64
	// packed is nil for a file that is not compressed.
	packed *counter
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n += int64(n)
	switch {
	case m.n > m.size:
		return 0, fmt.Errorf("larger than %d bytes unpacked, which no Snapshot is", m.size)
	case m.packed != nil && m.n > m.free && m.n/m.ratio > m.packed.n.Load():
		return 0, fmt.Errorf("unpacks to more than %d times its size, which no Snapshot does", m.ratio)
	}
	return n, err
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
